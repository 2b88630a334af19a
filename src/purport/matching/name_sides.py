"""The attributes that predicates ask for, and how told ones score against them.

Different sides, names here and values in `value_sides.py`, are scored once, whoever asks (TOIT'14's
*commonalities*).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from purport.matching.individuals import thing_of
from purport.matching.keys import (
    Key,
    asked_attribute_key,
    told_attribute_keys,
)
from purport.matching.measures import Measures
from purport.model.subscription import AskedAttribute
from purport.model.term import Attribute
from purport.model.words import said
from purport.relatedness.measure import Measure

Block = NDArray[np.float32]


class NearSides:
    """Sides that one measure compares."""

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self.texts: list[str] = []

    def since(self, first: int) -> NearSides:
        """Those of a number or higher."""
        found = NearSides()
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
        scores = measure.matrix(self.texts, told).T.astype(np.float32)
        for place, number in enumerate(self.numbers):
            column = number - first
            rows[:, column] = np.maximum(rows[:, column], scores[:, place])


class NameSides:
    """The attributes asked for, and a table of told ones: a row an attribute, a column a side."""

    def __init__(self, measures: Measures) -> None:
        self._measures = measures
        self._numbers: dict[tuple[AskedAttribute, bool], int] = {}
        self._of_things: list[int] = []
        self._exact: dict[Key, list[int]] = {}
        self._near: dict[str | None, NearSides] = {}
        self._attributes: list[Attribute] = []
        self._scored_sides = 0
        self._table: Block = np.zeros((0, 0), np.float32)

    def number(self, asked: AskedAttribute, *, is_of_things: bool = False) -> int:
        """The number of a side, a new one if need be.

        One of things is answered by the attribute of a thing's type too: `wine` by `wine.type`.
        """
        key = asked, is_of_things
        if key not in self._numbers:
            number = self._numbers[key] = len(self._numbers)
            self._exact.setdefault(asked_attribute_key(asked.term), []).append(number)
            if asked.approximation is not None:
                near = self._near.setdefault(asked.approximation.measure, NearSides())
                near.add(number, said(asked.term))
            if is_of_things:
                self._of_things.append(number)
        return self._numbers[key]

    @property
    def scores(self) -> Block:
        """The scores of the attributes covered, a row for each, with every side."""
        return self._table[: len(self._attributes)]

    @property
    def size(self) -> int:
        """How many scores are kept."""
        return self._table.size

    def forget(self) -> None:
        """Drop every told attribute."""
        self._attributes = []
        self._table = np.zeros((0, len(self._numbers)), np.float32)

    def cover(self, attributes: Sequence[Attribute]) -> None:
        """Score attributes, which are those covered before and further ones, with every side."""
        sides, known, count = len(self._numbers), len(self._attributes), len(attributes)
        if count == known and sides == self._scored_sides:
            return
        if sides > self._scored_sides and known:
            new = self._block(attributes[:known], self._scored_sides)
            self._table = np.hstack([self.scores, new])
        elif not known:
            self._table = np.zeros((0, sides), np.float32)
        self._scored_sides = sides
        if count > known:
            block = self._block(attributes[known:], 0)
            if count > len(self._table):
                larger = np.zeros((2 * count, sides), np.float32)
                larger[:known] = self.scores
                self._table = larger
            self._table[known:count] = block
            self._attributes.extend(attributes[known:])

    def _block(self, told: Sequence[Attribute], first: int) -> Block:
        """The scores of attributes with the sides from a number on."""
        block = self._named(told, first)
        columns = [number - first for number in self._of_things if number >= first]
        things = {place: thing for place, one in enumerate(told) if (thing := thing_of(one))}
        if columns and things:
            cells = np.ix_(list(things), columns)
            block[cells] = np.maximum(
                block[cells], self._named(list(things.values()), first)[:, columns]
            )
        return block

    def _named(self, told: Sequence[Attribute], first: int) -> Block:
        """The same, of names as they are."""
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
