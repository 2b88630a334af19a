"""A broker and patterns in time against asking all of the past anew, restarts included."""

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from purport.broker.time_engine import HistoryLimits
from purport.embedded.broker import Broker
from purport.embedded.settings import BrokerSettings
from purport.errors import EventError
from purport.model.clock import ManualClock
from purport.model.interval import time_of
from purport.model.subscription import Subscription
from tests.embedded.brokers import quick_folder, told
from tests.oracles.temporal_arrivals import Passing, Publication, Step, told_over_time
from tests.strategies.temporal import allowances, exact_subscriptions, matcher, streams


class _PutClock(ManualClock):
    """A clock that may be put back."""

    def put(self, now: datetime) -> None:
        """Say what time it is from now on."""
        self._now = now


def _run(
    folder: Path, clock: _PutClock, steps: Sequence[Step], limits: HistoryLimits, every: int
) -> None:
    with _broker(folder, clock, limits, every) as broker:
        for step in steps:
            now = time_of(step.at if isinstance(step, Publication) else step.now)
            clock.put(now)
            with suppress(EventError):
                if isinstance(step, Publication):
                    broker.publish(step.event)
                else:
                    broker.run_due()


def _broker(folder: Path, clock: ManualClock, limits: HistoryLimits, every: int) -> Broker:
    made = BrokerSettings(history=limits, snapshot_every=every)
    return Broker.open(folder, matcher=matcher, clock=clock, settings=made, durability="relaxed")


def _forward(steps: Sequence[Step]) -> list[Step]:
    """The same, by a clock that is not put back."""
    now, found = 0, []
    for step in steps:
        now = max(now, step.at if isinstance(step, Publication) else step.now)
        found.append(
            replace(step, at=now) if isinstance(step, Publication) else replace(step, now=now)
        )
    return found


def _as_clocks_pass(steps: Sequence[Step]) -> list[Step]:
    """A broker lets its clock pass before each publication."""
    passed: list[Step] = []
    for step in steps:
        if isinstance(step, Publication):
            passed.append(Passing(step.at))
        passed.append(step)
    return passed


@settings(max_examples=40)
@given(exact_subscriptions, streams(), allowances, st.sampled_from([0, 2, None]), st.data())
def test_a_broker_tells_what_asking_anew_would_tell_though_it_is_restarted(
    subscription: Subscription,
    steps: list[Step],
    allowance: int,
    most_ahead: int | None,
    data: st.DataObject,
) -> None:
    steps = _forward(steps)  # what a journal says of when entries were made never goes back
    middle, every = data.draw(st.integers(0, len(steps))), data.draw(st.sampled_from([1, 3, 1000]))
    anew = told_over_time(
        [subscription],
        _as_clocks_pass(steps),
        matcher=matcher(),
        allowance=allowance,
        most_ahead=math.inf if most_ahead is None else most_ahead,
    )
    limits = HistoryLimits(
        allowance=timedelta(microseconds=allowance),
        most_ahead=None if most_ahead is None else timedelta(microseconds=most_ahead),
    )
    clock = _PutClock(time_of(0))
    with quick_folder() as name:
        folder = Path(name)
        with Broker.open(folder, matcher=matcher, clock=clock) as broker:
            broker.subscribe(subscription, name="asked")
        _run(folder, clock, steps[:middle], limits, every)
        _run(folder, clock, steps[middle:], limits, every)
        with _broker(folder, clock, limits, every) as broker:
            assert sorted(told(broker, "asked")) == sorted(one.event for one in anew)
