"""How quick is approximate matching, on the default measure's real scores?

The workload is that of TOIT'14 (100 subscriptions of 3 predicates, half of their parts relaxed),
with a reading in each event that does not come again.
"""

import random
import time
from collections.abc import Iterator

from benchmarks.measure import Finding, quickest_seconds, ratio
from purport import Event, Matcher
from purport.evaluation.toit14.experiment import event_of, subscription_of
from purport.evaluation.toit14.thesaurus import Thesaurus
from purport.evaluation.toit14.workload import Workload, WorkloadSettings
from purport.matching.plan import DEFAULTS, Mode, SubscriptionPlan
from purport.model.event import Statement
from purport.model.term import Text
from purport.model.units import Quantity
from purport.relatedness.catalogue import defaults_are_made

EVENTS = 400


def findings() -> Iterator[Finding]:
    if not defaults_are_made():
        yield Finding("the default space is not there: make space", "-")
        return
    workload = Workload.generate(WorkloadSettings(1, events=EVENTS), Thesaurus.curated())
    subscriptions = [subscription_of(one) for one in workload.relaxed(0.5)]
    drawn = random.Random(1)
    events = [_with_reading(event_of(one.statements), drawn) for one in workload.events]
    started = time.perf_counter()
    matcher = Matcher(subscriptions)
    matcher.learn(events)
    learning = time.perf_counter() - started
    yield Finding(f"{EVENTS} events' words learnt beforehand", f"{learning:.1f} s")
    found = [matcher.match(event) for event in events]
    screened = quickest_seconds(lambda: [matcher.match(event) for event in events], runs=3)
    visited = matcher.work.subscriptions_visited / (matcher.work.events * len(subscriptions))
    yield Finding("events a second, words seen before", f"{EVENTS / screened:,.0f}")
    yield Finding("matches an event", f"{sum(map(len, found)) / EVENTS:.2f}")
    yield Finding("subscriptions looked at exactly", f"{visited:.2%}")
    defaults = DEFAULTS[Mode.DEFAULT]
    plans = [SubscriptionPlan.of(one, matcher.measures, defaults) for one in subscriptions]
    some = events[:20]
    one_by_one = quickest_seconds(
        lambda: [plan.mappings(event, 1) for event in some for plan in plans], runs=1
    )
    yield ratio("subscription by subscription", one_by_one / len(some), screened / EVENTS)


def _with_reading(event: Event, drawn: random.Random) -> Event:
    reading = Statement(Text("value"), Quantity(round(drawn.uniform(0, 1000), 6)))
    return Event((*event.statements, reading))
