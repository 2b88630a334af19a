"""Subscriptions to classes on Spark: the same as in process, and explained by what was kept."""

from pathlib import Path
from typing import cast

import pytest
from pyspark.sql import DataFrame, SparkSession

from purport import InvalidInput, parse
from purport.pipeline.job_folder import JobFolder
from purport.pipeline.jobs.match_stream import MatchStream
from purport.pipeline.journal.event_notifications import answers
from purport.pipeline.journal.stretch_rows import Span
from purport.pipeline.matcher_spec import MatcherSettings
from purport.pipeline.sinks.batch_folders import BatchFolders
from purport.pipeline.sources.files import Files
from purport.pipeline.stored.explanation import StoredExplanations
from purport.pipeline.stored.job import StoredJob
from purport.pipeline.watched import Fixed
from tests.oracles.in_process import in_process
from tests.pipeline.test_match_stream import written
from tests.strategies.wine_cellar import cellar_file

LINES = """\
{"@id": "e1", "drink": "Chateau", "tags": ["a", "b"]}
{"@id": "e2", "drink": "Merlot", "tags": "a"}
{"@id": "e3", "drink": {"type": "RedWine", "hasAge": 30}}
{"@id": "e4", "drink": "beer", "price": 4}
{"@id": "e5", "price": 4.5}
{"@id": "e6", "type": "Wine", "hasAge": "20", "hasColour": "Red"}
"""
ASKED = [
    parse("{drink isa Claret} as claret"),
    parse("{drink isa (Wine that hasAge some xsd:integer[>= 20])} as old"),
    parse("{type has hasColour = Red} as red"),
    parse("{drink more specific than Wine, tags within (a, c)} as rarer"),
    parse("{tags contains all (a, b)} as both"),
    parse("{price isa xsd:integer[< 5]} as cheap"),
]


def test_classes_and_bags_match_on_spark_as_in_process(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "events").mkdir()
    (tmp_path / "events" / "e.jsonl").write_text(LINES)
    ontology = cellar_file(tmp_path)
    sink = BatchFolders(tmp_path / "matched")
    settings = MatcherSettings(ontology=(ontology,))
    job = MatchStream(
        Files(tmp_path / "events"), sink, Fixed(ASKED), JobFolder(sink.home), settings
    )
    expected = in_process(tmp_path / "events", ASKED, ontology=ontology)

    job.run(spark)

    assert {(row[0], row[1]) for row in expected[0]} == {
        ("e1", "claret"), ("e2", "claret"), ("e3", "claret"), ("e3", "old"), ("e6", "red"),
        ("e2", "rarer"), ("e1", "both"), ("e4", "cheap"),
    }  # fmt: skip
    assert written(spark, job) == expected
    ontology.unlink()  # the job has a copy
    stored = StoredJob.at(tmp_path / "matched")
    [match] = [one for one in stored.require_matches().of_event("e3") if one.subscription == "old"]
    assert "by the ontology" in StoredExplanations(stored).explain(match).text()


def test_a_replay_calls_a_subscription_by_its_name() -> None:
    asked = [parse("{a = 1} as other"), parse("{drink isa Wine} as vintage")]

    with pytest.raises(InvalidInput, match="vintage: drink isa Wine asks an ontology"):
        answers(cast(DataFrame, None), Span(), asked)
