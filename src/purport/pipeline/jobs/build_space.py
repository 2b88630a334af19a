"""The job that turns corpora into a concept space."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
from pyspark.sql import SparkSession

from purport.pipeline.concept_index import (
    IndexParameters,
    numbered_documents,
    strongest_concepts,
    weighted_words,
    word_counts,
    word_rows,
)
from purport.pipeline.corpora.corpus import Corpus, documents_of
from purport.pipeline.corpora.readers import CorpusError
from purport.pipeline.session import spark_address
from purport.pipeline.spark_errors import job_errors
from purport.pipeline.tables_at_rest import at_rest, written_batches
from purport.relatedness.concept_space import (
    SPACES,
    ConceptSpace,
    Source,
    SpaceWriter,
    WordRow,
    new_space,
)


def concept_space(
    spark: SparkSession,
    corpus_path: str | Path | Sequence[str | Path],
    output_path: str | Path,
    parameters: IndexParameters | None = None,
) -> ConceptSpace:
    """Build a concept space from a corpus, or from several, at a path; and open it."""
    paths = [corpus_path] if isinstance(corpus_path, str | Path) else corpus_path
    corpora = [Corpus.at(Path(path)) for path in paths]
    return BuildSpace(corpora, Path(output_path), parameters or IndexParameters()).run(spark)


@dataclass(frozen=True, slots=True)
class BuildSpace:
    """Builds one space from any number of corpora; `on_step` is told what is being done.

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
        SPACES.require_place(self.output.absolute())
        scratch = Path(tempfile.mkdtemp(prefix="purport-space-"))
        try:
            with job_errors("the corpus cannot be read"):
                return self._built(spark, scratch, on_step)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)

    def _built(
        self, spark: SparkSession, scratch: Path, on_step: Callable[[str], None]
    ) -> ConceptSpace:
        on_step("reading documents")
        documents = at_rest(spark, documents_of(spark, self.corpora), scratch / "documents")
        documents = at_rest(spark, numbered_documents(spark, documents), scratch / "numbered")
        sizes = {row.source: row["count"] for row in documents.groupBy("source").count().collect()}
        for number, corpus in enumerate(self.corpora):
            if number not in sizes:
                raise CorpusError(f"{corpus.path}: no document found in it, read as {corpus.kind}")

        on_step("counting words")
        counts = at_rest(spark, word_counts(documents, self.parameters), scratch / "counts")

        on_step("weighing words")
        weights = weighted_words(counts, sum(sizes.values()), self.parameters)
        rows = word_rows(strongest_concepts(weights, self.parameters))
        rows.write.parquet(spark_address(scratch / "rows"))
        titles = documents.orderBy("concept").select("title")
        titles.write.parquet(spark_address(scratch / "titles"))

        on_step("writing the space")
        with new_space(
            self.output,
            name=self.output.absolute().name,
            sources=[
                Source(corpus.path.name, corpus.kind, sizes[number], corpus.licence)
                for number, corpus in enumerate(self.corpora)
            ],
            parameters={name: float(value) for name, value in asdict(self.parameters).items()},
        ) as writer:
            _write(writer, scratch)
        return ConceptSpace.open(self.output)


def _write(writer: SpaceWriter, scratch: Path) -> None:
    writer.add_words(_rows(scratch / "rows"))
    writer.add_titles(
        title
        for batch in written_batches(scratch / "titles")
        for title in batch.column("title").to_pylist()
    )


def _rows(folder: Path) -> Iterator[WordRow]:
    for batch in written_batches(folder):
        columns = (batch.column(name) for name in ("word", "concepts", "weights"))
        for word, concepts, weights in zip(*columns, strict=True):
            yield WordRow(
                word.as_py(),
                np.asarray(concepts.values, np.int32),
                np.asarray(weights.values, np.float32),
            )
