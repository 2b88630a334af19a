"""Which subscriptions ask for more than what one event says by itself."""

from __future__ import annotations

from purport.model.subscription import (
    Absence,
    After,
    AllenRelated,
    Alternation,
    Conjunction,
    During,
    Endpoint,
    HistoryFilter,
    Pattern,
    Repetition,
    Sequence,
    Simultaneous,
    WindowAggregate,
)

TEMPORAL = After | During | Simultaneous | HistoryFilter | AllenRelated | WindowAggregate


def is_in_time(pattern: Pattern) -> bool:
    """Whether other events matter, or those that did not happen."""
    if not isinstance(pattern, Conjunction):
        return True
    return any(isinstance(one, TEMPORAL) for one in pattern.predicates)


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


def is_shallow(pattern: Pattern) -> bool:
    """Whether all that answers it rests on events that answer by themselves.

    Then what is known of single events can be forgotten: it makes others answer less, or not at
    all. Elsewhere it may make something true (`not {...}` of what rested on them, an average).
    """
    match pattern:
        case Conjunction(predicates):
            asked = [one for one in predicates if isinstance(one, TEMPORAL)]
            counts = [isinstance(one, WindowAggregate) for one in asked]
            looks_once = [isinstance(one, WindowAggregate | HistoryFilter) for one in asked]
            return (not any(counts) or all(looks_once)) and not any(
                is_in_time(one.inner) for one in asked if not isinstance(one, WindowAggregate)
            )
        case Alternation(alternatives):
            return all(map(is_shallow, alternatives))
        case Sequence(steps):
            return not any(map(is_in_time, steps))
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
