"""Which subscriptions ask for more than what one event says by itself."""

from __future__ import annotations

from purport.model.subscription import (
    After,
    AllenRelated,
    Conjunction,
    During,
    Endpoint,
    HistoryFilter,
    Pattern,
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
