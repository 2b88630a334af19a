"""What tells at a glance that a subscription does not cover another: an index looks for marks.

A subscription that covers another one finds each mark that it *needs* among those that the other
one *has*. A mark is an attribute that is asked for, a value that it is to have, a class with those
above it, or an operator. A span is where all numbers or times lie that a predicate allows, a list
has all values that one allows: those of the one that covers are around those of the other.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from purport.covering.braces import AmongLast, Braces, Window, Witnessed
from purport.covering.class_conditions import ClassCondition
from purport.covering.conditions import Alternative, Condition
from purport.covering.demand import Demand
from purport.covering.limits import Kind, Limit
from purport.covering.patterns import Either, Form, InOrder, Missing, Repeated, Together, all_braces
from purport.covering.plain import Plain
from purport.covering.rows import AnyCondition, Row
from purport.matching.keys import Key
from purport.matching.scales import microseconds
from purport.model.class_expression import And, Named
from purport.model.comparison import Operator
from purport.model.subscription import IsA

Mark = Hashable
Line = Hashable  # where numbers are compared: an attribute, with units of one kind, or times
_LOWER = (Operator.GREATER, Operator.AT_LEAST, Operator.EQUAL)
_UPPER = (Operator.LESS, Operator.AT_MOST, Operator.EQUAL)


class Span(NamedTuple):
    """Where numbers lie, as far as doubles tell."""

    low: float
    high: float


_EVERYTHING = Span(-math.inf, math.inf)


@dataclass(slots=True)
class Marks:
    """Marks, spans and lists; `any_list` are attributes under which it may have any list."""

    marks: set[Mark] = field(default_factory=set)
    spans: dict[Line, list[Span]] = field(default_factory=dict)
    lists: dict[Key, list[frozenset[Limit]]] = field(default_factory=dict)
    any_list: set[Key] = field(default_factory=set)

    @property
    def count(self) -> int:
        """How many there are."""
        spans, lists = sum(map(len, self.spans.values())), sum(map(len, self.lists.values()))
        return len(self.marks) + spans + lists

    def add(self, other: Marks) -> None:
        """Have those of others, too."""
        self.marks |= other.marks
        self.any_list |= other.any_list
        for line, spans in other.spans.items():
            self.spans.setdefault(line, []).extend(spans)
        for attribute, lists in other.lists.items():
            self.lists.setdefault(attribute, []).extend(lists)


def needed_marks(demand: Demand) -> Marks:
    """What whatever it covers must have."""
    match demand.asked:
        case None:
            return Marks({("text", demand.text)})
        case Plain():
            return _needed_by_plain(demand.asked)
        case _:
            found = _needed_by_form(demand.asked)
            found.marks.add("in time")
            return found


def given_marks(demand: Demand) -> Marks:
    """What it has."""
    found = Marks({("text", demand.text)})
    match demand.asked:
        case None:
            pass
        case Plain():
            found.add(_given_by_plain(demand.asked))
        case _:
            found.marks.add("in time")
            for braces in all_braces(demand.asked):
                found.add(_given_by_plain(braces.plain))
                found.marks.update(map(_operator, braces.around))
    return found


def _needed_by_form(form: Form) -> Marks:
    found = Marks()
    match form:
        case Braces(plain, around):
            found.add(_needed_by_plain(plain))
            for one in around:
                found.marks.add(_operator(one))
                if not isinstance(one, Window):
                    found.add(_needed_by_form(one.inner))
        case Either(parts):
            each = [_needed_by_form(part).marks for part in parts]
            found.marks = set.intersection(*each)
        case InOrder(parts) | Together(parts):
            for part in parts:
                found.add(_needed_by_form(part))
        case Repeated(part):
            found.add(_needed_by_form(part))
        case Missing(_, _, trigger):
            found.add(_needed_by_form(trigger))
    return found


def _needed_by_plain(plain: Plain) -> Marks:
    """What each row needs; nothing where some of them are enough."""
    found = Marks()
    if plain.rows and plain.judging.least_held(len(plain.rows)) < len(plain.rows):
        return found
    for row in plain.rows:
        for one in _conditions(row):
            _need(one, found, is_exact=row.is_exact)
    return found


def _need(one: AnyCondition, found: Marks, *, is_exact: bool) -> None:
    """The marks of a condition; where it is approximate the same one may do, by its attribute."""
    found.marks.add(("says", one.attribute))
    if isinstance(one, ClassCondition):
        found.marks.update(_classes_needed(one))
        return
    if not is_exact:
        return
    values, choices = _values(one), _choices(one)
    found.marks |= values
    if choices is not None and not values:
        found.lists.setdefault(one.attribute, []).append(frozenset().union(*choices))
    for line, span in () if values else _spans(one):
        found.spans.setdefault(line, []).append(span)


def _given_by_plain(plain: Plain) -> Marks:
    found = Marks()
    for row in plain.rows:
        for one in _conditions(row):
            _give(one, found)
    for some in plain.facts.said.values():
        for one in some:
            _give(one, found)
    return found


def _give(one: AnyCondition, found: Marks) -> None:
    found.marks.add(("says", one.attribute))
    if isinstance(one, ClassCondition):
        found.marks |= {("class", one.attribute), ("class", one.attribute, one.text)}
        found.marks.update(("in", one.attribute, name) for name in _classes_given(one))
        return
    found.marks |= _values(one)
    choices = _choices(one)
    if choices is not None and all(len(some) == 1 for some in choices):
        found.lists.setdefault(one.attribute, []).append(frozenset().union(*choices))
    elif choices is not None:
        found.any_list.add(one.attribute)
    for line, span in _spans(one):
        found.spans.setdefault(line, []).append(span)


def _conditions(row: Row) -> Iterator[AnyCondition]:
    yield from row.conditions
    if row.bag is not None:
        yield row.bag


def _classes_needed(one: ClassCondition) -> Iterator[Mark]:
    """Classes that whatever implies a condition is in, as far as it names any."""
    yield "class", one.attribute
    if one.classes is None:
        yield "class", one.attribute, one.text
    elif isinstance(one.predicate, IsA):
        asked = one.predicate.expression
        for part in asked.operands if isinstance(asked, And) else (asked,):
            if isinstance(part, Named) and one.classes.is_ordered(part):
                yield "in", one.attribute, part.name


def _classes_given(one: ClassCondition) -> frozenset[str]:
    """All classes that what meets a condition is in."""
    if one.classes is None or one.spelt is None:
        return frozenset()
    return one.classes.classes_above(one.spelt)


def _values(one: Condition) -> set[Mark]:
    """The values that it is to have, whichever alternative holds."""
    each = [_equal(limits) for limits in one.alternatives]
    return {(one.attribute, limit) for limit in set.intersection(*each)}


def _choices(one: Condition) -> list[set[Limit]] | None:
    """The values of each alternative; None if one may have any of many."""
    each = [_equal(limits) for limits in one.alternatives]
    return each if all(each) else None


def _equal(limits: Alternative) -> set[Limit]:
    return {limit for limit in limits if limit.operator is Operator.EQUAL}


def _spans(one: Condition) -> Iterator[tuple[Line, Span]]:
    """Where all values lie, whichever alternative holds; on each line that all speak of."""
    each = [_bounds(limits) for limits in one.alternatives]
    for line in set.intersection(*(set(bounds) for bounds in each)):
        spans = [bounds[line] for bounds in each]
        whole = Span(min(span.low for span in spans), max(span.high for span in spans))
        yield (one.attribute, line), whole


def _bounds(limits: Alternative) -> dict[Line, Span]:
    found: dict[Line, Span] = {}
    for limit in limits:
        is_on_line = limit.kind in (Kind.NUMBER, Kind.TIME)
        if is_on_line and limit.operator is not Operator.NOT_EQUAL:
            line, place = (limit.kind, limit.base), _place(limit)
            low, high = found.get(line, _EVERYTHING)
            found[line] = Span(
                max(low, place) if limit.operator in _LOWER else low,
                min(high, place) if limit.operator in _UPPER else high,
            )
    return found


def _place(limit: Limit) -> float:
    """Where a limit lies, as a double; rounding keeps the order."""
    if limit.kind is Kind.TIME:
        return float(microseconds(limit.places[0]))
    try:
        return float(limit.places[1])
    except OverflowError:
        return math.inf if limit.places[1] > 0 else -math.inf


def _operator(one: Witnessed | AmongLast | Window) -> Mark:
    match one:
        case Witnessed(operator):
            return "around", operator
        case AmongLast(attribute):
            return "last", attribute
        case Window(text):
            return "window", text
