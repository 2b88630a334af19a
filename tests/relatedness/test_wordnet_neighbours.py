import random

import pytest

from purport.relatedness.catalogue import MeasureSettings
from purport.relatedness.wordnet import WordNet
from purport.relatedness.wordnet_neighbours import Neighbour, neighbours
from tests.relatedness.wordnets import small_wordnet

SYNONYM, HYPERNYM, HYPONYM = Neighbour


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> WordNet:
    return small_wordnet(tmp_path_factory.mktemp("small"))


def test_each_kind_of_neighbour_can_be_asked_for(small: WordNet) -> None:
    assert neighbours(small, "automobile", [SYNONYM]) == ("car",)
    assert neighbours(small, "automobile", [HYPERNYM]) == (
        "vehicle", "conveyance", "place", "car park",
    )  # fmt: skip
    assert neighbours(small, "vehicle", [HYPONYM]) == ("car", "automobile", "bus")
    assert neighbours(small, "vehicle", []) == ()


def test_the_words_of_the_most_common_sense_come_first(small: WordNet) -> None:
    found = neighbours(small, "car", [HYPERNYM, SYNONYM])

    assert found == ("automobile", "vehicle", "conveyance", "place", "car park", "bus")


def test_names_are_in_small_letters_and_inflected_forms_are_found(small: WordNet) -> None:
    assert neighbours(small, "spain", [SYNONYM]) == ("kingdom of spain",)
    assert neighbours(small, "automobiles", [SYNONYM]) == ("car", "automobile")
    assert neighbours(small, "xyzzy", list(Neighbour)) == ()


def test_hyponyms_are_hypernyms_the_other_way_round() -> None:
    wordnet = MeasureSettings().wordnet()
    for synset in random.Random(5).sample(range(wordnet.manifest.synsets), 300):
        for kind in wordnet.hypernyms(synset):
            assert synset in wordnet.hyponyms(kind)
        for lower in wordnet.hyponyms(synset):
            assert synset in wordnet.hypernyms(lower)
