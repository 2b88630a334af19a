"""What subscriptions ask for beyond what one event says by itself."""

from __future__ import annotations

from dataclasses import dataclass

from purport.errors import NotSupportedYet
from purport.matching.asked import MatchedPredicate, asked_values
from purport.model.comparison import Operator
from purport.model.language.write import write_pattern
from purport.model.subscription import (
    Absence,
    After,
    AllenRelated,
    Alternation,
    AskedAttribute,
    AskedValue,
    Coincidence,
    Comparison,
    Conjunction,
    During,
    Endpoint,
    HistoryFilter,
    Pattern,
    Predicate,
    Reference,
    Repetition,
    Sequence,
    Simultaneous,
    WindowAggregate,
)
from purport.temporal.said import Binds

Witnessed = After | During | Simultaneous | AllenRelated
Temporal = Witnessed | HistoryFilter | WindowAggregate


def is_in_time(pattern: Pattern) -> bool:
    """Whether other events matter, or those that did not happen."""
    if not isinstance(pattern, Conjunction):
        return True
    return any(isinstance(one, Temporal) for one in pattern.predicates)


def waits_for_clock(pattern: Pattern) -> bool:
    """Whether it asks for something that does not happen, and so waits for the clock."""
    match pattern:
        case Conjunction():
            return False
        case Alternation(parts) | Sequence(parts) | Coincidence(parts):
            return any(map(waits_for_clock, parts))
        case Repetition(repeated):
            return waits_for_clock(repeated)
        case Absence():
            return True


def is_prompt(conjunction: Conjunction) -> bool:
    """Whether an event is known to answer, or not, as soon as it has ended."""
    for predicate in conjunction.predicates:
        match predicate:
            case During() | Simultaneous() | AllenRelated():
                return False
            case After(endpoint, _, inner):
                if not isinstance(endpoint, Endpoint) or not is_prompt(inner):
                    return False
    return True


@dataclass(frozen=True, slots=True)
class Parts:
    """The predicates of a conjunction, by what answers them: one event alone, others, an outer one.

    `binds` are names and the attributes that give them their values (`room = $room`).
    """

    plain: tuple[Predicate, ...]
    temporal: tuple[Temporal, ...] = ()
    correlated: tuple[Predicate, ...] = ()
    binds: Binds = ()

    @classmethod
    def of(cls, conjunction: Conjunction, *, is_inner: bool) -> Parts:
        """Those of a conjunction; one in inner braces has an event around it, and binds nothing.

        There, what an aggregate beside a `$name` is taken over would depend on that event.
        """
        plain: list[Predicate] = []
        temporal: list[Temporal] = []
        correlated: list[Predicate] = []
        binds: list[tuple[str, AskedAttribute]] = []
        for predicate in conjunction.predicates:
            match predicate:
                case _ if isinstance(predicate, Temporal):
                    temporal.append(predicate)
                case Comparison(attribute, Operator.EQUAL, AskedValue(Reference(name), None)) if (
                    not is_inner
                ):
                    binds.append((name, attribute))
                case _ if _is_correlated(predicate):
                    correlated.append(predicate)
                case _:
                    plain.append(predicate)
        if is_inner and correlated and any(isinstance(one, WindowAggregate) for one in temporal):
            form = "an aggregate beside a reference ($) in inner braces"
            raise NotSupportedYet(form, write_pattern(conjunction))
        return cls(tuple(plain), tuple(temporal), tuple(correlated), tuple(binds))

    @property
    def needs_end(self) -> bool:
        """Whether it is asked of an event when it has ended, and not when it starts."""
        return any(map(_speaks_of_end, self.temporal))

    @property
    def read(self) -> tuple[AskedAttribute, ...]:
        """The approximate attributes whose values matter."""
        asked = [attribute_of(one) for one in self.temporal] + [one for _, one in self.binds]
        return tuple(dict.fromkeys(near for one in asked for near in approximate(one)))


def attribute_of(predicate: Temporal) -> AskedAttribute | None:
    """The attribute whose values are compared, or come to something."""
    match predicate:
        case HistoryFilter(attribute) | WindowAggregate(_, attribute):
            return attribute
    return None


def approximate(attribute: AskedAttribute | None) -> tuple[AskedAttribute, ...]:
    """An attribute, if it is approximate."""
    return () if attribute is None or attribute.approximation is None else (attribute,)


def _is_correlated(predicate: Predicate) -> bool:
    """Whether a plain predicate refers to another event."""
    return isinstance(predicate, MatchedPredicate) and any(
        isinstance(one.term, Reference) for one in asked_values(predicate)
    )


def _speaks_of_end(predicate: Temporal) -> bool:
    match predicate:
        case After(endpoint) | During(endpoint) | Simultaneous(endpoint):
            return endpoint is Endpoint.END
        case AllenRelated():
            return True
    return False


def is_shallow(pattern: Pattern) -> bool:
    """Whether all that answers it rests on events that answer by themselves.

    Then what is known of single events can be forgotten: it makes others answer less, or not at
    all. Elsewhere it may make something true (`not {...}` of what rested on them, an average).
    """
    match pattern:
        case Conjunction(predicates):
            asked = [one for one in predicates if isinstance(one, Temporal)]
            counts = [isinstance(one, WindowAggregate) for one in asked]
            looks_once = [isinstance(one, WindowAggregate | HistoryFilter) for one in asked]
            return (not any(counts) or all(looks_once)) and not any(
                is_in_time(one.inner) for one in asked if not isinstance(one, WindowAggregate)
            )
        case Alternation(alternatives):
            return all(map(is_shallow, alternatives))
        case Sequence(parts) | Coincidence(parts):
            return not any(map(is_in_time, parts))
        case Repetition(inner):
            return not is_in_time(inner)
        case Absence(missing, _, trigger):
            return not is_in_time(missing) and not is_in_time(trigger)


def only_loses(pattern: Pattern) -> bool:
    """Whether nothing answers it that did not before, when events are dropped."""
    match pattern:
        case Conjunction(predicates):
            return is_shallow(pattern) and not any(
                isinstance(one, WindowAggregate) for one in predicates
            )
        case Alternation(alternatives):
            return all(map(only_loses, alternatives))
    return is_shallow(pattern)
