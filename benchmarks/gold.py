"""Human ratings that a measure is held against; they are not part of the project."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from scipy.stats import spearmanr

from benchmarks.finding import Finding
from purport.relatedness.fitting import RatedPairs
from purport.relatedness.measure import Measure


def gold_files() -> list[Path]:
    """The files `EN-*.txt` in the folder that `PURPORT_GOLD` names; none without it."""
    folder = os.environ.get("PURPORT_GOLD")
    return sorted(Path(folder).glob("EN-*.txt")) if folder else []


def agreements(measure: Measure, name: str, bars: Mapping[str, float]) -> Iterator[Finding]:
    """Spearman's correlation with each file's ratings; words that nobody knows score 0."""
    for path in gold_files():
        pairs = RatedPairs.read(path).pairs
        scores = [measure.score(one.left, one.right) for one in pairs]
        correlation = float(spearmanr(scores, [one.rating for one in pairs]).statistic)
        least = bars.get(path.name)
        yield Finding(
            f"{name}: agreement with {path.stem} ({len(pairs)} pairs)",
            f"{correlation:.3f}",
            "" if least is None else f"{least}",
            None if least is None else correlation >= least,
        )
