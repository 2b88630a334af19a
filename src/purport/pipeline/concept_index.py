"""Documents to a concept index: the steps of explicit semantic analysis, each named by its result.

With n documents, of which d_w hold the word w, and c_wd the count of w in document d:

    w_wd = (1 + ln c_wd) · ln(n / d_w) / sqrt(‖d‖)        ‖d‖: the length of d's vector of tf · idf

Each word keeps its strongest concepts, and its vector is brought to length 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as f

from purport.pipeline.tables import PARTITIONS, WORD_COUNTS, WORD_ROWS, record_batch
from purport.relatedness.stems import stems_of_text


@dataclass(frozen=True, slots=True)
class IndexParameters:
    """What a concept index is made with."""

    concepts_per_word: int = 1000
    fewest_words_per_document: int = 2
    fewest_documents_per_word: int = 1


def numbered_documents(spark: SparkSession, documents: DataFrame) -> DataFrame:
    """Documents under whole numbers from 0 without gaps, in their order; give it a table at rest.

    Spark's own ids have gaps between partitions: the partitions' sizes, of which there are few,
    close them.
    """
    marked = documents.withColumn("partition", f.spark_partition_id()).withColumn(
        "place", f.monotonically_increasing_id()
    )
    sizes = marked.groupBy("partition").agg(f.count("*").alias("size")).collect()
    starts, total = [], 0
    for partition, size in sorted((row.partition, row["size"]) for row in sizes):
        starts.append((partition, total))
        total += size
    offsets = spark.createDataFrame(starts, PARTITIONS)
    return marked.join(f.broadcast(offsets), "partition").select(
        (f.col("start") + f.col("place").bitwiseAND((1 << 33) - 1)).cast("int").alias("concept"),
        "source",
        "title",
        "text",
    )


def word_counts(documents: DataFrame, parameters: IndexParameters) -> DataFrame:
    """How often each word stands in each document; the words of a title count once more."""

    def counted(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            concepts: list[int] = []
            words: list[str] = []
            counts: list[int] = []
            columns = (batch.column(name).to_pylist() for name in ("concept", "title", "text"))
            for concept, title, text in zip(*columns, strict=True):
                found = Counter(stems_of_text(f"{title} {text}"))
                if len(found) >= parameters.fewest_words_per_document:
                    concepts += [concept] * len(found)
                    words += found.keys()
                    counts += found.values()
            yield record_batch(WORD_COUNTS, (concepts, words, counts))

    return documents.select("concept", "title", "text").mapInArrow(counted, WORD_COUNTS)


def weighted_words(counts: DataFrame, documents: int, parameters: IndexParameters) -> DataFrame:
    """The weight of each word in each document; give it a table at rest, it is read twice."""
    frequencies = (
        counts.groupBy("word")
        .agg(f.count("*").alias("frequency"))
        .where(f.col("frequency") >= parameters.fewest_documents_per_word)
    )
    raw = counts.join(frequencies, "word").select(
        "concept",
        "word",
        ((1 + f.log("count")) * f.log(documents / f.col("frequency"))).alias("raw"),
    )
    lengths = raw.groupBy("concept").agg(f.sqrt(f.sum(f.col("raw") ** 2)).alias("length"))
    return (
        raw.join(lengths, "concept")
        .where(f.col("raw") > 0)
        .select("concept", "word", (f.col("raw") / f.sqrt("length")).alias("weight"))
    )


def strongest_concepts(weights: DataFrame, parameters: IndexParameters) -> DataFrame:
    """Of each word, the concepts that it weighs most in; of equals, the first."""
    by_weight = Window.partitionBy("word").orderBy(f.col("weight").desc(), "concept")
    ranked = weights.withColumn("rank", f.row_number().over(by_weight))
    return ranked.where(f.col("rank") <= parameters.concepts_per_word).drop("rank")


def word_rows(weights: DataFrame) -> DataFrame:
    """The table WORD_ROWS: each word with its unit vector, in the order of the words' hashes."""
    vectors = weights.groupBy("word").agg(
        f.sqrt(f.sum(f.col("weight") ** 2)).alias("length"),
        f.array_sort(f.collect_list(f.struct("concept", "weight"))).alias("pairs"),
    )
    rows = vectors.select(
        f.substring(f.sha2("word", 256), 1, 16).alias("hash"),
        "word",
        f.col("pairs.concept").alias("concepts"),
        f.transform("pairs.weight", lambda weight: (weight / f.col("length")).cast("float")).alias(
            "weights"
        ),
    )
    return rows.orderBy("hash", "word").select(*WORD_ROWS.fieldNames())
