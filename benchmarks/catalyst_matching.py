"""Approximate matching in Spark's own expressions, as well as they let one write it.

Scores are known beforehand: a table says of every statement of words which predicates it answers,
and how well. Statements are exploded and joined with it (broadcast), bounds on numbers likewise;
what an event's statements give a predicate is brought together in one exchange.
"""

from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from benchmarks.matching_workload import WORDS, MatchingWorkload
from purport.matching.lines import line_of
from purport.matching.measures import Measures
from purport.model.comparison import Operator
from purport.model.event import Event, Statement
from purport.model.subscription import AskedValue, Comparison
from purport.model.term import Text
from purport.model.units import Quantity
from purport.pipeline.session import spark_address

_MOST_STATEMENTS = 10_000
_THRESHOLD = 0.5


class CatalystMatcher:
    """The subscriptions of a workload as tables."""

    def __init__(self, spark: SparkSession, workload: MatchingWorkload, measures: Measures) -> None:
        self._spark = spark
        said = list(
            dict.fromkeys(pair for one in workload.events for pair in list(one.items())[:WORDS])
        )
        statements = [Statement(Text(name), Text(str(value))) for name, value in said]
        answers, bounds, sizes = [], [], []
        for number, subscription in enumerate(workload.subscriptions):
            sizes.append((number, subscription.name, len(subscription.predicates)))
            for place, predicate in enumerate(subscription.predicates):
                bound = _bound(predicate)
                if bound is not None:
                    bounds.append((number, place, *bound))
                    continue
                line = line_of(predicate, measures, None)  # type: ignore[arg-type]
                for start in range(0, len(statements), _MOST_STATEMENTS):
                    some = statements[start : start + _MOST_STATEMENTS]
                    scores, allowed = line.similarities(Event(tuple(some)))
                    answers += [
                        (*said[start + at], number, place, float(scores[at]))
                        for at in range(len(some))
                        if allowed[at] and scores[at] > 0.01
                    ]
        self._answers = spark.createDataFrame(
            answers, "name string, said string, subscription int, predicate int, score double"
        )
        self._bounds = spark.createDataFrame(
            bounds, "subscription int, predicate int, above boolean, bound double"
        )
        self._sizes = spark.createDataFrame(sizes, "subscription int, label string, size int")

    def matches(self, folder: Path) -> DataFrame:
        """The matches of the events in a folder of JSON lines."""
        lines = self._spark.read.text(spark_address(folder))
        told = lines.select(f.from_json("value", "map<string,string>").alias("told"))
        events = told.select(f.col("told")["@id"].alias("event_id"), "told")
        statements = events.select("event_id", f.explode("told").alias("name", "said"))
        words = statements.join(f.broadcast(self._answers), ["name", "said"]).select(
            "event_id", "subscription", "predicate", "score"
        )
        value = f.col("told")["value"].cast("double")
        bounded = f.when(f.col("above"), value > f.col("bound")).otherwise(value < f.col("bound"))
        numbers = events.join(f.broadcast(self._bounds), bounded).select(
            "event_id", "subscription", "predicate", f.lit(1.0).alias("score")
        )
        best = (
            words.unionAll(numbers)
            .repartition("event_id")
            .groupBy("event_id", "subscription", "predicate")
            .agg(f.max("score").alias("score"))
        )
        totals = best.groupBy("event_id", "subscription").agg(
            f.count("*").alias("answered"), f.sum(1 / f.col("score")).alias("total")
        )
        return (
            totals.join(f.broadcast(self._sizes), "subscription")
            .where(f.col("answered") == f.col("size"))
            .withColumn("probability", f.col("size") / f.col("total"))
            .where(f.col("probability") >= _THRESHOLD - 5e-7)
            .select("event_id", f.col("label").alias("subscription"), "probability")
        )


def _bound(predicate: object) -> tuple[bool, float] | None:
    match predicate:
        case Comparison(_, operator, AskedValue(Quantity() as quantity)) if operator in (
            Operator.GREATER,
            Operator.LESS,
        ):
            return operator is Operator.GREATER, float(quantity.magnitude)
    return None
