"""A source or sink of one's own is one class, found under its scheme."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from purport import InvalidInput
from purport.pipeline.addresses import Address
from purport.pipeline.found_matches import Matches
from purport.pipeline.job_file import JobOptions
from purport.pipeline.notes import Notes
from purport.pipeline.readers import RowReader
from purport.pipeline.schemes import Schemes
from purport.pipeline.session import spark_address
from purport.pipeline.sinks.catalogue import sink_at
from purport.pipeline.sinks.match_message import match_id
from purport.pipeline.sinks.sink import SINKS
from purport.pipeline.sources.catalogue import source_at
from purport.pipeline.sources.source import SOURCES, Since


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    """What a test registers is gone after it."""
    known = [(registry, dict(registry._made)) for registry in (SOURCES, SINKS)]
    yield
    for registry, made in known:
        registry._made = made  # type: ignore[assignment]


class Lines:
    """Files of JSON lines, read by Spark itself."""

    def __init__(self, address: Address, since: Since | None) -> None:
        self.folder = address.path()
        self.place = f"texts:{self.folder.resolve()}"
        self.reader = RowReader("value")

    def records(self, spark: SparkSession) -> DataFrame:
        return spark.readStream.text(spark_address(self.folder))


class Database:
    """A table of SQLite."""

    home = None

    def __init__(self, address: Address) -> None:
        self.path = address.path()
        self.place = f"database:{self.path.resolve()}"

    def claim(self, job: str) -> None:
        with closing(sqlite3.connect(self.path)) as database, database:
            database.execute("create table if not exists matches (id primary key, event)")

    def write(self, matches: Matches, batch: int, notes: Notes) -> None:
        rows = [
            (match_id(row.event_id, row.subscription), row.event_id)
            for row in matches.table.collect()
        ]
        with closing(sqlite3.connect(self.path)) as database, database:
            database.executemany("insert or replace into matches values (?, ?)", rows)


def test_a_registered_class_is_a_source_or_a_sink(spark: SparkSession, tmp_path: Path) -> None:
    SOURCES.register("texts")(Lines)
    SINKS.register("database")(Database)
    (tmp_path / "events").mkdir()
    (tmp_path / "events" / "e.jsonl").write_text('{"@id": "e1", "a": 1}\n{"@id": "e2", "a": 2}\n')
    options = JobOptions(
        f"texts:{tmp_path / 'events'}",
        f"database:{tmp_path / 'matches.db'}",
        ("{a = 1} as one",),
        tmp_path / "job",
    )

    options.job().run(spark)

    with closing(sqlite3.connect(tmp_path / "matches.db")) as database:
        rows = database.execute("select * from matches").fetchall()
    assert rows == [(match_id("e1", "one"), "e1")]


def test_a_scheme_that_is_taken_is_refused() -> None:
    with pytest.raises(InvalidInput, match="the sink 'parquet' is registered already"):
        SINKS.register("parquet")(Database)


def installed(folder: Path, text: str, points: str) -> None:
    """A package in a folder, as pip leaves it there."""
    (folder / "beeper.py").write_text(text)
    about = folder / "beeper-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: beeper\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(points)


def test_the_classes_of_an_installed_package_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    installed(
        tmp_path,
        "class Beep:\n    def __init__(self, address, since=None):\n        self.at = address\n",
        "[purport.sinks]\nbeep = beeper:Beep\n[purport.sources]\nbeep = beeper:Beep\n",
    )

    sink, source = sink_at("beep:loud?times=3"), source_at("beep:soft")

    assert type(sink).__name__ == type(source).__name__ == "Beep"
    assert vars(sink) == {"at": Address("beep", "loud", {"times": "3"})}
    assert vars(source) == {"at": Address("beep", "soft")}
    with pytest.raises(InvalidInput, match=r"no sink 'beeb' .*did you mean beep:"):
        sink_at("beeb:loud")


def test_a_package_that_cannot_be_loaded_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    installed(tmp_path, "", "[purport.things]\nbeep = beeper_missing:Beep\n")

    with pytest.raises(InvalidInput, match="'beep' cannot be loaded from beeper_missing:Beep: No "):
        Schemes[type]("thing", "purport.things").find("beep")
