"""The table and the curves that outcomes come to."""

from dataclasses import replace

import pytest

from purport.evaluation.toit14.experiment import Approximate, Cell, Outcome, Rewriting
from purport.evaluation.toit14.report import Contender, curves, marks, standings, table
from purport.evaluation.toit14.thesaurus import CURATED, ThesaurusChoice
from purport.evaluation.toit14.workload import WorkloadSettings
from purport.matching.plan import Mode
from purport.relatedness.wordnet_neighbours import Neighbour

SYNONYMS, ALL = (Neighbour.SYNONYM,), tuple(Neighbour)
MARKED = ThesaurusChoice(marks=("r",))


def outcome(
    seed: int, degree: float, matcher: Approximate | Rewriting, f1: float, needed: float = 100
) -> Outcome:
    rules = 100 if needed == 100 else 300
    return Outcome(Cell(WorkloadSettings(seed), degree, matcher), f1, f1, f1, f1, rules, needed)


OURS = Approximate(Mode.DEFAULT)
OUTCOMES = [
    outcome(1, 0.5, OURS, 0.9),
    outcome(2, 0.5, OURS, 0.94),
    outcome(1, 0.5, Rewriting(SYNONYMS), 0.8, 1e9),
    outcome(2, 0.5, Rewriting(SYNONYMS), 0.8, 1e9),
    outcome(1, 0.5, Rewriting(ALL), 0.7, 1e12),
    outcome(2, 0.5, Rewriting(ALL), 0.85, 1e12),
    outcome(1, 0.5, Rewriting(ALL, None), 0.88, 1e12),
    outcome(1, 1.0, OURS, 0.7),
]
FOR_MARKED = [replace(one, f1=1.0, cell=replace(one.cell, thesaurus=MARKED)) for one in OUTCOMES]


def test_the_best_rewriting_is_that_with_the_best_mean_over_seeds() -> None:
    found = standings(OUTCOMES, CURATED)

    assert [(one.degree, one.contender, one.expansion) for one in found] == [
        (0.5, Contender.OURS, ""),
        (0.5, Contender.REWRITING, "synonyms"),
        (0.5, Contender.UNBOUNDED, "synonyms, hypernyms, hyponyms"),
        (1.0, Contender.OURS, ""),
    ]
    assert found[0].f1 == pytest.approx((90, 94))
    assert found[0].mean == pytest.approx(92)


def test_each_thesaurus_has_a_table_of_its_own() -> None:
    every = [*OUTCOMES, *FOR_MARKED]

    assert standings(every, CURATED) == standings(OUTCOMES, CURATED)
    assert all(one.mean == 100 for one in standings(every, MARKED))


def test_the_table_stands_beside_what_was_published_and_tells_a_bound_that_was_met() -> None:
    title, header, *lines = table(CURATED, standings(OUTCOMES, CURATED)).splitlines()

    assert title == "curated thesaurus, all pairs"
    assert header.index("published") == lines[0].index("94-97")
    assert "50%  ours" in lines[0]
    assert "92.0  (90.0 to 94.0)" in lines[0]
    assert "300 of 1e+09" in lines[1]
    assert lines[1].endswith("89-92")
    assert lines[2].strip() == "by synonyms"
    assert "1e+12 in principle" in lines[3]
    assert "100%  ours" in lines[5]
    assert lines[-1].startswith("The bound on rules was met")


def test_nothing_is_said_of_a_bound_that_was_not_met() -> None:
    told = table(CURATED, standings([outcome(1, 0.5, Rewriting(SYNONYMS), 0.8)], CURATED))

    assert "bound" not in told


def test_curves_run_over_degrees_in_percent() -> None:
    ours, rival, unbounded = curves(standings(OUTCOMES, CURATED))

    assert ours.xs == (50, 100)
    assert ours.ys == pytest.approx((92, 70))
    assert ours.lows == pytest.approx((90, 70))
    assert rival.label == "rewriting"
    assert unbounded.xs == (50,)
    assert {(one.x, one.low) for one in marks()} == {(50, 94), (90, 90), (100, 40), (50, 89)}
