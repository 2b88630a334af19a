"""The values that predicates ask for, and which of them a told word answers.

Of a told word only the sides it has something in common with are kept. A value that does not come
again (a number, a time, an identifier) is no word: it is compared on a scale (`scales.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from purport.matching.asked import (
    ClassPredicate,
    RowPredicate,
    ValuePredicate,
    asked_values,
    plain_term,
)
from purport.matching.class_answers import ClassAnswers
from purport.matching.class_sides import ClassSides
from purport.matching.first_line import value_similarities
from purport.matching.flat_lists import FlatLists, Integers, Numbers
from purport.matching.keys import IRI, TEXT, Key, asked_key, told_keys
from purport.matching.measures import Measures
from purport.matching.name_sides import Block, NearSides
from purport.matching.scales import EVERYTHING, Interval, Scale, intervals
from purport.model.comparison import Operator
from purport.model.event import Statement
from purport.model.language.write import write_class
from purport.model.subscription import (
    AskedValue,
    ClassOrder,
    Comparison,
    HasProperty,
    IsA,
    OneOfValues,
)
from purport.model.term import Resource, Term, Text, folded
from purport.model.units import Quantity, Unit
from purport.model.words import said, says_words

_MOST_CELLS = 4_000_000  # of a block of scores
_EQUALITIES = (Operator.EQUAL, Operator.NOT_EQUAL)
_ANY = Text("any")


class _Answers(NamedTuple):
    """Words, the sides that they answer, and how well, sorted by words."""

    words: Integers
    sides: Integers
    scores: Numbers


@dataclass(slots=True)
class _Columns:
    """The sides that a word may answer, under what finds them; a number is a column of scores."""

    sides: list[int] = field(default_factory=list)
    least: list[float] = field(default_factory=list)
    equal: dict[Key, list[int]] = field(default_factory=dict)
    near: dict[str | None, NearSides] = field(default_factory=dict)
    unlike: list[int] = field(default_factory=list)
    ordered_texts: list[int] = field(default_factory=list)

    def add(self, side: int, predicate: ValuePredicate, least: float) -> None:
        """File a side, unless no word answers it, as it bounds numbers."""
        column, asked = len(self.sides), asked_values(predicate)
        operator = predicate.operator if isinstance(predicate, Comparison) else Operator.EQUAL
        if isinstance(predicate, Comparison | OneOfValues) and operator in _EQUALITIES:
            for one in asked:
                term = plain_term(one)
                key = asked_key(term)
                if key is not None:
                    self.equal.setdefault(key, []).append(column)
                if one.approximation is not None:
                    near = self.near.setdefault(one.approximation.measure, NearSides())
                    near.add(column, said(term))
            if operator is Operator.NOT_EQUAL:
                self.unlike.append(column)
        elif any(isinstance(one.term, Text) for one in asked):
            self.ordered_texts.append(column)
        else:
            return
        self.sides.append(side)
        self.least.append(least)


def _kind(asked: AskedValue) -> type:
    return type(asked.term.magnitude if isinstance(asked.term, Quantity) else asked.term)


class ValueSides:
    """The values asked for, and for each told word the sides that it answers, with scores.

    A word is a term, or a statement whose value has to be looked at under its attribute.
    """

    def __init__(self, measures: Measures, classes: ClassAnswers | None = None) -> None:
        self._measures = measures
        self.classes = ClassSides(classes) if classes is not None else None
        self._numbers: dict[object, int] = {}
        self._predicates: list[RowPredicate] = []
        self._columns = _Columns()
        self._words = 0
        self._scored = 0, 0  # sides, and those of them that words may answer
        self.answered = FlatLists(np.float64)
        self.asks_for_wordless = False

    def number(self, predicate: RowPredicate, least: float) -> int:
        """The number of a predicate's value side, of which scores above `least` are kept."""
        key = *side_key(predicate), least
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._predicates)
            self._predicates.append(predicate)
            if isinstance(predicate, ClassPredicate):
                self._add_class(number, predicate)
            else:
                self._add_value(number, predicate, least)
        return number

    def intervals(self, number: int, scale: Scale, implied: Unit | None) -> list[Interval]:
        """What answers a side on a scale, or may answer it where it is of classes."""
        predicate = self._predicates[number]
        if not isinstance(predicate, ClassPredicate):
            return intervals(predicate, scale, implied)
        assert self.classes is not None
        return [EVERYTHING] if self.classes.may_be_anything(number) else []

    def asks_for(self, text: str) -> bool:
        """Whether somebody may ask for just this text, which says no words."""
        columns = self._columns
        return self.asks_for_wordless and (
            bool(columns.ordered_texts)
            or (self.classes is not None and self.classes.knows(text))
            or (TEXT, folded(text)) in columns.equal
            or (IRI, text) in columns.equal
        )

    def forget(self) -> None:
        """Drop every told word."""
        self.answered.clear()
        self._words = 0

    def cover(self, words: Sequence[Term | Statement]) -> None:
        """Score words, which are those covered before and further ones, with every side."""
        known = self._words
        if len(words) == known and len(self._predicates) == self._scored[0]:
            return
        at_once = max(1, _MOST_CELLS // max(1, len(self._columns.sides)))
        if known and len(self._predicates) > self._scored[0]:
            new = [
                (start, self._answers(words[start : min(start + at_once, known)], *self._scored))
                for start in range(0, known, at_once)
            ]
            for start, answers in new:
                for word, side, score in zip(*(one.tolist() for one in answers), strict=True):
                    self.answered.append(start + word, side, score)
        self._scored = len(self._predicates), len(self._columns.sides)
        for start in range(known, len(words), at_once):
            some = words[start : start + at_once]
            self._list(self._answers(some, 0, 0), len(some))
            self._words += len(some)

    def _add_value(self, number: int, predicate: ValuePredicate, least: float) -> None:
        self._columns.add(number, predicate, least)
        self.asks_for_wordless |= bool(self._columns.ordered_texts) or any(
            isinstance(one.term, Text | Resource) and not says_words(Text(str(one.term)))
            for one in asked_values(predicate)
        )

    def _add_class(self, number: int, predicate: ClassPredicate) -> None:
        assert self.classes is not None
        self.classes.add(number, predicate)
        self.asks_for_wordless |= self.classes.answers.individuals.has_wordless_names

    def _list(self, answers: _Answers, words: int) -> None:
        """Begin the lists of new words."""
        first = self.answered.new(words)
        sizes = np.bincount(answers.words, minlength=words).astype(np.int32)
        start = self.answered.used
        self.answered.place(np.arange(first, first + words), sizes)
        arrays = self.answered.arrays()
        arrays.items[start : self.answered.used] = answers.sides
        arrays.weights[start : self.answered.used] = answers.scores

    def _answers(
        self, told: Sequence[Term | Statement], first_side: int, first_column: int
    ) -> _Answers:
        """What words answer of the sides from a number on."""
        columns = self._columns
        block = np.zeros((len(told), len(columns.sides) - first_column), np.float32)
        plain = [place for place, one in enumerate(told) if not isinstance(one, Statement)]
        if plain and block.size:
            rows = block[plain]
            self._score([told[place] for place in plain], rows, first_column)  # type: ignore[misc]
            block[plain] = rows
            block[block <= np.array(columns.least[first_column:], np.float32)] = 0.0
        words, places = np.nonzero(block)
        sides = np.array(columns.sides, np.int32)[places + first_column]
        answers = _Answers(words.astype(np.int32), sides, block[words, places].astype(np.float64))
        more = [
            (place, side, score)
            for place, one in enumerate(told)
            for side, score in self._looked_up(one, first_side)
        ]
        return _joined(answers, more) if more else answers

    def _looked_up(self, one: Term | Statement, first: int) -> list[tuple[int, float]]:
        """Answered sides that have no column: of classes, or all for a value with its attribute."""
        if not isinstance(one, Statement):
            return self.classes.scores(one, first) if self.classes else []
        scores = (
            (side, self._slow_score(side, one)) for side in range(first, len(self._predicates))
        )
        return [(side, score) for side, score in scores if score]

    def _score(self, told: Sequence[Term], rows: Block, first: int) -> None:
        """Write the scores of words with the columns from one on."""
        columns = self._columns
        near = [place for place, one in enumerate(told) if says_words(one)]
        scored, texts = rows[near], [said(told[place]) for place in near]
        for measure, sides in columns.near.items():
            new = sides.since(first)
            if new.texts and texts:
                new.raise_scores(scored, first, self._measures.for_values(measure), texts)
        rows[near] = scored
        for row, one in zip(rows, told, strict=True):
            for key in told_keys(one):
                for column in columns.equal.get(key, ()):
                    if column >= first:
                        row[column - first] = 1.0
            for column in columns.ordered_texts:
                if column >= first:
                    statement = Statement(_ANY, one)
                    row[column - first] = self._slow_score(columns.sides[column], statement)
        unlike = [column - first for column in columns.unlike if column >= first]
        rows[:, unlike] = 1.0 - rows[:, unlike]

    def _slow_score(self, side: int, told: Statement) -> float:
        predicate = self._predicates[side]
        if isinstance(predicate, ClassPredicate):
            assert self.classes is not None
            return self.classes.score(side, told.value)
        scores, _ = value_similarities([told], predicate, self._measures)
        return float(scores[0])


def side_key(predicate: RowPredicate) -> tuple[object, ...]:
    """What makes two value sides one."""
    asked = asked_values(predicate)
    kinds = tuple(_kind(one) for one in asked)  # 2**70 equals a double, and is spelt otherwise
    match predicate:
        case Comparison(_, operator, _):
            return type(predicate), operator, asked, kinds
        case HasProperty(_, property, operator, _):
            return type(predicate), property, operator, asked, kinds
        case IsA(_, expression):
            return type(predicate), write_class(expression)
        case ClassOrder(_, relation, expression):
            return type(predicate), relation, write_class(expression)
        case _:
            return type(predicate), asked, kinds


def _joined(answers: _Answers, more: Sequence[tuple[int, int, float]]) -> _Answers:
    """Answers and more of them, sorted by words."""
    words, sides, scores = zip(*more, strict=True)
    every = np.append(answers.words, words)
    order = np.argsort(every, kind="stable")
    return _Answers(
        every[order].astype(np.int32),
        np.append(answers.sides, sides)[order].astype(np.int32),
        np.append(answers.scores, scores)[order],
    )
