"""The attribute that a predicate asks for, and how well those of statements answer it.

One without `~` is answered or not (equation 4 of TOIT'14), one with it as well as a measure says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from purport.matching.keys import asked_attribute_key, told_attribute_keys
from purport.matching.measures import Measures
from purport.model.subscription import AskedAttribute
from purport.model.term import Attribute
from purport.model.words import said
from purport.relatedness.measure import EventMeasure, Measure, Scores

Allowed = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class ExactName:
    """The attribute asked for, or one that is written otherwise but is the same."""

    asked: Attribute

    def scores(self, told: Sequence[Attribute]) -> tuple[Scores, Allowed]:
        """For each attribute its score, and whether it is the one asked for."""
        key = asked_attribute_key(self.asked)
        same = np.array([key in told_attribute_keys(one) for one in told], np.bool_)
        return same.astype(np.float64), same


@dataclass(frozen=True, slots=True)
class NearName:
    """An attribute whose name is near to the one asked for."""

    asked: Attribute
    measure: Measure

    def scores(self, told: Sequence[Attribute]) -> tuple[Scores, Allowed]:
        """For each attribute its score; any may be an answer."""
        scores = self.measure.matrix([said(self.asked)], [said(one) for one in told])[0]
        return _or_same(self.asked, told, scores)


@dataclass(frozen=True, slots=True)
class RankedName:
    """An attribute that an event measure ranks among those of the event."""

    asked: Attribute
    measure: EventMeasure

    def scores(self, told: Sequence[Attribute]) -> tuple[Scores, Allowed]:
        """For each attribute its score, and whether the measure takes it for an answer."""
        different = list(dict.fromkeys(said(one) for one in told))
        ranked = dict(zip(different, self.measure.rows(said(self.asked), different), strict=True))
        scores = np.array([ranked[said(one)] for one in told], np.float64)
        found, _ = _or_same(self.asked, told, scores)
        may_answer = self.measure.candidates(said(self.asked), different)
        candidates = dict(zip(different, may_answer, strict=True))
        same, _ = ExactName(self.asked).scores(told)
        return found, np.array([candidates[said(one)] for one in told], np.bool_) | (same > 0)


AttributeSide = ExactName | NearName | RankedName


def attribute_side(asked: AskedAttribute, measures: Measures) -> AttributeSide:
    """What compares attributes with the one asked for; `measures` are found by name."""
    if asked.approximation is None:
        return ExactName(asked.term)
    measure = measures.for_names(asked.approximation.measure)
    if isinstance(measure, EventMeasure):
        return RankedName(asked.term, measure)
    return NearName(asked.term, measure)


def _or_same(asked: Attribute, told: Sequence[Attribute], scores: Scores) -> tuple[Scores, Allowed]:
    """Scores under which the attribute asked for, as it is, answers fully."""
    same, _ = ExactName(asked).scores(told)
    return np.maximum(scores, same), np.ones(len(told), np.bool_)
