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


def waits_for_clock(pattern: Pattern) -> bool:
    """Whether it asks for something that does not happen, and so waits for the clock."""
    match pattern:
        case Conjunction():
            return False
        case Alternation(alternatives):
            return any(map(waits_for_clock, alternatives))
        case Sequence(steps):
            return any(map(waits_for_clock, steps))
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
