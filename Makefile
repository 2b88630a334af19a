# Every recipe sets up what it needs first: `make demo` and `make test` work on a fresh clone.

PYTHON ?= $(shell command -v python3.11 || command -v python3.12 || command -v python3.13 || command -v python3)
IN_VENV = .venv/bin/python

.DEFAULT_GOAL := help
.PHONY: help setup space demo test test-long check format bench lock clean

help:  ## what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s  %s\n", $$1, $$2 }' Makefile

setup: .venv/.ready  ## the virtual environment with everything in it (a no-op once done)

.venv/.ready: requirements.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "purport needs Python 3.11 or newer; none was found on PATH" >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "purport needs Python 3.11 or newer; $(PYTHON) is older (set PYTHON=...)" >&2; exit 1; }
	@echo "Setting up .venv (once) ..."
	@"$(PYTHON)" -m venv .venv \
	  || { echo "could not make a virtual environment: on Debian and Ubuntu, install python3-venv" >&2; exit 1; }
	@$(IN_VENV) -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(IN_VENV) -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch .venv/.ready

space: setup  ## the default concept space and WordNet, in your cache (a no-op once they are there)
	@$(IN_VENV) -c 'from purport.relatedness.catalogue import defaults_are_made as done; \
	  raise SystemExit(not done())' || $(IN_VENV) -m purport concepts default

demo: space  ## the main job: a simulated city, local Spark, live matches, an HTML report
	@$(IN_VENV) -m purport demo

test: space  ## the tests, in two processes
	@$(IN_VENV) -m tests.quick_spark
	@$(IN_VENV) -m pytest --numprocesses 2 --dist worksteal

test-long: space  ## the tests, with twenty times the generated examples, twenty kills of each sink, of a broker and of a server, 10,000 SPARQL cases, a server under load
	@$(IN_VENV) -m tests.quick_spark
	@HYPOTHESIS_PROFILE=long $(IN_VENV) -m pytest --numprocesses 2 --dist worksteal
	@$(IN_VENV) -m tests.pipeline.kills --kills 20 -o docs/reports/kills.md
	@$(IN_VENV) -m tests.embedded.kills --kills 20 -o docs/reports/broker-kills.md
	@$(IN_VENV) -m tests.sparql.requery --cases 10000 -o docs/reports/sparql-requery.md
	@$(IN_VENV) -m tests.service.kills --kills 20 -o docs/reports/service-kills.md
	@$(IN_VENV) -m tests.mqtt.kills --kills 20 -o docs/reports/mqtt-kills.md
	@$(IN_VENV) -m tests.mqtt.bridge_kills --kills 20 -o docs/reports/mqtt-bridge-kills.md
	@$(IN_VENV) -m tests.kafka.kills --kills 20 -o docs/reports/kafka-kills.md
	@$(IN_VENV) -m tests.service.load --sockets 1000 --rate 2000 --seconds 60 -o docs/reports/service-load.md

check: setup  ## format, lint, types, import layers
	@$(IN_VENV) -m ruff format --check
	@$(IN_VENV) -m ruff check
	@$(IN_VENV) -m mypy
	@$(IN_VENV) -c 'from importlinter.cli import lint_imports_command; lint_imports_command()'

format: setup  ## put the code into the house format
	@$(IN_VENV) -m ruff format
	@$(IN_VENV) -m ruff check --fix

bench: setup  ## speed as ratios and counts of work
	@$(IN_VENV) -m benchmarks

lock: setup  ## pin the dependencies of pyproject.toml anew
	@$(IN_VENV) -m pip install --quiet --disable-pip-version-check uv
	@.venv/bin/uv pip compile --quiet --universal --generate-hashes --python-version 3.11 --all-extras \
	  --no-annotate --custom-compile-command "make lock" pyproject.toml -o requirements.lock

clean:  ## forget the set-up
	rm -rf .venv
