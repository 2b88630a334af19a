"""How many of 10,000 subscriptions does the matcher look at for one event?"""

from collections.abc import Iterator

from benchmarks.finding import Finding, quickest_seconds, ratio
from benchmarks.workload import city_subscriptions
from purport.demo.city import City
from purport.matching.matcher import Matcher
from purport.model.event import Event
from tests.oracles.brute_force_matcher import matching_subscriptions

SUBSCRIPTIONS = 10_000
EVENTS = 1_000
EVENTS_BY_BRUTE_FORCE = 5
MOST_VISITED = 0.05


def findings() -> Iterator[Finding]:
    subscriptions = city_subscriptions(SUBSCRIPTIONS)
    events = [Event.from_json(event.meant) for event in City(EVENTS, seed=99).happenings()]
    matcher = Matcher(subscriptions)

    matches = sum(len(matcher.match(event)) for event in events)
    visited = matcher.visited / (EVENTS * SUBSCRIPTIONS)
    indexed = quickest_seconds(lambda: [matcher.match(event) for event in events], runs=3) / EVENTS
    few = events[:EVENTS_BY_BRUTE_FORCE]
    tried = quickest_seconds(
        lambda: [matching_subscriptions(subscriptions, event) for event in few], runs=1
    )

    yield Finding(
        f"visited per event, of {SUBSCRIPTIONS:,} subscriptions",
        f"{visited:.2%}",
        f"{MOST_VISITED:.0%}",
        visited <= MOST_VISITED,
    )
    yield Finding("... of which match", f"{matches / (EVENTS * SUBSCRIPTIONS):.2%}")
    yield ratio("brute force compared with the index", tried / len(few), indexed)
    yield Finding("events a second with the index", f"{1 / indexed:,.0f}")
