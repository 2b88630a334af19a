"""The four walks of docs/architecture.md, which say what passes what, against runs of them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pyspark import cloudpickle
from pyspark.sql import SparkSession
from pyspark.sql.classic.dataframe import DataFrame

import purport
from tests.commands import Run
from tests.flows import passed
from tests.flows.passed import Passed, passing

_ARCHITECTURE = Path(__file__).parents[2] / "docs" / "architecture.md"
_STEP = re.compile(r"^\| `(?P<file>[a-z_/]+)\.py` \| `(?P<name>[\w.]+)` \|.*\|$", re.MULTILINE)
_AT_WORK = "On Spark's workers:"


@dataclass(frozen=True, slots=True)
class Walk:
    """The steps of a walk as the document has them: here, and on Spark's workers."""

    here: list[str]
    at_work: list[str]


def walk(title: str) -> Walk:
    text = _ARCHITECTURE.read_text(encoding="utf-8")
    [section] = re.findall(rf"^### {title}$(.*?)^##", text, re.MULTILINE | re.DOTALL)
    here, _, at_work = section.partition(_AT_WORK)
    return Walk(_steps(here), _steps(at_work))


def _steps(text: str) -> list[str]:
    return [f"{one['file'].replace('/', '.')} {one['name']}" for one in _STEP.finditer(text)]


def first_missed(steps: list[str], names: list[str]) -> str | None:
    """The first step that does not come after those before it."""
    coming = iter(names)
    return next((step for step in steps if step not in coming), None)


@pytest.fixture
def workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """What Spark's workers have passed since, one task after the other."""
    cloudpickle.register_pickle_by_value(passed)  # type: ignore[no-untyped-call]
    folder = tmp_path / "passed"
    folder.mkdir()
    plain = DataFrame.mapInArrow

    def watched(table: DataFrame, function: Any, *how: Any, **named: Any) -> Any:
        return plain(table, passing(function, folder), *how, **named)

    monkeypatch.setattr(DataFrame, "mapInArrow", watched)

    def names() -> list[str]:
        tasks = sorted(folder.iterdir(), key=lambda one: one.stat().st_mtime_ns)
        return [name for task in tasks for name in json.loads(task.read_text())]

    return names


def test_an_event_from_text_to_a_delivered_notification() -> None:
    expected = walk("An event, from JSON text to a delivered notification")
    with purport.Broker.in_memory() as broker:
        near = broker.subscribe("{device = laptop~, floor = ground floor} as near")

        with Passed() as seen:
            broker.publish('{"device": "computer", "floor": "Ground floor"}')
            [notification] = near.waiting()

    assert str(notification.match.event.statements[0]) == "device: computer"
    assert expected.here
    assert first_missed(expected.here, seen.names) is None


def test_an_update_from_text_to_a_change_of_an_answer() -> None:
    expected = walk("An update, from SPARQL text to a delta")
    engine = purport.sparql.Engine()
    engine.subscribe("SELECT ?a ?c WHERE { ?a <urn:p> ?b . ?b <urn:q> ?c }")
    engine.update("INSERT DATA { <urn:a> <urn:p> <urn:b> }")

    with Passed() as seen:
        [news] = engine.update("INSERT DATA { <urn:b> <urn:q> 5 }")

    assert len(news.added) == 1
    assert expected.here
    assert first_missed(expected.here, seen.names) is None


def test_a_corpus_from_text_to_a_score(
    spark: SparkSession, workers: Callable[[], list[str]], tmp_path: Path
) -> None:
    expected = walk("A corpus, from text to a score")
    corpus, space = tmp_path / "corpus.jsonl", tmp_path / "space"
    texts = {"Car": "a car parks in the garage " * 9, "Bread": "bread is baked in an oven " * 9}
    lines = [json.dumps({"title": title, "text": text}) for title, text in texts.items()]
    corpus.write_text("\n".join(lines))

    with Passed() as seen:
        purport.pipeline.concept_space(spark, corpus, space)
        score = purport.load_measure("esa", space=space).score("parking", "garage")

    assert score > 0.9
    assert expected.here and expected.at_work
    assert first_missed(expected.here, seen.names) is None
    assert first_missed(expected.at_work, workers()) is None


def test_a_stream_from_a_line_to_a_file_of_matches(
    spark: SparkSession, workers: Callable[[], list[str]], run: Run, tmp_path: Path
) -> None:
    expected = walk("A stream, from a line to a file of matches")
    (tmp_path / "events").mkdir()
    (tmp_path / "events" / "some.jsonl").write_text('{"device": "computer"}\n{"device": 5}\n')
    (tmp_path / "near.purport").write_text("{device = laptop~} as near")
    where = ("--from", "file:events", "--to", "parquet:found", "-s", "near.purport")

    with Passed() as seen:
        done = run("stream", *where, "--until-end", folder=tmp_path)

    assert done.status == 0, done.errors
    assert spark.read.parquet(str(tmp_path / "found")).count() == 1
    assert expected.here and expected.at_work
    assert first_missed(expected.here, seen.names) is None
    assert first_missed(expected.at_work, workers()) is None
