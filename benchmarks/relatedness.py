"""How quick and how good are the measures over the default space?

The human ratings are not part of the project: `PURPORT_GOLD` names a folder of files `EN-*.txt`
with a word, another word and a rating on each line.
"""

import random
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.attribute_pairs import attribute_pairs, is_first
from benchmarks.finding import Finding, microseconds, quickest_seconds
from benchmarks.gold import agreements, gold_files
from purport.relatedness.catalogue import MeasureSettings, defaults_are_made, load_measure
from purport.relatedness.concept_space import ConceptSpace, default_space_folder
from purport.relatedness.esa import Esa
from purport.relatedness.fitting import RatedPairs, calibrate
from purport.relatedness.measure import Measure
from purport.relatedness.score_table import ScoreTable

PAIRS = 100_000
LOOKED_UP = 5_000_000
ABOVE_ESA = 0.02


def findings() -> Iterator[Finding]:
    if not defaults_are_made():
        yield Finding("the default space is not there: make space", "-")
        return
    settings = MeasureSettings()
    folder = default_space_folder()
    opening = quickest_seconds(lambda: ConceptSpace.open(folder))
    yield Finding("open the default space", f"{opening * 1e3:.1f} ms", "100 ms", opening <= 0.1)
    size = sum(path.stat().st_size for path in folder.iterdir()) / 1e6
    yield Finding("size on disk", f"{size:.1f} MB", "25 MB", size <= 25)
    asked, given = _words(settings)
    for name in ("esa", "calibrated"):
        seconds = quickest_seconds(partial(_fresh_scores, name, asked, given), runs=3)
        what = f"{name}: {len(asked):,} x {len(given)} terms not seen before"
        yield Finding(what, f"{seconds:.2f} s", "3 s", seconds <= 3)
    yield from _cached(settings.esa(), asked, given)
    yield from _real_names()
    yield from agreements(settings.esa(), "esa", {"EN-WS-353-ALL.txt": 0.72, "EN-RG-65.txt": 0.78})
    yield from _calibration(settings)


def _fresh_scores(name: str, asked: Sequence[str], given: Sequence[str]) -> object:
    """What a measure makes of terms when it has just been opened."""
    return load_measure(name).matrix(asked, given)


def _words(settings: MeasureSettings) -> tuple[Sequence[str], Sequence[str]]:
    """2,000 and 300 words, drawn from those of WordNet."""
    wordnet = settings.wordnet()
    words = sorted(word for word in wordnet.words() if word.isalpha())
    drawn = random.Random(1).sample(words, 2300)
    return drawn[:2000], drawn[2000:]


def _cached(esa: Esa, asked: Sequence[str], given: Sequence[str]) -> Iterator[Finding]:
    esa.score("parking", "garage")
    repeated = quickest_seconds(lambda: [esa.score("parking", "garage") for _ in range(PAIRS)])
    yield microseconds("a pair that was scored before, from Python", repeated / PAIRS, 1)
    table = ScoreTable(esa)
    numbers = table.numbers(asked, given)
    assert numbers is not None
    drawn = np.random.default_rng(1)
    rows, columns = (drawn.choice(some, LOOKED_UP) for some in numbers)
    seconds = quickest_seconds(lambda: table.look_up(rows, columns))
    taken = seconds / LOOKED_UP * 1e9
    yield Finding(
        "a pair that was scored before, in a batch", f"{taken:.0f} ns", "50 ns", taken <= 50
    )


def _real_names() -> Iterator[Finding]:
    pairs = attribute_pairs()
    measures: dict[str, Measure] = {
        "esa": load_measure("esa"),
        "calibrated, names read as values": load_measure("calibrated"),
        "calibrated": MeasureSettings().calibrated().attributes,
    }
    for name, measure in measures.items():
        share = sum(is_first(measure, pair) for pair in pairs) / len(pairs)
        what = f"the right key first, of {len(pairs)} ({name})"
        if name == "calibrated":
            yield Finding(what, f"{share:.0%}", "80%", share >= 0.8)
        else:
            yield Finding(what, f"{share:.0%}")


def _calibration(settings: MeasureSettings) -> Iterator[Finding]:
    """What the calibrated measure makes of pairs that it was not fitted on."""
    chosen = [path for path in gold_files() if path.name in ("EN-WS-353-ALL.txt", "EN-RG-65.txt")]
    if not chosen:
        return
    features = settings.calibrated().words.features
    for agreement in calibrate(features, [RatedPairs.read(path) for path in chosen]).agreements:
        bar = agreement.esa + ABOVE_ESA
        yield Finding(
            f"calibrated, left out: agreement with {Path(agreement.name).stem}",
            f"{agreement.calibrated:.3f}",
            f"{bar:.3f}, esa + {ABOVE_ESA}",
            agreement.calibrated >= bar,
        )
