"""Scenarios as TOML: a table for each part of a `Scenario`; what is left out is as by default."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from purport.network.errors import ScenarioError
from purport.network.scenario import Scenario
from purport.settings import OptionError, merged, read_options, read_toml

_TABLE = re.compile(r"\s*\[\s*([\w.]+)\s*\]")
_KEY = re.compile(r"\s*([\w.]+)\s*=")


def read_scenario(path: Path, flags: Mapping[str, Any] | None = None) -> Scenario:
    """The scenario of a file, with what flags say in its place: `{"field": {"side_m": 100}}`.

    Paths in a file are meant from its folder. `InvalidInput` names file, line and option.
    """
    told = read_toml(path)
    try:
        scenario_of(told)
    except OptionError as error:
        raise OptionError(_where(path, error.place), error.place, error.message) from None
    except ScenarioError as error:
        raise ScenarioError(error.place, error.message, _where(path, error.place)) from None
    return scenario_of(merged(_from_folder(told, path.resolve().parent), flags or {}))


def scenario_of(options: Mapping[str, Any], what: str = "the scenario") -> Scenario:
    """The scenario of some options; `what` is what they are called where they are wrong."""
    return read_options(Scenario, options, what)


def line_of(text: str, place: str) -> int | None:
    """The line of a TOML file on which an option stands, or else the one of its table."""
    table, found = "", None
    for number, line in enumerate(text.splitlines(), 1):
        begins, key = _TABLE.match(line), _KEY.match(line)
        if begins:
            table = begins[1]
            if table == place.partition(".")[0]:
                found = found or number
        elif key and f"{table}.{key[1]}".lstrip(".") == place.partition("[")[0]:
            return number
    return found


def _where(path: Path, place: str) -> str:
    line = line_of(path.read_text(encoding="utf-8"), place)
    return f"{path}, line {line}" if line else f"{path}"


def _from_folder(told: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """What a file says, with the paths in it as they are meant."""

    def changed(table: str, key: str, change: Callable[[Any], Any]) -> dict[str, Any]:
        given = told.get(table, {})
        return {table: {key: change(given[key])}} if key in given else {}

    files = changed("interests", "ontology", lambda names: [folder / one for one in names])
    wiring = changed("field", "file", lambda name: folder / name)
    return merged(merged(told, files), wiring)
