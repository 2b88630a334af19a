"""Tables of matches, read back from what was printed."""

import io
from collections.abc import Sequence
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from rich.console import Console

from purport import InvalidInput
from purport.pipeline.contracts import SinkContract
from purport.pipeline.found_matches import Matches
from purport.pipeline.job_file import JobOptions
from purport.pipeline.notes import Notes
from purport.pipeline.sinks.catalogue import sink_at
from purport.pipeline.sinks.console import ConsoleTables
from purport.pipeline.sinks.match_message import match_id
from purport.pipeline.tables import MATCHES


def cells(text: str) -> list[list[str]]:
    """The rows of all tables in a text, without their heads."""
    lines = [line for line in text.splitlines() if line.startswith("│")]
    return [[cell.strip() for cell in line.strip("│").split("│")] for line in lines]


class TestConsoleTables(SinkContract):
    keeps_once = False

    @pytest.fixture(autouse=True)
    def _screen(self) -> None:
        self.screen = io.StringIO()

    def sink(self, folder: Path) -> ConsoleTables:
        return ConsoleTables(1000, Console(file=self.screen, width=100))

    def arrived(self, folder: Path) -> Sequence[str]:
        return [match_id(row[0], row[1]) for row in cells(self.screen.getvalue())]

    def unusable(self, folder: Path) -> ConsoleTables:
        return ConsoleTables(0)


def printed(spark: SparkSession, folder: Path, names: Sequence[str], *, rows: int) -> str:
    """What is printed of matches of events with these names, in three parts."""
    screen = io.StringIO()
    sink = ConsoleTables(rows, Console(file=screen, width=60))
    matches = [
        (name, "[red]hot", 1, 0.816, [2, 0, 1], [0.8, 1.0, 1.0], "events.jsonl", 1, None)
        for name in names
    ]
    table = spark.createDataFrame(matches, MATCHES).repartition(3)
    sink.write(Matches(table, lambda found: iter(found)), 7, Notes(folder))
    return screen.getvalue()


def test_a_table_shows_events_subscriptions_probabilities_and_mappings(
    spark: SparkSession, tmp_path: Path
) -> None:
    text = printed(spark, tmp_path, ["e1\x1b[2J", "e2"], rows=20)

    assert text.startswith("batch 7")
    assert sorted(cells(text)) == [
        ["e1\\x1b[2J", "[red]hot", "0.82", "2 0 1"],
        ["e2", "[red]hot", "0.82", "2 0 1"],
    ]
    assert "more" not in text


@pytest.mark.parametrize("rows", [1, 4, 10, 11, 12])
def test_a_batch_shows_no_more_than_so_many_matches(
    spark: SparkSession, tmp_path: Path, rows: int
) -> None:
    names = [f"e{number}" for number in range(11)]

    text = printed(spark, tmp_path, names, rows=rows)

    shown = {row[0] for row in cells(text)}
    assert shown <= set(names)
    assert len(shown) == min(rows, 11)
    assert ("more" in text) == (rows < 11)
    assert f"and {11 - rows} more" in text or rows >= 11


def test_nothing_is_printed_of_nothing(spark: SparkSession, tmp_path: Path) -> None:
    assert printed(spark, tmp_path, [], rows=20) == ""


def test_an_address_says_how_many_rows() -> None:
    sink = sink_at("console:?rows=5")

    assert isinstance(sink, ConsoleTables)
    assert sink.rows == 5


@pytest.mark.parametrize("address", ["console:screen", "console:?rows=0", "console:?row=1"])
def test_an_address_that_is_no_console_is_told(address: str) -> None:
    with pytest.raises(InvalidInput):
        sink_at(address)


def test_a_job_without_a_checkpoint_begins_anew_and_leaves_nothing_behind(
    spark: SparkSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    events = tmp_path / "events.jsonl"
    events.write_text('{"@id": "e1", "a": 1}\n')
    options = JobOptions(f"file:{events}", "console:", ("{a = 1} as hot",))

    for _ in range(2):
        options.job().run(spark)

    assert [row[:2] for row in cells(capsys.readouterr().out)] == [["e1", "hot"]] * 2
    assert list(temporary.iterdir()) == []


def test_a_job_with_a_checkpoint_remembers_what_was_shown(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    events = tmp_path / "events.jsonl"
    events.write_text('{"@id": "e1", "a": 1}\n')
    options = JobOptions(
        f"file:{events}", "console:", ("{a = 1} as hot",), checkpoint=tmp_path / "job"
    )

    for _ in range(2):
        options.job().run(spark)

    assert len(cells(capsys.readouterr().out)) == 1
