"""The job that matches files of events: source -> outcomes -> sink, batch after batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from purport.errors import StreamFailed
from purport.model.subscription import Subscription
from purport.pipeline.jobs.spark_errors import reason_of
from purport.pipeline.matches import outcomes
from purport.pipeline.session import spark_address
from purport.pipeline.sinks.parquet_folder import ParquetFolder
from purport.pipeline.sources.json_lines import JsonLinesFolder


@dataclass(frozen=True, slots=True)
class BatchSummary:
    """What became of one batch: matches by subscription, and how many lines were refused."""

    batch: int
    matches: Mapping[str, int]
    dead_letters: int


@dataclass(frozen=True, slots=True)
class MatchFiles:
    """Reads every file of the source, matches, writes to the sink, and stops at the end.

    The sink's checkpoint remembers what is done: run again, it goes on from there.
    """

    source: JsonLinesFolder
    sink: ParquetFolder
    subscriptions: Sequence[Subscription]

    def run(
        self, spark: SparkSession, on_batch: Callable[[BatchSummary], None] = lambda _: None
    ) -> None:
        """Run to the end of what is there now, telling of each batch as it is done."""

        def finish(batch_outcomes: DataFrame, batch: int) -> None:
            batch_outcomes.persist()
            try:
                self.sink.write(batch_outcomes, batch)
                on_batch(_summary(batch_outcomes, batch))
            finally:
                batch_outcomes.unpersist()

        writer = (
            outcomes(self.source.stream(spark), self.subscriptions)
            .writeStream.foreachBatch(finish)
            .option("checkpointLocation", spark_address(self.sink.checkpoint))
            .trigger(availableNow=True)
        )
        query = None
        try:
            query = writer.start()
            query.awaitTermination()
        except (PySparkException, Py4JJavaError) as error:
            raise StreamFailed(f"the stream stopped: {reason_of(error)}") from error
        finally:
            if query is not None:
                query.stop()


def _summary(batch_outcomes: DataFrame, batch: int) -> BatchSummary:
    counted = batch_outcomes.groupBy("subscription").agg(
        f.count_if(f.col("reason").isNull()).alias("matches"),
        f.count_if(f.col("reason").isNotNull()).alias("dead_letters"),
    )
    rows = counted.collect()
    return BatchSummary(
        batch,
        {row.subscription: row.matches for row in rows if row.subscription is not None},
        sum(row.dead_letters for row in rows),
    )
