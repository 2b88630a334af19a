import pytest

from purport.relatedness.exact import Exact
from purport.relatedness.measure import Measure
from tests.contracts.measure import MeasureContract


class TestExact(MeasureContract):
    @pytest.fixture
    def measure(self) -> Measure:
        return Exact()


def test_other_words_are_unrelated() -> None:
    assert Exact().score("parking", "garage") == 0
