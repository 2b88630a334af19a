"""What a sweep leaves behind: a folder with the runs, pictures and a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import msgspec

from purport import inline_plots
from purport.errors import MissingExtra, UnusablePath
from purport.evaluation.semps.figures import Run
from purport.evaluation.semps.grid import Point
from purport.evaluation.semps.page_report import Findings, page_of
from purport.evaluation.semps.pictures import write_pictures
from purport.evaluation.semps.statements import Judgement
from purport.network.scenario import Scenario
from purport.whole_file import write_whole

PAGE, RUNS, SCENARIOS = "report.html", "runs.jsonl", "scenarios.jsonl"


def write_report(folder: Path, findings: Findings, runs: Sequence[Run]) -> Path:
    """Write everything; the path of the page. Without Matplotlib there are no pictures."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / RUNS, _lines(map(run_row, runs)))
        write_whole(folder / SCENARIOS, _lines(_scenario_rows(findings.scenarios)))
        write_whole(folder / PAGE, page_of(findings).encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise UnusablePath(folder, error.strerror or str(error)) from None
    if pictures_missing() is None:
        write_pictures(folder, findings.films[0], findings.first, findings.title)
    return folder / PAGE


def pictures_missing() -> MissingExtra | None:
    """Why a report would be without pictures, if it would."""
    try:
        inline_plots.require()
    except MissingExtra as missing:
        return missing
    return None


def run_row(run: Run) -> dict[str, Any]:
    """A run as a line of JSON has it: its point of the grid first."""
    return {"point": dict(run.point.settings), **asdict(run.figures)}


def judgement_row(one: Judgement) -> dict[str, Any]:
    """What came of one of the paper's statements, as a line of JSON has it."""
    difference = one.difference
    return {
        "point": dict(one.point.settings),
        "statement": one.statement.text,
        "verdict": one.verdict.value,
        "difference": None if difference is None else difference.mean,
        "half_width": None if difference is None else difference.half_width,
    }


def _scenario_rows(scenarios: Mapping[Point, Scenario]) -> list[dict[str, Any]]:
    return [
        {"point": dict(point.settings), "scenario": asdict(scenario)}
        for point, scenario in scenarios.items()
    ]


def _lines(rows: Any) -> bytes:
    return msgspec.json.Encoder(enc_hook=str).encode_lines(list(rows))
