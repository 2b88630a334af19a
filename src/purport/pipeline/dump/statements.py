"""The statements of an RDF dump: read, counted, and with names in the place of ids."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from purport.pipeline.dump.lines import BLANK, statements_of_lines
from purport.pipeline.tables import DUMP_LINES, STATEMENTS


@dataclass(frozen=True, slots=True)
class DumpTally:
    """What the lines of a dump are, and whether there is something in them to be resolved."""

    triples: int
    in_other_languages: int
    dead_letters: int
    ids: int
    blank_subjects: int


def dump_lines(lines: DataFrame, kinds: frozenset[str]) -> DataFrame:
    """What each line of a dump says, or why it says nothing."""

    def read(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return statements_of_lines(batches, kinds)

    return lines.mapInArrow(read, DUMP_LINES)


def tally_of(read: DataFrame) -> DumpTally:
    """Count what has been read."""
    is_triple, is_blank = f.col("reason").isNull(), f.col("node").startswith(BLANK)
    row = read.agg(
        f.count_if(is_triple).alias("triples"),
        f.count_if(is_triple & f.col("subject").isNull()).alias("in_other_languages"),
        f.count_if(~is_triple).alias("dead_letters"),
        f.count_if(~is_blank).alias("ids"),
        f.count_if(f.col("subject").startswith(BLANK)).alias("blank_subjects"),
    ).first()
    return DumpTally(**row.asDict()) if row else DumpTally(0, 0, 0, 0, 0)


def statements(read: DataFrame) -> DataFrame:
    """The statements among what has been read, without those in other languages."""
    return read.where(f.col("subject").isNotNull()).select(*STATEMENTS.fieldNames())


def named_statements(statements: DataFrame) -> DataFrame:
    """Statements in which an id is replaced by the English name that the dump has for it.

    An id that the dump has no name for leaves a value that is null.
    """
    leads_to_id = f.col("node").isNotNull() & ~f.col("node").startswith(BLANK)
    names = (
        statements.where(f.col("named").isNotNull())
        .groupBy(f.col("named").alias("id"))
        .agg(f.min(f.struct("rank", "value")).alias("best"))
        .select("id", f.col("best.value").alias("name"))
    )
    resolved = statements.where(leads_to_id).join(names, f.col("node") == f.col("id"), "left")
    columns = {"value": f.col("name"), "node": f.lit(None).cast("string")}
    with_names = resolved.withColumns(columns).select(*STATEMENTS.fieldNames())
    return statements.where(~leads_to_id).unionAll(with_names)
