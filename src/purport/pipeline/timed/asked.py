"""Subscriptions of a job, by what answers them: single events, or what happens in time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from purport.errors import NotSupportedYet
from purport.matching.matcher import Matcher
from purport.model.language.label import label
from purport.model.subscription import Subscription
from purport.temporal.asked import is_in_time
from purport.temporal.engine import TemporalEngine

_FILTER = "\0filter "  # a name that nobody can write


@dataclass(frozen=True, slots=True)
class Asked:
    """What single events are matched against: subscriptions to them, and filters of the others.

    A filter is the plain part of a subscription to events in time. Some let all events pass.
    """

    matched: Sequence[Subscription]
    has_time: bool = False
    lets_all_pass: bool = False

    @classmethod
    def of(
        cls,
        subscriptions: Sequence[Subscription],
        matcher: Callable[[], Matcher],
        *,
        competes: bool = False,
    ) -> Asked:
        """What some subscriptions ask; `InvalidInput` or `NotSupportedYet` if one cannot be run."""
        plain, timed = split(subscriptions)
        if not timed:
            return cls(plain)
        if competes:
            raise NotSupportedYet("competition among events in time", label(timed[0]))
        engine = TemporalEngine(matcher)
        engine.add_all({str(number): one for number, one in enumerate(timed)})
        filters = [
            replace(one, name=f"{_FILTER}{number}")
            for number, one in enumerate(engine.filters.asked)
        ]
        return cls([*plain, *filters], True, engine.filters.lets_all_pass)


def split(
    subscriptions: Sequence[Subscription],
) -> tuple[list[Subscription], list[Subscription]]:
    """Those that one event answers, and those that are about what happens in time."""
    plain = [one for one in subscriptions if not is_in_time(one.pattern)]
    return plain, [one for one in subscriptions if is_in_time(one.pattern)]


def is_filter(subscription: Subscription) -> bool:
    """Whether this is the plain part of a subscription to events in time."""
    return (subscription.name or "").startswith(_FILTER)
