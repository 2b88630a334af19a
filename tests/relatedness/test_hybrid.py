from collections.abc import Mapping
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from purport import load_measure
from purport.relatedness.esa import Esa
from purport.relatedness.hybrid import BEST_RANKED, Hybrid
from purport.relatedness.measure import EventMeasure, Measure
from tests.contracts.event_measure import EventMeasureContract
from tests.contracts.measure import MeasureContract
from tests.relatedness.spaces import small_space
from tests.strategies.pairwise import Pairwise


class TestHybridOfAttributes(EventMeasureContract):
    @pytest.fixture
    def measure(self) -> EventMeasure:
        found = load_measure("hybrid")
        assert isinstance(found, EventMeasure)
        return found


class TestHybridOfValues(MeasureContract):
    @pytest.fixture
    def measure(self) -> Measure:
        return load_measure("hybrid")


@dataclass(frozen=True)
class Given(Pairwise):
    """A measure whose scores with one term are given."""

    scores: Mapping[str, float]

    def score(self, left: str, right: str) -> float:
        return self.scores[right]


scores = st.lists(
    st.tuples(st.sampled_from([0.0, 0.1, 0.3, 0.7, 1.0]), st.floats(0, 1)), min_size=1, max_size=9
)


@given(scores)
def test_it_is_equation_14_of_debs12(pairs: list[tuple[float, float]]) -> None:
    event = [f"p{number}" for number in range(len(pairs))]
    jiang_conrath = dict(zip(event, (near for near, _ in pairs), strict=True))
    esa = dict(zip(event, (near for _, near in pairs), strict=True))

    found = Hybrid(Given(esa), Given(jiang_conrath)).rows("s", event)

    for attribute, score in zip(event, found, strict=True):
        rank = 1 + sum(near > jiang_conrath[attribute] for near in jiang_conrath.values())
        wanted = min(1.0, (5 - rank + 1) * esa[attribute]) if rank <= BEST_RANKED else 0.0
        assert score == pytest.approx(wanted)


def test_a_better_rank_outweighs_a_little_esa() -> None:
    event = ["venue", "date"]
    hybrid = Hybrid(Given({"venue": 0.1, "date": 0.15}), Given({"venue": 0.9, "date": 0.2}))

    assert hybrid.rows("place", event) == pytest.approx([0.5, 0.6])
    assert hybrid.score("place", "venue") == 0.1


def test_values_are_compared_by_esa(tmp_path_factory: pytest.TempPathFactory) -> None:
    esa = Esa(small_space(tmp_path_factory.mktemp("s") / "space"))

    assert Hybrid(esa, esa).score("parking", "garage") == esa.score("parking", "garage")
