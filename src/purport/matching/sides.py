"""The two sides of predicates, names and values, and how told words score against them.

Different sides are scored once, whoever asks (TOIT'14's *commonalities*). Of a told value only the
sides it has something in common with are kept; that of a value which does not come again (a number,
a time, an identifier) is no business of these tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from purport.matching.first_line import (
    ValuePredicate,
    asked_values,
    plain_term,
    value_similarities,
)
from purport.matching.flat_lists import FlatLists
from purport.matching.keys import (
    IRI,
    TEXT,
    Key,
    asked_attribute_key,
    asked_key,
    told_attribute_keys,
    told_keys,
)
from purport.matching.measures import Measures
from purport.model.comparison import Operator
from purport.model.event import Statement
from purport.model.subscription import AskedAttribute, Comparison, OneOfValues
from purport.model.term import Attribute, Resource, Term, Text, folded
from purport.model.words import said, says_words
from purport.relatedness.measure import Measure

Block = NDArray[np.float32]


class _NearSides:
    """Sides that one measure compares."""

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self.texts: list[str] = []

    def since(self, first: int) -> _NearSides:
        """Those of a number or higher."""
        found = _NearSides()
        for number, text in zip(self.numbers, self.texts, strict=True):
            if number >= first:
                found.add(number, text)
        return found

    def add(self, number: int, text: str) -> None:
        """Take up a side; a list of values may have several texts."""
        self.numbers.append(number)
        self.texts.append(text)

    def raise_scores(self, rows: Block, first: int, measure: Measure, told: Sequence[str]) -> None:
        """Raise the scores of told texts, a row for each, to what the measure says.

        The columns are the sides from `first` on.
        """
        if not self.texts:
            return
        scores = measure.matrix(self.texts, told).T.astype(np.float32)
        for place, number in enumerate(self.numbers):
            column = number - first
            rows[:, column] = np.maximum(rows[:, column], scores[:, place])


class NameSides:
    """The attributes asked for, and a table of told ones: a row an attribute, a column a side."""

    def __init__(self, measures: Measures) -> None:
        self._measures = measures
        self._numbers: dict[AskedAttribute, int] = {}
        self._exact: dict[Key, list[int]] = {}
        self._near: dict[str | None, _NearSides] = {}
        self._attributes: list[Attribute] = []
        self._scored_sides = 0
        self.scores: Block = np.zeros((0, 0), np.float32)

    def number(self, asked: AskedAttribute) -> int:
        """The number of a side, a new one if need be."""
        if asked not in self._numbers:
            number = self._numbers[asked] = len(self._numbers)
            self._exact.setdefault(asked_attribute_key(asked.term), []).append(number)
            if asked.approximation is not None:
                near = self._near.setdefault(asked.approximation.measure, _NearSides())
                near.add(number, said(asked.term))
        return self._numbers[asked]

    def forget(self) -> None:
        """Drop every told attribute."""
        self._attributes = []
        self.scores = np.zeros((0, len(self._numbers)), np.float32)

    def cover(self, attributes: Sequence[Attribute]) -> None:
        """Score attributes, which are those covered before and further ones, with every side."""
        sides, known = len(self._numbers), len(self._attributes)
        if sides > self._scored_sides and known:
            new = self._block(attributes[:known], self._scored_sides)
            self.scores = np.hstack([self.scores, new])
        elif not known:
            self.scores = np.zeros((0, sides), np.float32)
        self._scored_sides = sides
        if len(attributes) > known:
            self.scores = np.vstack([self.scores, self._block(attributes[known:], 0)])
            self._attributes.extend(attributes[known:])

    def _block(self, told: Sequence[Attribute], first: int) -> Block:
        """The scores of attributes with the sides from a number on."""
        block = np.zeros((len(told), len(self._numbers) - first), np.float32)
        texts = [said(one) for one in told]
        for measure, sides in self._near.items():
            new = sides.since(first)
            if new.texts:
                new.raise_scores(block, first, self._measures.for_names(measure), texts)
        for row, one in zip(block, told, strict=True):
            for key in told_attribute_keys(one):
                for number in self._exact.get(key, ()):
                    if number >= first:
                        row[number - first] = 1.0
        return block


@dataclass(frozen=True, slots=True)
class _ValueSide:
    """What is asked of a value, and the least score that is kept."""

    predicate: ValuePredicate
    least: float


@dataclass(slots=True)
class _Kinds:
    """Sides under what finds them."""

    equal: dict[Key, list[int]] = field(default_factory=dict)
    near: dict[str | None, _NearSides] = field(default_factory=dict)
    unlike: list[int] = field(default_factory=list)
    ordered_texts: list[int] = field(default_factory=list)


class ValueSides:
    """The values asked for, and for each told word the sides that it answers, with scores."""

    def __init__(self, measures: Measures) -> None:
        self._measures = measures
        self._numbers: dict[object, int] = {}
        self._sides: list[_ValueSide] = []
        self._kinds = _Kinds()
        self._words = 0
        self._scored_sides = 0
        self.answered = FlatLists(is_weighted=True)
        self.asks_for_wordless = False

    def __len__(self) -> int:
        return len(self._sides)

    def number(self, predicate: ValuePredicate, least: float) -> int:
        """The number of a predicate's value side, of which scores above `least` are kept."""
        asked = asked_values(predicate)
        operator = predicate.operator if isinstance(predicate, Comparison) else None
        key = type(predicate), operator, asked, least
        if key not in self._numbers:
            self._numbers[key] = len(self._sides)
            self._sides.append(_ValueSide(predicate, least))
            self._file(self._numbers[key], predicate)
        return self._numbers[key]

    def predicate(self, number: int) -> ValuePredicate:
        """A predicate that has this value side."""
        return self._sides[number].predicate

    def asks_for(self, text: str) -> bool:
        """Whether somebody may ask for just this text, which says no words."""
        equal = self._kinds.equal
        return self.asks_for_wordless and (
            bool(self._kinds.ordered_texts) or (TEXT, folded(text)) in equal or (IRI, text) in equal
        )

    def forget(self) -> None:
        """Drop every told word."""
        self.answered.clear()
        self._words = 0

    def cover(self, words: Sequence[Term | Statement]) -> None:
        """Score words, which are those covered before and further ones, with every side."""
        known, sides = self._words, len(self._sides)
        if sides > self._scored_sides and known:
            for number, row in enumerate(self._block(words[:known], self._scored_sides)):
                for side in np.flatnonzero(row):
                    self.answered.append(number, self._scored_sides + int(side), float(row[side]))
        self._scored_sides = sides
        if len(words) > known:
            self._list(self._block(words[known:], 0), self.answered.new(len(words) - known))
            self._words = len(words)

    def _list(self, block: Block, first: int) -> None:
        rows, sides = np.nonzero(block)
        sizes = np.bincount(rows, minlength=len(block)).astype(np.int32)
        numbers = np.arange(first, first + len(block), dtype=np.int64)
        start = self.answered.used
        self.answered.place(numbers, sizes)
        arrays = self.answered.arrays()
        arrays.items[start : start + len(sides)] = sides
        arrays.weights[start : start + len(sides)] = block[rows, sides]

    def _file(self, number: int, predicate: ValuePredicate) -> None:
        """Put a side where words that answer it are found; no word answers a bound of numbers."""
        asked = asked_values(predicate)
        operator = predicate.operator if isinstance(predicate, Comparison) else Operator.EQUAL
        if isinstance(predicate, Comparison | OneOfValues) and operator in _EQUALITIES:
            for one in asked:
                term = plain_term(one)
                if isinstance(term, Text | Resource):
                    self.asks_for_wordless |= not says_words(Text(str(term)))
                key = asked_key(term)
                if key is not None:
                    self._kinds.equal.setdefault(key, []).append(number)
                if one.approximation is not None:
                    near = self._kinds.near.setdefault(one.approximation.measure, _NearSides())
                    near.add(number, said(term))
            if operator is Operator.NOT_EQUAL:
                self._kinds.unlike.append(number)
        elif any(isinstance(one.term, Text) for one in asked):
            self._kinds.ordered_texts.append(number)
            self.asks_for_wordless = True

    def _block(self, told: Sequence[Term | Statement], first: int) -> Block:
        """The scores of words with the sides from a number on; those not above the least are 0."""
        block = np.zeros((len(told), len(self._sides) - first), np.float32)
        words = [place for place, one in enumerate(told) if not isinstance(one, Statement)]
        if words:
            rows = block[words]
            self._score_words([told[place] for place in words], rows, first)  # type: ignore[misc]
            block[words] = rows
        for place, one in enumerate(told):
            if isinstance(one, Statement):
                block[place] = self._odd_scores(one, first)
        least = np.array([side.least for side in self._sides[first:]], np.float32)
        block[block <= least] = 0.0
        return block

    def _score_words(self, told: Sequence[Term], rows: Block, first: int) -> None:
        kinds = self._kinds
        near = [place for place, one in enumerate(told) if says_words(one)]
        scored, texts = rows[near], [said(told[place]) for place in near]
        for measure, sides in kinds.near.items():
            new = sides.since(first)
            if new.texts and texts:
                new.raise_scores(scored, first, self._measures.for_values(measure), texts)
        rows[near] = scored
        unlike = [number - first for number in kinds.unlike if number >= first]
        for row, one in zip(rows, told, strict=True):
            for key in told_keys(one):
                for number in kinds.equal.get(key, ()):
                    if number >= first:
                        row[number - first] = 1.0
            for number in kinds.ordered_texts:
                if number >= first:
                    row[number - first] = self._slow_score(number, Statement(_ANY, one))
        rows[:, unlike] = 1.0 - rows[:, unlike]

    def _odd_scores(self, told: Statement, first: int) -> Block:
        """A value that must be looked at under its attribute, against every side."""
        numbers: Iterable[int] = range(first, len(self._sides))
        return np.array([self._slow_score(number, told) for number in numbers], np.float32)

    def _slow_score(self, number: int, told: Statement) -> float:
        predicate = self._sides[number].predicate
        return float(value_similarities([told], predicate, self._measures)[0][0])


_EQUALITIES = (Operator.EQUAL, Operator.NOT_EQUAL)
_ANY = Text("any")
