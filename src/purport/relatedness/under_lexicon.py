"""Measures under a user's lexicon: terms are read as its rules want, and some pairs never match."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from purport.model.term import Text
from purport.model.words import words_of
from purport.relatedness.attribute_names import attribute_phrase, name_words
from purport.relatedness.lexicon import Lexicon, contains
from purport.relatedness.measure import (
    EventMeasure,
    Measure,
    Scores,
    attribute_measure,
    identity_of,
)
from purport.relatedness.phrases import Phrase

_CACHED_TERMS = 65_536


def under_lexicon(measure: Measure, lexicon: Lexicon) -> WithLexicon:
    """A measure, or an event measure, under a lexicon."""
    if isinstance(measure, EventMeasure):
        return EventMeasureWithLexicon(measure, lexicon)
    return WithLexicon(measure, lexicon)


class WithLexicon:
    """A measure of values under a lexicon; where no rule bears on a term, it is left as it is."""

    def __init__(self, measure: Measure, lexicon: Lexicon) -> None:
        self.measure = measure
        self.lexicon = lexicon
        self._phrase = lru_cache(maxsize=_CACHED_TERMS)(self._read)
        self._text = lru_cache(maxsize=_CACHED_TERMS)(self._written)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.measure, self.lexicon)

    @property
    def identity(self) -> str:
        """The measure's, and what the rules say."""
        return f"{identity_of(self.measure)} under {self.lexicon.identity}"

    @property
    def attributes(self) -> Measure:
        """The same lexicon over what the measure compares attribute names with."""
        return NamesWithLexicon(attribute_measure(self.measure), self.lexicon)

    def score(self, left: str, right: str) -> float:
        """How related two terms are."""
        if self.lexicon.keeps_apart(self._phrase(left), self._phrase(right)):
            return 0.0
        return self.measure.score(self._text(left), self._text(right))

    def matrix(self, left: Sequence[str], right: Sequence[str]) -> Scores:
        """Scores of every pair."""
        scores = self.measure.matrix([*map(self._text, left)], [*map(self._text, right)])
        for one, other in self.lexicon.never:
            for asked, given in ((one, other), (other, one)):
                rows = self._with_but_without(left, asked, given)
                scores[np.ix_(rows, self._with_but_without(right, given, asked))] = 0.0
        return scores

    def _read(self, term: str) -> Phrase:
        """The words of a term under the rules."""
        return self.lexicon.rewritten(words_of(Text(term)))

    def _written(self, term: str) -> str:
        """What the measure is given for a term."""
        phrase = self._phrase(term)
        return term if phrase == words_of(Text(term)) else " ".join(phrase)

    def _with_but_without(self, terms: Sequence[str], one: Phrase, other: Phrase) -> list[int]:
        """The places of terms that say one thing and not the other."""
        return [
            place
            for place, term in enumerate(terms)
            if contains(self._phrase(term), one) and not contains(self._phrase(term), other)
        ]


class NamesWithLexicon(WithLexicon):
    """A measure of attribute names under a lexicon: short forms and units are part of a name."""

    @property
    def identity(self) -> str:
        """As for values, and told apart from them."""
        return f"names: {super().identity}"

    @property
    def attributes(self) -> Measure:
        """This measure itself."""
        return self

    def _read(self, term: str) -> Phrase:
        return name_words(term, self.lexicon)

    def _written(self, term: str) -> str:
        phrase = attribute_phrase(term, self.lexicon)
        return term if phrase == attribute_phrase(term) else " ".join(phrase)


class EventMeasureWithLexicon(WithLexicon):
    """An event measure under a lexicon: it ranks names as the rules want them read."""

    def __init__(self, measure: EventMeasure, lexicon: Lexicon) -> None:
        super().__init__(measure, lexicon)
        self._ranking = measure
        self._names = NamesWithLexicon(measure, lexicon)

    @property
    def attributes(self) -> Measure:
        """This measure itself, which ranks attributes by `rows`."""
        return self

    def rows(self, attribute: str, event_attributes: Sequence[str]) -> Scores:
        """How well each of an event's attributes answers the one asked for."""
        names = self._names
        scores = self._ranking.rows(*self._read_names(attribute, event_attributes))
        asked = names._phrase(attribute)
        kept_apart = [
            self.lexicon.keeps_apart(asked, names._phrase(name)) is not None
            for name in event_attributes
        ]
        scores[kept_apart] = 0.0
        return scores

    def candidates(self, attribute: str, event_attributes: Sequence[str]) -> NDArray[np.bool_]:
        """Which of an event's attributes may answer at all."""
        return self._ranking.candidates(*self._read_names(attribute, event_attributes))

    def _read_names(self, attribute: str, others: Sequence[str]) -> tuple[str, list[str]]:
        """Names as the rules want them read."""
        return self._names._text(attribute), [self._names._text(name) for name in others]
