"""One pair of braces: what an event says by itself, and what happened around it.

KBN's rule (section V.B): of two constraints with the same operator the one covers the other if its
inner filter does. It is right where an operator asks for some witness (`after`, `during`, `with`,
Allen's relations), and limits are compared besides. Of `A filter(<, last n) {F}` it is not: among
the last n that answer a wider F may be others, so that F must be the same, unless all of the past
is looked at. What an aggregate is taken over depends on all of F, too.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from datetime import timedelta
from typing import cast

from purport.covering.judging import Judging
from purport.covering.known_classes import KnownClasses
from purport.covering.limits import is_wider
from purport.covering.plain import Plain
from purport.matching.asked import MatchedPredicate
from purport.matching.keys import Key, asked_attribute_key
from purport.model.comparison import Operator
from purport.model.language.write import write_predicate
from purport.model.subscription import (
    After,
    AllenRelated,
    Conjunction,
    During,
    Endpoint,
    HistoryFilter,
    ReferenceTime,
    Simultaneous,
    WindowAggregate,
)
from purport.temporal.asked import Parts, Temporal, approximate, attribute_of


@dataclass(frozen=True, slots=True)
class Witnessed:
    """That another event answers the inner braces, and stands in time as an operator says.

    `after` may have a limit of time.
    """

    operator: Hashable
    limit: timedelta | None
    inner: Braces

    def follows(self, other: Around) -> bool:
        """Whether a witness of the other is one of this."""
        return (
            isinstance(other, Witnessed)
            and self.operator == other.operator
            and reaches_as_far(self.limit, other.limit)
            and self.inner.follows_fully(other.inner)
        )


@dataclass(frozen=True, slots=True)
class AmongLast:
    """That a value stands so to that of one of the last events that answer the inner braces."""

    attribute: Key
    operator: Operator
    last: int | None
    inner: Braces

    def follows(self, other: Around) -> bool:
        """Whether a witness of the other is one of this, when both look back from one moment."""
        if not isinstance(other, AmongLast) or self.attribute != other.attribute:
            return False
        if not is_wider(self.operator, other.operator):
            return False
        if not self.inner.follows_fully(other.inner):
            return False
        if self.last is None:
            return True
        is_as_long = other.last is not None and other.last <= self.last
        return is_as_long and other.inner.follows_fully(self.inner)


@dataclass(frozen=True, slots=True)
class Window:
    """An aggregate over a window, as it is written, and what the events in it answer."""

    text: str
    plain: Plain

    def follows(self, other: Around) -> bool:
        """Whether it is the same aggregate of the same events."""
        return (
            isinstance(other, Window)
            and self.text == other.text
            and self.plain.follows_fully(other.plain)
            and other.plain.follows_fully(self.plain)
        )


Around = Witnessed | AmongLast | Window
Binds = tuple[tuple[str, Key], ...]


@dataclass(frozen=True, slots=True)
class Braces:
    """What is asked of an event.

    `correlated` are predicates about the event around, as they are written, `binds` names and the
    attributes that give them their values. Where the value that an approximate attribute stands for
    matters, nothing follows (`is_known`).
    """

    plain: Plain
    around: tuple[Around, ...]
    correlated: frozenset[str]
    binds: Binds
    needs_end: bool
    is_known: bool

    @classmethod
    def of(
        cls,
        conjunction: Conjunction,
        judging: Judging,
        classes: KnownClasses | None,
        *,
        is_inner: bool = False,
    ) -> Braces:
        """What is asked; `NotSupportedYet` if no engine runs it."""
        parts = Parts.of(conjunction, is_inner=is_inner)
        plain = Plain.of(
            [cast(MatchedPredicate, one) for one in parts.plain], judging, classes
        )  # all others are in other parts
        known = [one for one in parts.temporal if not approximate(attribute_of(one))]
        return cls(
            plain,
            tuple(_around(one, plain, judging, classes) for one in known),
            frozenset(map(write_predicate, parts.correlated)),
            tuple((name, asked_attribute_key(one.term)) for name, one in parts.binds),
            parts.needs_end,
            not parts.read,
        )

    @property
    def names(self) -> frozenset[str]:
        """The names that it gives values to."""
        return frozenset(name for name, _ in self.binds)

    def binds_of(self, names: frozenset[str]) -> Binds:
        """What gives values to some names."""
        return tuple((name, attribute) for name, attribute in self.binds if name in names)

    def follows_fully(self, other: Braces) -> bool:
        """Whether every event that answers the other answers this, with probability 1.

        Both are asked about the same event around, and names are not looked at.
        """
        return (
            self.is_known
            and self.plain.follows_fully(other.plain)
            and self.correlated <= other.correlated
            and all(self.around_follows(one, other) for one in self.around)
        )

    def around_follows(self, one: Around, other: Braces) -> bool:
        """Whether something around an event follows from what is known of that.

        What looks back does so from the event's end if something speaks of it, else from its start.
        """
        looks_back = not isinstance(one, Witnessed)
        if looks_back and self.needs_end != other.needs_end:
            return False
        return any(one.follows(each) for each in other.around)


def reaches_as_far(limit: timedelta | None, other: timedelta | None) -> bool:
    """Whether one limit of time allows all that another one does; None allows everything."""
    return limit is None or (other is not None and other <= limit)


def _around(
    predicate: Temporal, plain: Plain, judging: Judging, classes: KnownClasses | None
) -> Around:
    if isinstance(predicate, WindowAggregate):
        return Window(write_predicate(predicate), plain)
    inner = Braces.of(predicate.inner, judging, classes, is_inner=True)
    match predicate:
        case HistoryFilter(attribute, operator, last):
            return AmongLast(asked_attribute_key(attribute.term), operator, last, inner)
        case After(endpoint, limit):
            return Witnessed((After, _reference(endpoint)), limit, inner)
        case During(endpoint):
            return Witnessed((During, _reference(endpoint)), None, inner)
        case Simultaneous(endpoint):
            return Witnessed((Simultaneous, endpoint), None, inner)
        case AllenRelated(relation):
            return Witnessed((AllenRelated, relation), None, inner)


def _reference(reference: ReferenceTime) -> Hashable:
    return reference if isinstance(reference, Endpoint) else asked_attribute_key(reference.term)
