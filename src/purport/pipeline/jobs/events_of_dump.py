"""The job that turns an RDF dump into events: one for each subject, as JSON lines."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from purport.errors import InvalidInput
from purport.model.event import MOST_STATEMENTS
from purport.model.event_lines import DeadLetter
from purport.pipeline.dump.nesting import (
    lost_nodes,
    nested_statements,
    placed_statements,
    places_of,
    steps_to_blanks,
)
from purport.pipeline.dump.rdf_dump import RdfDump
from purport.pipeline.dump.statements import (
    DumpTally,
    dump_lines,
    named_statements,
    statements,
    tally_of,
)
from purport.pipeline.dump.subjects import EventLimits, events_of_subjects
from purport.pipeline.new_folder import new_folder
from purport.pipeline.outcomes import dead_letters
from purport.pipeline.session import spark_address
from purport.pipeline.spark_errors import job_errors
from purport.pipeline.tables_at_rest import at_rest

_DEAD_LETTERS_SHOWN = 5


@dataclass(frozen=True, slots=True)
class DumpSummary:
    """What became of a dump; statements are left out that are not in English, or name nothing."""

    triples: int
    events: int
    statements: int
    in_other_languages: int
    unnamed: int
    dead_letters: int
    first_dead_letters: tuple[DeadLetter, ...]


@dataclass(frozen=True, slots=True)
class EventsOfDump:
    """Writes `events/*.jsonl` and `dead_letters/*.parquet` below `output`, all of it or nothing.

    With `kinds` (IRIs of classes), only subjects of one of these become events.
    """

    dump: RdfDump
    output: Path
    kinds: frozenset[str] = frozenset()
    most_statements: int = MOST_STATEMENTS
    is_compressed: bool = False

    def run(
        self, spark: SparkSession, on_step: Callable[[str], None] = lambda _: None
    ) -> DumpSummary:
        """Read, group, write; `on_step` is told what is being done."""
        failure = f"{self.dump.path} cannot be read"
        with new_folder(self.output) as building, job_errors(failure):
            scratch = building / "scratch"
            scratch.mkdir(parents=True)
            summary = self._written(spark, building, scratch, on_step)
            shutil.rmtree(scratch)
        return summary

    def _written(
        self, spark: SparkSession, building: Path, scratch: Path, on_step: Callable[[str], None]
    ) -> DumpSummary:
        on_step("reading triples")
        read = dump_lines(self.dump.table(spark), self.kinds)
        read = at_rest(spark, read, scratch / "read")
        tally = tally_of(read)
        if tally.dead_letters and not tally.triples:
            raise InvalidInput(f"{self.dump.path}: no line of it is a triple")

        on_step("grouping by subject")
        placed, lost = self._placed(spark, statements(read), tally, scratch)
        limits = EventLimits(self.dump.path.name, self.most_statements, bool(self.kinds))
        subjects = events_of_subjects(placed, limits, self.dump.parts)
        subjects = at_rest(spark, subjects, scratch / "subjects")

        on_step("writing events")
        self._write_events(subjects, building / "events", scratch / "text")
        letters = dead_letters(read).unionAll(dead_letters(subjects))
        letters = letters.unionAll(lost) if lost is not None else letters
        letters = at_rest(spark, letters.coalesce(1), building / "dead_letters")
        return _summary(tally, subjects, letters)

    def _placed(
        self, spark: SparkSession, told: DataFrame, tally: DumpTally, scratch: Path
    ) -> tuple[DataFrame, DataFrame | None]:
        """Statements where they belong, and the blank nodes without a place, if there are any."""
        named = named_statements(told) if tally.ids else told
        if not tally.blank_subjects:
            return placed_statements(named), None
        steps = at_rest(spark, steps_to_blanks(told), scratch / "steps")
        places = at_rest(spark, places_of(steps), scratch / "places")
        return nested_statements(named, places), lost_nodes(told, places)

    def _write_events(self, subjects: DataFrame, folder: Path, scratch: Path) -> None:
        """The events as files that end in `.jsonl`, which Spark would call `.txt`."""
        lines = subjects.where(f.col("event").isNotNull()).select("event")
        compression = "gzip" if self.is_compressed else "none"
        lines.write.option("compression", compression).text(spark_address(scratch))
        ending = ".jsonl.gz" if self.is_compressed else ".jsonl"
        folder.mkdir()
        for number, part in enumerate(sorted(scratch.glob("part-*"))):
            part.rename(folder / f"events-{number:05}{ending}")


def _summary(tally: DumpTally, subjects: DataFrame, letters: DataFrame) -> DumpSummary:
    counted = subjects.agg(
        f.count("event").alias("events"),
        f.coalesce(f.sum("statements"), f.lit(0)).alias("statements"),
        f.coalesce(f.sum("unnamed"), f.lit(0)).alias("unnamed"),
    ).collect()[0]
    first = letters.orderBy("source", "offset", "text").limit(_DEAD_LETTERS_SHOWN).collect()
    return DumpSummary(
        triples=tally.triples,
        events=counted.events,
        statements=counted.statements,
        in_other_languages=tally.in_other_languages,
        unnamed=counted.unnamed,
        dead_letters=letters.count(),
        first_dead_letters=tuple(
            DeadLetter(row.source, row.offset, row.reason, row.text) for row in first
        ),
    )
