"""The job that scores a vocabulary beforehand, so that matching only looks scores up."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from purport.errors import InvalidInput
from purport.pipeline.session import spark_address
from purport.pipeline.spark_errors import job_errors
from purport.pipeline.tables import TERM_SCORES, TERMS, record_batch
from purport.pipeline.tables_at_rest import written_batches
from purport.relatedness.measure import Measure
from purport.relatedness.score_blocks import Block
from purport.relatedness.score_table import ScoreTable

_TERMS_AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class TabulateScores:
    """Adds to a table the scores of the terms asked for with those that events use.

    Terms whose scores are in the table already are left alone: run it again when words were added.
    """

    table: ScoreTable
    asked: Sequence[str]

    def run(self, spark: SparkSession, terms: DataFrame) -> int:
        """Score the terms in the column `term`; gives the number of those that were new."""
        known = spark.createDataFrame(
            [(term,) for term in sorted(self.table.known_given(self.asked))], TERMS
        )
        new = terms.select("term").dropna().distinct().join(known, "term", "left_anti")
        scratch = Path(tempfile.mkdtemp(prefix="purport-scores-"))
        try:
            with job_errors("the terms cannot be scored"):
                scored = term_scores(new, self.asked, self.table.measure)
                scored.write.parquet(spark_address(scratch / "scores"))
            return self._add(scratch / "scores")
        finally:
            shutil.rmtree(scratch, ignore_errors=True)

    def _add(self, folder: Path) -> int:
        added = 0
        for batch in written_batches(folder, _TERMS_AT_ONCE):
            terms = batch.column("term").to_pylist()
            if not terms:
                continue
            scores = np.asarray(batch.column("scores").flatten(), np.float32)
            if not self.table.add(Block(self.asked, terms, scores.reshape(len(terms), -1).T)):
                self.table.flush()
                raise InvalidInput(
                    f"the table is full: {self.table.most_cells:,} scores are its bound, "
                    f"and {added:,} terms were added"
                )
            added += len(terms)
        self.table.flush()
        return added


def term_scores(terms: DataFrame, asked: Sequence[str], measure: Measure) -> DataFrame:
    """The table TERM_SCORES: each term with its scores, in the order of those asked for."""

    def scored(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            given = batch.column("term").to_pylist()
            for start in range(0, len(given), _TERMS_AT_ONCE):
                some = given[start : start + _TERMS_AT_ONCE]
                scores = measure.matrix(asked, some).T.astype(np.float32)
                yield record_batch(TERM_SCORES, (some, list(scores)))

    return terms.select("term").mapInArrow(scored, TERM_SCORES)
