"""The job that turns corpora into a concept space."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.dataset as ds
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from purport.errors import InvalidInput
from purport.pipeline.concept_index import (
    IndexParameters,
    numbered_documents,
    strongest_concepts,
    weighted_words,
    word_counts,
    word_rows,
)
from purport.pipeline.corpora.corpus import Corpus
from purport.pipeline.jobs.spark_errors import reason_of
from purport.pipeline.session import spark_address
from purport.relatedness.concept_space import ConceptSpace, Source, SpaceWriter, WordRow, new_space


@dataclass(frozen=True, slots=True)
class BuildSpace:
    """Builds one space from any number of corpora; `step` is told what is being done.

    What grows with the corpora stays in Spark and on disk: the driver reads the finished rows one
    batch at a time.
    """

    corpora: Sequence[Corpus]
    output: Path
    parameters: IndexParameters = field(default_factory=IndexParameters)

    def run(
        self, spark: SparkSession, on_step: Callable[[str], None] = lambda _: None
    ) -> ConceptSpace:
        """Build the space and open it."""
        scratch = Path(tempfile.mkdtemp(prefix="purport-space-"))
        try:
            return self._built(spark, scratch, on_step)
        except (PySparkException, Py4JJavaError) as error:
            raise InvalidInput(f"the corpus cannot be read: {reason_of(error)}") from error
        finally:
            shutil.rmtree(scratch, ignore_errors=True)

    def _built(
        self, spark: SparkSession, scratch: Path, on_step: Callable[[str], None]
    ) -> ConceptSpace:
        on_step("reading documents")
        every = [corpus.documents(spark, number) for number, corpus in enumerate(self.corpora)]
        united = every[0]
        for documents in every[1:]:
            united = united.unionByName(documents)
        documents = _at_rest(spark, united, scratch / "documents")
        documents = _at_rest(spark, numbered_documents(spark, documents), scratch / "numbered")
        sizes = {row.source: row["count"] for row in documents.groupBy("source").count().collect()}

        on_step("counting words")
        counts = _at_rest(spark, word_counts(documents, self.parameters), scratch / "counts")

        on_step("weighing words")
        weights = weighted_words(counts, sum(sizes.values()), self.parameters)
        rows = word_rows(strongest_concepts(weights, self.parameters))
        rows.write.parquet(spark_address(scratch / "rows"))
        titles = documents.orderBy("concept").select("title")
        titles.write.parquet(spark_address(scratch / "titles"))

        on_step("writing the space")
        with new_space(
            self.output,
            name=self.output.name,
            sources=[
                Source(corpus.path.name, corpus.kind, sizes.get(number, 0), corpus.licence)
                for number, corpus in enumerate(self.corpora)
            ],
            parameters={name: float(value) for name, value in asdict(self.parameters).items()},
        ) as writer:
            _write(writer, scratch)
        return ConceptSpace.open(self.output)


def _at_rest(spark: SparkSession, table: DataFrame, folder: Path) -> DataFrame:
    """A table written down, so that what follows reads it instead of making it again."""
    table.write.parquet(spark_address(folder))
    return spark.read.parquet(spark_address(folder))


def _write(writer: SpaceWriter, scratch: Path) -> None:
    writer.add_words(_rows(scratch / "rows"))
    writer.add_titles(
        title
        for batch in _batches(scratch / "titles")
        for title in batch.column("title").to_pylist()
    )


def _rows(folder: Path) -> Iterator[WordRow]:
    for batch in _batches(folder):
        columns = (batch.column(name) for name in ("word", "concepts", "weights"))
        for word, concepts, weights in zip(*columns, strict=True):
            yield WordRow(
                word.as_py(),
                np.asarray(concepts.values, np.int32),
                np.asarray(weights.values, np.float32),
            )


def _batches(folder: Path) -> Iterator[Any]:
    """The rows of a table that Spark wrote, in its order and a few at a time."""
    parts = sorted(str(path) for path in folder.glob("part-*.parquet"))
    return iter(ds.dataset(parts, format="parquet").to_batches(batch_size=4096))
