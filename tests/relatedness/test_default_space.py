"""The default space, as `make space` makes it."""

from pathlib import Path

import pytest

from purport import load_measure
from purport.relatedness.catalogue import default_space_is_made, defaults_are_made
from purport.relatedness.concept_space import SPACES, ConceptSpace, default_space_folder
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


def test_a_default_that_cannot_be_opened_counts_as_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert defaults_are_made()
    monkeypatch.setenv("PURPORT_CACHE", str(tmp_path))
    assert not defaults_are_made()
    default_space_folder().mkdir(parents=True)
    (default_space_folder() / "weights.bin").write_bytes(b"left over")
    assert not default_space_is_made()
    SPACES.require_place(default_space_folder())


def test_it_is_small() -> None:
    size = sum(path.stat().st_size for path in default_space_folder().iterdir())

    assert size < 25_000_000


def test_parking_is_nearer_to_a_garage_than_to_energy() -> None:
    esa = load_measure("esa")

    assert esa.score("parking", "garage") > esa.score("parking", "energy")
