"""Sweeps on Spark: a table of scenarios and seeds in, a table of figures out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
from pyspark.sql import DataFrame, Row, SparkSession

from purport.evaluation.semps.figures import Figures, Run
from purport.evaluation.semps.grid import Cell, Point
from purport.evaluation.semps.running import run_cell
from purport.network.scenario import Scenario
from purport.network.scenario_file import scenario_of
from purport.pipeline.tables import SIMULATED, SIMULATIONS, record_batch_of_rows


def run_cells_on(spark: SparkSession, cells: Sequence[Cell]) -> list[Run]:
    """The figures of each cell, in their order; each is a task of its own."""
    rows = simulated(simulations(spark, cells)).collect()
    found = {row.run: _figures(row) for row in rows}
    return [Run(cell.point, found[number]) for number, cell in enumerate(cells)]


def simulations(spark: SparkSession, cells: Sequence[Cell]) -> DataFrame:
    """Table SIMULATIONS, a partition for each row."""
    rows = [(number, scenario_text(cell.scenario), cell.seed) for number, cell in enumerate(cells)]
    return spark.createDataFrame(spark.sparkContext.parallelize(rows, len(rows)), SIMULATIONS)


def simulated(runs: DataFrame) -> DataFrame:
    """Table SIMULATED."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for row in batch.to_pylist():
                cell = Cell(Point(), scenario_from(row["scenario"]), row["seed"])
                found = run_cell(cell, lambda now: None)
                values = tuple(getattr(found, name) for name in _FIGURES)
                yield record_batch_of_rows(SIMULATED, [(row["run"], *values)])

    return runs.mapInArrow(run, SIMULATED)


def scenario_text(scenario: Scenario) -> str:
    """All options of a scenario, as JSON."""
    return msgspec.json.encode(scenario, enc_hook=_path).decode()


def scenario_from(text: str) -> Scenario:
    """And back."""
    return scenario_of(msgspec.json.decode(text))


_FIGURES = tuple(field.name for field in fields(Figures))
_LISTS = ("hops", "alive_after", "alive")


def _figures(row: Row) -> Figures:
    told = {name: row[name] for name in _FIGURES}
    return Figures(**told | {name: tuple(told[name]) for name in _LISTS})


def _path(value: Any) -> str:
    if isinstance(value, Path):
        return str(value.absolute())
    raise NotImplementedError(f"{type(value).__name__} in a scenario")
