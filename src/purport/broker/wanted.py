"""What a broker wants to hear of for somebody who subscribes there: as interests."""

from __future__ import annotations

from dataclasses import replace

from purport.broker.asked import Query
from purport.broker.gate import asked_of, contraries
from purport.broker.registry import Registration
from purport.covering.interest import EVERYTHING, PARTS
from purport.model.language.write import write
from purport.model.subscription import Subscription
from purport.temporal.asked import is_in_time
from purport.temporal.plain_parts import plain_parts


def wanted_for(registration: Registration) -> frozenset[str]:
    """The texts of the interests that have all events come that a registration needs.

    None for a query: graphs are each broker's own. A pattern in time is judged where it is asked
    for, and wants what its braces ask of single events, also while it is paused: what happens then
    counts later.
    """
    asked = registration.subscription
    if registration.is_link or isinstance(asked, Query):
        return frozenset()
    if is_in_time(asked.pattern):
        parts = plain_parts(asked)
        return frozenset((EVERYTHING,)) if parts is None else frozenset((PARTS, *map(write, parts)))
    if registration.is_paused:
        return frozenset()
    opposites = contraries(asked) if asked.options.on_change else ()
    return frozenset(write(_plain(one)) for one in (asked_of(asked), *opposites))


def _plain(subscription: Subscription) -> Subscription:
    """The same without how many mappings are told."""
    return replace(subscription, options=replace(subscription.options, top=None))
