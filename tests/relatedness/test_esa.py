import pickle

import pytest

from purport.relatedness.esa import Esa
from purport.relatedness.measure import Measure
from tests.contracts.measure import MeasureContract
from tests.relatedness.spaces import small_space


@pytest.fixture(scope="module")
def esa(tmp_path_factory: pytest.TempPathFactory) -> Esa:
    return Esa(small_space(tmp_path_factory.mktemp("spaces") / "small"))


class TestEsa(MeasureContract):
    @pytest.fixture
    def measure(self, esa: Esa) -> Measure:
        return esa


def test_words_of_one_topic_are_nearer_than_words_of_two(esa: Esa) -> None:
    assert esa.score("parking", "garage") > esa.score("parking", "energy")
    assert esa.score("laptop", "computer") > esa.score("laptop", "weather")


def test_forms_of_a_word_say_the_same(esa: Esa) -> None:
    assert esa.score("parkingSpaces", "parking space") == 1
    assert esa.score("energy_consumption", "energy consumption") == 1


def test_the_concepts_behind_a_score_add_up_to_it(esa: Esa) -> None:
    shared = esa.shared_concepts("parking", "garage", most=1000)

    assert {concept.title for concept in shared} == {"Car park", "Garage"}
    assert sum(concept.share for concept in shared) == pytest.approx(
        esa.score("parking", "garage"), abs=1e-6
    )


def test_a_phrase_lies_between_its_words(esa: Esa) -> None:
    alone = esa.score("energy", "electricity"), esa.score("parking", "electricity")

    assert min(alone) < esa.score("energy parking", "electricity") < max(alone)


def test_the_space_is_not_copied_when_the_measure_is_sent(esa: Esa) -> None:
    assert len(pickle.dumps(esa)) < 1000
