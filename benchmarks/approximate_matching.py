"""How quick is approximate matching, on the default measure's real scores?

The workload is that of TOIT'14 (subscriptions of three predicates, half of their parts relaxed, ten
statements in an event), with three values in ten that never come again.
"""

import resource
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from benchmarks.finding import Finding, at_least, at_most, quickest_seconds
from benchmarks.matching_workload import WORDS, MatchingWorkload
from benchmarks.numpy_matching import NumpyMatcher
from purport import Event, Matcher
from purport.matching.batches import batch_of_objects
from purport.matching.compiled_matcher import CompiledMatcher, Optimisations
from purport.matching.matcher import Matcher as AnyMatcher
from purport.matching.measures import Measures
from purport.matching.plan import DEFAULTS, Mode, SubscriptionPlan
from purport.model.subscription import Subscription
from purport.relatedness.catalogue import defaults_are_made

EVENTS = 50_000
EVENTS_BY_NUMPY = 1_000
SINGLE_EVENTS = 5_000
MANY = ((1_000, 700_000), (10_000, 100_000), (100_000, 10_000))


def findings() -> Iterator[Finding]:
    if not defaults_are_made():
        yield Finding("the default space is not there: make space", "-")
        return
    measures = Measures("calibrated")
    workload = MatchingWorkload.generate(100, EVENTS)
    yield from _against_numpy(workload, measures)
    yield from _from_outside(workload)
    yield from _optimisations(workload)
    for count, least in MANY:
        yield from _many_subscriptions(count, least)


def compiled(
    subscriptions: Sequence[Subscription], measures: Measures, use: Optimisations | None = None
) -> CompiledMatcher:
    """Subscriptions, compiled."""
    matcher = CompiledMatcher(measures, use or Optimisations())
    for one in subscriptions:
        matcher.add(SubscriptionPlan.of(one, measures, DEFAULTS[Mode.DEFAULT]))
    return matcher


def _against_numpy(workload: MatchingWorkload, measures: Measures) -> Iterator[Finding]:
    matcher = compiled(workload.subscriptions, measures)
    interned = matcher.interned()
    batch = batch_of_objects(workload.events, interned)
    rival = NumpyMatcher(workload.subscriptions, measures, interned)
    found = matcher.match(batch)
    some = found.events < EVENTS_BY_NUMPY
    ours = set(zip(found.events[some].tolist(), found.slots[some].tolist(), strict=True))
    events = range(EVENTS_BY_NUMPY)
    theirs = {(event, slot) for event in events for slot, _, _ in rival.match(batch, event)}
    yield Finding("kernel and NumPy find the same", str(ours == theirs), "True", ours == theirs)
    yield Finding("matches an event", f"{len(found.events) / EVENTS:.2f}")
    numpy = quickest_seconds(
        lambda: [rival.match(batch, event) for event in range(EVENTS_BY_NUMPY)], runs=3
    )
    kernel = quickest_seconds(lambda: matcher.match(batch))
    yield at_least("events a second in the kernel", EVENTS / kernel)
    yield at_least(
        "NumPy, event by event, takes", numpy / EVENTS_BY_NUMPY / (kernel / EVENTS), 30, " x"
    )
    larger = batch_of_objects(workload.events * 8, interned)
    one, two = (
        quickest_seconds(partial(matcher.match, larger, threads), runs=10) for threads in (1, 2)
    )
    yield at_least("one thread takes, of the time of two", one / two, 1.7, " x")


def _from_outside(workload: MatchingWorkload) -> Iterator[Finding]:
    matcher = Matcher(workload.subscriptions)
    table = workload.table()
    matcher.match_table(table)
    seconds = quickest_seconds(lambda: matcher.match_table(table))
    yield at_least("events a second, Arrow dictionaries to Arrow", EVENTS / seconds, 1_000_000)
    seconds = quickest_seconds(lambda: matcher.match_table(table, threads=2))
    yield at_least("the same on two threads", EVENTS / seconds)
    seconds = quickest_seconds(lambda: matcher.match_batch(workload.events))
    yield at_least("events a second, from dicts in batches", EVENTS / seconds, 180_000)
    events = [Event.from_json(one) for one in workload.events[:SINGLE_EVENTS]]
    seconds = quickest_seconds(lambda: [matcher.match(event) for event in events])
    yield at_least("events a second, one by one", SINGLE_EVENTS / seconds, 30_000)


def _optimisations(workload: MatchingWorkload) -> Iterator[Finding]:
    """What each optimisation saves: how many times longer it takes without it."""
    slices = [workload.events[start : start + 500] for start in (0, 500, 1000)]
    words = [dict(list(event.items())[:WORDS]) for some in slices for event in some]
    seconds = {}
    for left_out in ("", *Optimisations.__dataclass_fields__):
        use = Optimisations(**{left_out: False}) if left_out else Optimisations()
        matcher = Matcher(workload.subscriptions, optimisations=use)
        matcher.match_batch(words)
        seconds[left_out] = min(
            quickest_seconds(partial(matcher.match_batch, some), runs=1) for some in slices
        )
    for left_out in seconds:
        if left_out:
            yield Finding(
                f"without {left_out}, a batch takes", f"{seconds[left_out] / seconds['']:.2f} x"
            )


def _many_subscriptions(count: int, least: float) -> Iterator[Finding]:
    workload = MatchingWorkload.generate(count, 20_000, threshold=0.8)
    table = workload.table()
    before = resident_bytes()
    started = time.perf_counter()
    matcher = Matcher(workload.subscriptions)
    building = time.perf_counter() - started
    matcher.match_table(table.slice(0, 2_000))
    grown = (resident_bytes() - before) / count
    first = quickest_seconds(lambda: matcher.match_table(table, threads=2), runs=1)
    seconds = quickest_seconds(lambda: matcher.match_table(table, threads=2), runs=3)
    found = len(matcher.match_table(table)) / len(workload.events)
    yield Finding(f"{count:,} subscriptions are taken up in", f"{building:.1f} s")
    yield Finding(f"{count:,} subscriptions: matches an event", f"{found:.1f}")
    yield Finding(f"{count:,} subscriptions: first run, words unseen", f"{first:.1f} s")
    yield at_least(f"{count:,} subscriptions: events a second", 20_000 / seconds, least)
    if count >= 100_000:
        yield at_most(f"{count:,} subscriptions: bytes for one", grown, 2_048)
        yield from _changes(matcher, workload)


def _changes(matcher: AnyMatcher, workload: MatchingWorkload) -> Iterator[Finding]:
    """What adding and removing one subscription costs, beyond the matches that follow."""
    events = workload.events[:1_000]
    extra = MatchingWorkload.generate(200, 10, threshold=0.8, seed=77).subscriptions
    matcher.match_batch(events)

    def changed(change: Sequence[tuple[str, Subscription]]) -> float:
        plain = quickest_seconds(lambda: matcher.match_batch(events), runs=3)
        taken = []
        for verb, one in change:
            started = time.perf_counter()
            getattr(matcher, verb)(one)
            matcher.match_batch(events)
            taken.append(time.perf_counter() - started)
        return 1000 * (sorted(taken)[len(taken) // 2] - plain)

    new = [Subscription(one.pattern, one.options) for one in extra[:20]]
    yield at_most(
        "one more subscription, and 1,000 events: more ms", changed([("add", o) for o in new]), 10
    )
    yield at_most("one less, and 1,000 events: more ms", changed([("remove", o) for o in new]), 10)


def resident_bytes() -> int:
    """Bytes in memory now."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize()
