"""Approximate matching by trying every mapping: slow, and plainly what the equations say."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

from purport.model.comparison import Operator, holds
from purport.model.event import Event, Statement
from purport.model.subscription import (
    After,
    Aggregation,
    AllenRelated,
    AskedValue,
    ClassOrder,
    Comparison,
    ContainsAll,
    During,
    Exactness,
    HasProperty,
    HistoryFilter,
    InRange,
    IsA,
    Multiplicity,
    OneOfValues,
    Predicate,
    Simultaneous,
    Subscription,
    WindowAggregate,
    Within,
)
from purport.model.units import Quantity
from purport.model.words import attribute_words, said, says_words
from purport.relatedness.measure import Measure

FLOOR = 0.005


@dataclass(frozen=True, slots=True)
class Cell:
    """How well a statement answers a predicate, and whether the predicate's exact parts hold."""

    similarity: float
    is_allowed: bool


def ranked_mappings(
    subscription: Subscription,
    event: Event,
    measure: Measure,
    aggregation: Aggregation,
    exact: Exactness,
    names: Measure | None = None,
    cells_of: Callable[[Predicate], list[Cell]] | None = None,
) -> list[tuple[float, tuple[int, ...], tuple[float, ...]]]:
    """Every mapping with its probability and similarities, best first.

    Names of attributes are compared by a measure of their own, if there is one. `cells_of` gives
    the answers to predicates of classes and bags.
    """
    options = subscription.options
    aggregation = options.aggregation or aggregation
    required = (options.exact or exact) is Exactness.REQUIRED
    cells = [
        [cell(predicate, statement, measure, names or measure) for statement in event.statements]
        if isinstance(predicate, Comparison | OneOfValues | InRange) or cells_of is None
        else cells_of(predicate)
        for predicate in subscription.predicates
    ]
    found = []
    for vector in product(range(len(event.statements)), repeat=len(cells)):
        if options.mapping is Multiplicity.ONE_TO_ONE and len(set(vector)) < len(vector):
            continue
        chosen = [cells[row][column] for row, column in enumerate(vector)]
        if required and not all(one.is_allowed for one in chosen):
            continue
        similarities = tuple(one.similarity for one in chosen)
        if aggregation is Aggregation.MEAN:
            total = sum(similarities)
            probability = total / len(chosen)
        else:
            floored = [
                similarity if is_exact(predicate) else max(similarity, FLOOR)
                for similarity, predicate in zip(similarities, subscription.predicates, strict=True)
            ]
            if 0 in floored:
                continue
            total = -sum(1 / one for one in floored)
            probability = len(chosen) / -total
        found.append((round(-total, 12), vector, probability, similarities))
    found.sort()
    return [(probability, vector, chosen) for _, vector, probability, chosen in found]


def is_exact(predicate: Predicate) -> bool:
    """Whether neither side of a predicate is approximate."""
    assert not isinstance(predicate, During | After | Simultaneous | HistoryFilter)
    assert not isinstance(predicate, AllenRelated | WindowAggregate)
    return predicate.attribute.approximation is None and not any(
        asked.approximation for asked in values(predicate)
    )


def values(predicate: Predicate) -> tuple[AskedValue, ...]:
    """The values that a predicate names."""
    match predicate:
        case Comparison(_, _, value):
            return (value,)
        case OneOfValues(_, several):
            return several
        case InRange(_, low, high):
            return low, high
        case ContainsAll(_, several) | Within(_, several):
            return several
        case HasProperty(_, _, _, value):
            return (value,)
        case IsA() | ClassOrder():
            return ()
    raise TypeError(predicate)


def cell(predicate: Predicate, statement: Statement, measure: Measure, names: Measure) -> Cell:
    """Attribute times value."""
    assert isinstance(predicate, Comparison | OneOfValues | InRange)
    asked = predicate.attribute
    is_same = holds(statement.attribute, Operator.EQUAL, asked.term)
    name = float(is_same)
    if asked.approximation is not None and not is_same:
        name = names.score(said(asked.term), said(statement.attribute))
    is_named = is_same or asked.approximation is not None
    near, is_answered = value(predicate, statement, measure)
    return Cell(name * near, is_named and is_answered)


def value(predicate: Predicate, statement: Statement, measure: Measure) -> tuple[float, bool]:
    """How near the value is, and whether its exact part holds."""
    match predicate:
        case Comparison(_, operator, asked):
            if asked.approximation is None:
                answers = answer(statement, operator, asked)
                return float(answers), answers
            near = nearness(statement, asked, measure)
            return (near if operator is Operator.EQUAL else 1 - near), True
        case OneOfValues(_, several):
            best = max(nearness(statement, asked, measure) for asked in several)
            return best, best == 1 or any(asked.approximation for asked in several)
        case InRange(_, low, high):
            answers = answer(statement, Operator.AT_LEAST, low) and answer(
                statement, Operator.AT_MOST, high
            )
            return float(answers), answers
    raise TypeError(predicate)


def nearness(statement: Statement, asked: AskedValue, measure: Measure) -> float:
    """1 for equal values; for words, if asked for approximately, what the measure says."""
    if answer(statement, Operator.EQUAL, asked):
        return 1.0
    if asked.approximation is None or not says_words(statement.value):
        return 0.0
    return measure.score(said(asked.term), said(statement.value))  # type: ignore[arg-type]


def answer(statement: Statement, operator: Operator, asked: AskedValue) -> bool:
    """Whether a value stands so to the one asked for."""
    unit = attribute_words(statement.attribute).unit if isinstance(asked.term, Quantity) else None
    return holds(statement.value, operator, asked.term, unit=unit)  # type: ignore[arg-type]
