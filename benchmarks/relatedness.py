"""How quick and how good is the default concept space?

The human ratings are not part of the project: `PURPORT_GOLD` names a folder of files `EN-*.txt`
with a word, another word and a rating on each line.
"""

import os
import random
from collections.abc import Iterator
from pathlib import Path

from scipy.stats import spearmanr

from benchmarks.measure import Finding, microseconds, quickest_seconds
from purport.relatedness.concept_space import ConceptSpace, default_space_folder
from purport.relatedness.esa import Esa

PAIRS = 100_000


def findings() -> Iterator[Finding]:
    folder = default_space_folder()
    if not folder.is_dir():
        yield Finding("the default space is not there: make space", "-")
        return
    opening = quickest_seconds(lambda: ConceptSpace.open(folder))
    yield Finding("open the default space", f"{opening * 1e3:.1f} ms", "100 ms", opening <= 0.1)
    esa = Esa(ConceptSpace.open(folder))
    esa.score("parking", "garage")
    repeated = quickest_seconds(lambda: [esa.score("parking", "garage") for _ in range(PAIRS)])
    yield microseconds("a pair that was scored before", repeated / PAIRS, 1)
    words = random.Random(1).sample(range(esa.space.manifest.words), 2300)
    terms = [esa.space.row(number).word for number in words]
    unseen = quickest_seconds(lambda: Esa(esa.space).matrix(terms[:2000], terms[2000:]), runs=3)
    yield Finding("2,000 x 300 terms not seen before", f"{unseen:.2f} s", "3 s", unseen <= 3)
    size = sum(path.stat().st_size for path in folder.iterdir()) / 1e6
    yield Finding("size on disk", f"{size:.1f} MB", "25 MB", size <= 25)
    if "PURPORT_GOLD" in os.environ:
        for path in sorted(Path(os.environ["PURPORT_GOLD"]).glob("EN-*.txt")):
            yield _agreement(esa, path)


def _agreement(esa: Esa, path: Path) -> Finding:
    """Spearman's correlation with the ratings; words that are not in the space score 0."""
    rows = [line.split() for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    scores = [esa.score(left, right) for left, right, _ in rows]
    correlation = float(spearmanr(scores, [float(rating) for *_, rating in rows]).statistic)
    least = {"EN-WS-353-ALL.txt": 0.72, "EN-RG-65.txt": 0.78}.get(path.name)
    what = f"agreement with {path.stem} ({len(rows)} pairs)"
    if least is None:
        return Finding(what, f"{correlation:.3f}")
    return Finding(what, f"{correlation:.3f}", f"{least}", correlation >= least)
