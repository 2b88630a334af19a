"""The job that counts how often WordNet's synsets are met in corpora, for information content.

Resnik's way of counting: a word met adds one part in n to each of its n synsets in a part of
speech, and to all that those are kinds of. Every synset starts at 1, so that none is impossible.
Words of several words are counted as single ones.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from purport.errors import InvalidInput, UnusablePath
from purport.pipeline.corpora.corpus import Corpus, documents_of
from purport.pipeline.spark_errors import job_errors
from purport.pipeline.tables import LEMMA_COUNTS, record_batch
from purport.relatedness.wordnet import WordNet
from purport.whole_file import write_whole
from purport.writable import require_file

_WORD = re.compile(r"(?<![^\W\d_])[^\W\d_]{2,40}(?![^\W\d_])")


@dataclass(frozen=True, slots=True)
class CountSynsets:
    """Counts the words of corpora and writes a file of counts, as `load_measure` reads it."""

    corpora: Sequence[Corpus]
    wordnet: WordNet
    output: Path

    def run(self, spark: SparkSession, on_step: Callable[[str], None] = lambda _: None) -> Path:
        """Count, and write the file when all is counted."""
        require_file(self.output)
        on_step("counting words")
        with job_errors("the corpus cannot be read"):
            counts = lemma_counts(documents_of(spark, self.corpora), self.wordnet).collect()
        if not counts:
            raise InvalidInput("the corpus has no word that WordNet knows")
        on_step("writing counts")
        words = np.array([row.lemma for row in counts], np.int64)
        times = np.array([row.times for row in counts], np.float64)
        text = "".join(f"{line}\n" for line in self.wordnet.count_lines(words, times))
        try:
            self.output.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self.output, text.encode())
        except OSError as error:
            raise UnusablePath(self.output, error.strerror or str(error)) from None
        return self.output


def lemma_counts(documents: DataFrame, wordnet: WordNet) -> DataFrame:
    """How often each of WordNet's words is met; no more rows than WordNet has words."""

    def counted(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            words = Counter(
                word
                for text in batch.column("text").to_pylist()
                for word in _WORD.findall(text.casefold())
            )
            found: Counter[int] = Counter()
            for word, times in words.items():
                number = wordnet.find(word)
                if number is not None:
                    found[number] += times
            yield record_batch(LEMMA_COUNTS, (found.keys(), found.values()))

    counts = documents.select("text").mapInArrow(counted, LEMMA_COUNTS)
    return counts.groupBy("lemma").agg(f.sum("times").alias("times"))
