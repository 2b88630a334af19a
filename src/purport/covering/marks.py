"""What tells at a glance that a subscription does not cover another: an index looks for marks.

A subscription that covers another one finds each mark that it *needs* among those that the other
one *has*. A mark is an attribute that is asked for, a value that it is to have, a class with those
above it, or an operator. A span is where all numbers or times lie that a predicate allows: that of
the one that covers lies around that of the other.
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
from purport.covering.patterns import Either, Form, InOrder, Missing, Repeated, Together
from purport.covering.plain import Plain
from purport.covering.rows import AnyCondition, Row
from purport.matching.scales import microseconds
from purport.model.class_expression import Named
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


class ClassMark(NamedTuple):
    """A class that a value is in; of expressions it is not known what all they are in."""

    family: Mark
    name: str


_EVERYTHING = Span(-math.inf, math.inf)


@dataclass(slots=True)
class Marks:
    """Marks and spans; `families` are those of which it may have any mark."""

    marks: set[Mark] = field(default_factory=set)
    spans: dict[Line, list[Span]] = field(default_factory=dict)
    families: set[Mark] = field(default_factory=set)

    def add(self, other: Marks) -> None:
        """Have those of others, too."""
        self.marks |= other.marks
        self.families |= other.families
        for line, spans in other.spans.items():
            self.spans.setdefault(line, []).extend(spans)


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
            for braces in _all_braces(demand.asked):
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
        name = _class_asked(one)
        found.marks.add(_family(one) if name is None else ClassMark(_family(one), name))
        return
    if is_exact:
        values = _values(one)
        found.marks |= values
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
        family = _family(one)
        found.marks.add(family)
        name = _class_asked(one)
        if name is not None:
            found.marks.update(ClassMark(family, above) for above in one.classes.all_above(name))
        elif one.is_known:
            found.families.add(family)
        return
    found.marks |= _values(one)
    for line, span in _spans(one):
        found.spans.setdefault(line, []).append(span)


def _conditions(row: Row) -> Iterator[AnyCondition]:
    yield from row.conditions
    if row.bag is not None:
        yield row.bag


def _family(one: ClassCondition) -> Mark:
    return "class", one.attribute


def _class_asked(one: ClassCondition) -> str | None:
    """The class that a value is to be in, if that is asked and the class stands in the order."""
    predicate = one.predicate
    if one.is_known and isinstance(predicate, IsA) and isinstance(predicate.expression, Named):
        expression = predicate.expression
        return expression.name if one.classes.is_ordered(expression) else None
    return None


def _values(one: Condition) -> set[Mark]:
    """The values that it is to have, whichever alternative holds."""
    each = [
        {limit for limit in limits if limit.operator is Operator.EQUAL}
        for limits in one.alternatives
    ]
    return {(one.attribute, limit) for limit in set.intersection(*each)}


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


def _all_braces(form: Form) -> Iterator[Braces]:
    """All braces in a pattern, the inner ones too."""
    match form:
        case Braces(_, around):
            yield form
            for one in around:
                if not isinstance(one, Window):
                    yield from _all_braces(one.inner)
        case Either(parts) | InOrder(parts) | Together(parts):
            for part in parts:
                yield from _all_braces(part)
        case Repeated(part):
            yield from _all_braces(part)
        case Missing(missing, _, trigger):
            yield from _all_braces(missing)
            yield from _all_braces(trigger)


def _operator(one: Witnessed | AmongLast | Window) -> Mark:
    match one:
        case Witnessed(operator):
            return "around", operator
        case AmongLast(attribute):
            return "last", attribute
        case Window(text):
            return "window", text
