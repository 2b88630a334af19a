from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from purport.relatedness import phrases
from purport.relatedness.phrases import (
    Phrase,
    Wordwise,
    mean_of_best,
    value_phrase,
    weakest_of_best,
)
from tests.oracles.phrase_scores import mean_both_ways, weakest
from tests.strategies.pairwise import Pairwise

WORDS = ("garage", "energy", "room", "floor", "laptop", "first", "second")


@dataclass(frozen=True)
class LetterWords(Pairwise):
    """Words are near when they share letters; `first` and `second` never stand for each other."""

    identity: str = "letters"

    def score(self, left: str, right: str) -> float:
        return len(set(left) & set(right)) / len(set(left) | set(right))

    def is_guarded(self, left: str, right: str) -> bool:
        return {left, right} == {"first", "second"}

    def guarded(self, left: Sequence[str], right: Sequence[str]) -> NDArray[np.bool_]:
        return np.array([[self.is_guarded(a, b) for b in right] for a in left])

    def merged(self, phrase: Phrase) -> Phrase:
        return phrase


terms = st.lists(st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join), max_size=6)


@given(terms, terms, st.sampled_from([1, 2, 1024]))
def test_phrases_score_as_in_plain_loops(left: list[str], right: list[str], block: int) -> None:
    words = LetterWords()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(phrases, "_TERMS_AT_ONCE", block)
        for rule, oracle in ((weakest_of_best, weakest), (mean_of_best, mean_both_ways)):
            found = Wordwise(words, rule).matrix(left, right)
            for row, ours in enumerate(map(value_phrase, left)):
                for column, theirs in enumerate(map(value_phrase, right)):
                    if ours == theirs:
                        wanted = 1.0
                    elif not ours or not theirs:
                        wanted = 0.0
                    else:
                        wanted = oracle(ours, theirs, words.score, words.is_guarded)
                    assert found[row, column] == pytest.approx(wanted)


@dataclass(frozen=True)
class MergingWords(LetterWords):
    """`car park` is one word, and the same as `parking`."""

    def score(self, left: str, right: str) -> float:
        return 1.0 if left == right or {left, right} == {"car park", "parking"} else 0.0

    def merged(self, phrase: Phrase) -> Phrase:
        joined = " ".join(phrase).replace("car park", "car_park").split()
        return tuple(word.replace("_", " ") for word in joined)


def test_the_better_reading_of_a_phrase_counts() -> None:
    measure = Wordwise(MergingWords(), weakest_of_best)

    assert measure.score("car park", "parking") == 1
    assert measure.score("parking", "car park") == 1
    assert measure.score("park car", "parking") == 0
    assert measure.score("car park", "park of the car") == 1


def test_words_that_say_nothing_are_left_out() -> None:
    assert value_phrase("the temperature of a room") == ("temperature", "room")
    assert value_phrase("of the") == ("of", "the")
