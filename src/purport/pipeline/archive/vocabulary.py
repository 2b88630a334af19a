"""The terms of an archive, as measures are asked for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from purport.model.term import Resource, Text
from purport.model.words import said, says_words
from purport.pipeline.archive.folder import Archive
from purport.pipeline.archive.statement_rows import IN_TABLE, StatementRow
from purport.pipeline.session import spark_pattern
from purport.pipeline.tables import ARCHIVED_STATEMENTS, TERMS, record_batch

_COLUMNS = list(StatementRow._fields)


def statements(spark: SparkSession, archive: Archive) -> DataFrame:
    """The table ARCHIVED_STATEMENTS of an archive: what all of its ids mean."""
    tables = [archive.statements_of(one.batch) for one in archive.batches() if one.statements]
    if not tables:
        return spark.createDataFrame([], ARCHIVED_STATEMENTS)
    return spark.read.schema(ARCHIVED_STATEMENTS).parquet(*map(spark_pattern, tables))


def terms(rows: DataFrame, *, of_names: bool) -> DataFrame:
    """What statements say, once each, as the table TERMS: their attributes, or words as values."""
    if of_names:
        different = rows.dropDuplicates(["attribute", "attribute_type"])
    else:
        different = rows.where(f.col("scale") == IN_TABLE)

    def told(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            several = map(StatementRow, *(batch.column(name).to_pylist() for name in _COLUMNS))
            found = _names(several) if of_names else _words(several)
            yield record_batch(TERMS, [list(dict.fromkeys(found))])

    return different.mapInArrow(told, TERMS).distinct()


def _names(rows: Iterable[StatementRow]) -> Iterator[str]:
    return (said(row.told_attribute) for row in rows)


def _words(rows: Iterable[StatementRow]) -> Iterator[str]:
    for row in rows:
        value = row.statement().value
        if isinstance(value, Text | Resource) and says_words(value):
            yield said(value)
