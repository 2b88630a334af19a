"""Where the statements about blank nodes belong: below the one statement that leads to the node."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from purport.pipeline.dump.lines import BLANK
from purport.pipeline.tables import PLACED_STATEMENTS

MOST_NESTED = 4  # blank nodes, one below the other


def placed_statements(statements: DataFrame) -> DataFrame:
    """Statements at the top of an event, about their own subject."""
    path = f.lit(None).cast(PLACED_STATEMENTS["path"].dataType)
    leads_to_blank = f.coalesce(f.col("node").startswith(BLANK), f.lit(False))
    placed = statements.where(~leads_to_blank).withColumn("path", path)
    return placed.select(*PLACED_STATEMENTS.fieldNames())


def nested_statements(statements: DataFrame, places: DataFrame) -> DataFrame:
    """Statements with those about a blank node moved to its place, if it has one."""
    is_blank = f.col("subject").startswith(BLANK)
    named = placed_statements(statements.where(~is_blank))
    about_blank = placed_statements(statements.where(is_blank)).drop("path")
    moved = about_blank.join(places, f.col("subject") == f.col("below"), "left").where(
        f.coalesce(~f.col("is_lost"), f.lit(True))
    )
    columns = {
        "subject": f.coalesce(f.col("above"), f.col("subject")),
        "is_of_kind": f.col("is_of_kind") & f.col("path").isNull(),
    }
    return named.unionAll(moved.withColumns(columns).select(*PLACED_STATEMENTS.fieldNames()))


def lost_nodes(statements: DataFrame, places: DataFrame) -> DataFrame:
    """Blank nodes that statements are about and that have no place, as dead letters."""
    lost = places.where("is_lost").join(
        statements.select(f.col("subject").alias("below")), "below", "left_semi"
    )
    reason = f"blank nodes nested more than {MOST_NESTED} deep, or in a circle"
    file_begins = f.locate(" ", f.col("below")) + 1
    return lost.select(
        f.substr(f.col("below"), file_begins).alias("source"),
        f.lit(0).cast("long").alias("offset"),
        f.lit(reason).alias("reason"),
        f.substring_index("below", " ", 1).alias("text"),
    )


def places_of(steps: DataFrame) -> DataFrame:
    """For each blank node the subject that it ends up `below`: climbed to, step by step.

    Where no step starts from a blank node, as in most dumps, there is nothing to climb.
    """
    is_flat = steps.where(f.col("above").startswith(BLANK)).isEmpty()
    places = steps
    for _ in range(0 if is_flat else MOST_NESTED):
        higher = steps.select(
            f.col("below").alias("step"),
            f.col("above").alias("higher"),
            f.col("path").alias("way"),
        )
        places = places.join(higher, f.col("above") == f.col("step"), "left").select(
            "below",
            f.coalesce(f.col("higher"), f.col("above")).alias("above"),
            f.when(f.col("way").isNull(), f.col("path"))
            .otherwise(f.concat("way", "path"))
            .alias("path"),
        )
    return places.withColumn("is_lost", f.size("path") > MOST_NESTED)


def steps_to_blanks(statements: DataFrame) -> DataFrame:
    """The blank nodes that one statement leads to, with it; two or none make no place."""
    naming = f.struct("subject", "attribute")
    ways = (
        statements.where(f.col("node").startswith(BLANK))
        .groupBy(f.col("node").alias("below"))
        .agg(f.min(naming).alias("first"), f.max(naming).alias("last"))
    )
    step = f.struct(f.col("first.attribute").alias("attribute"), f.col("below").alias("node"))
    return ways.where(f.col("first") == f.col("last")).select(
        "below", f.col("first.subject").alias("above"), f.array(step).alias("path")
    )
