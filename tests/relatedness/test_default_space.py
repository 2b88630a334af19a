"""The default space, as `make space` makes it."""

import pytest

from purport import load_measure
from purport.relatedness.concept_space import ConceptSpace, default_space_folder
from purport.relatedness.measure import Measure
from tests.contracts.measure import MeasureContract


class TestEsaOverTheDefaultSpace(MeasureContract):
    @pytest.fixture
    def measure(self) -> Measure:
        return load_measure("esa")


def test_it_says_where_its_texts_come_from() -> None:
    space = ConceptSpace.open(default_space_folder())

    assert [(source.name, source.documents) for source in space.manifest.sources] == [
        ("wordnet-3.0", 117_659),
        ("wikipedia-leads.jsonl", 10_033),
    ]
    assert all(source.licence != "not stated" for source in space.manifest.sources)


def test_it_is_small() -> None:
    size = sum(path.stat().st_size for path in default_space_folder().iterdir())

    assert size < 25_000_000


def test_parking_is_nearer_to_a_garage_than_to_energy() -> None:
    esa = load_measure("esa")

    assert esa.score("parking", "garage") > esa.score("parking", "energy")
