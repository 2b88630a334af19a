"""Scores tabulated on Spark, against those of the measure."""

from pathlib import Path

import numpy as np
import pytest
from pyspark.sql import DataFrame, SparkSession

from purport.errors import InvalidInput
from purport.pipeline.jobs.tabulate_scores import TabulateScores
from purport.relatedness.esa import Esa
from purport.relatedness.score_table import ScoreTable
from tests.relatedness.spaces import small_space

ASKED = ["parking", "energy consumption", "xyzzy"]
GIVEN = ["garage", "power", "laptop computer", "weather", "garage", "", "停车场"]


def terms(spark: SparkSession, words: list[str]) -> DataFrame:
    return spark.createDataFrame([(word,) for word in words], "term string")


def test_the_table_holds_the_measures_scores(spark: SparkSession, tmp_path: Path) -> None:
    esa = Esa(small_space(tmp_path / "space"))
    job = TabulateScores(ScoreTable(esa, tmp_path / "table"), ASKED)

    assert job.run(spark, terms(spark, GIVEN)) == len(set(GIVEN))

    again = ScoreTable(esa, tmp_path / "table")
    assert again.known_given(ASKED) == set(GIVEN)
    assert again.matrix(ASKED, GIVEN) == pytest.approx(esa.matrix(ASKED, GIVEN), abs=1e-6)


def test_run_again_it_scores_only_what_is_new(spark: SparkSession, tmp_path: Path) -> None:
    table = ScoreTable(Esa(small_space(tmp_path / "space")), tmp_path / "table")

    assert TabulateScores(table, ASKED).run(spark, terms(spark, GIVEN[:3])) == 3
    assert TabulateScores(table, ASKED).run(spark, terms(spark, GIVEN[:4])) == 1
    assert TabulateScores(table, ASKED).run(spark, terms(spark, GIVEN[:4])) == 0
    assert TabulateScores(table, [*ASKED, "wind"]).run(spark, terms(spark, GIVEN[:4])) == 4
    assert np.isfinite(table.matrix([*ASKED, "wind"], GIVEN[:4])).all()


def test_a_full_table_is_told(spark: SparkSession, tmp_path: Path) -> None:
    table = ScoreTable(Esa(small_space(tmp_path / "space")), tmp_path / "table", most_cells=4)

    with pytest.raises(InvalidInput, match="the table is full: 4 scores are its bound"):
        TabulateScores(table, ASKED).run(spark, terms(spark, GIVEN))
