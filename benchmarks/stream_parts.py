"""Where does the time of a stream go? What a worker does with a batch, step by step, on one core.

The events are those of `streaming`, in one file.
"""

import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchmarks.finding import Finding, quickest_seconds
from benchmarks.matching_workload import MatchingWorkload
from benchmarks.streaming import EVENTS_A_BATCH, json_lines
from purport import Matcher
from purport.matching.batches import Batch
from purport.matching.interned import Interned
from purport.matching.plain_lines import PlainLines
from purport.model.event import Event
from purport.model.event_lines import EventLines
from purport.pipeline.formats.json_lines import ToldLines
from purport.pipeline.found_matches import write_part
from purport.pipeline.outcomes import match_rows
from purport.relatedness.catalogue import defaults_are_made


def findings() -> Iterator[Finding]:
    if not defaults_are_made():
        yield Finding("the default space is not there: make space", "-")
        return
    workload = MatchingWorkload.generate(100, EVENTS_A_BATCH)
    with tempfile.TemporaryDirectory(prefix="purport-bench-") as temporary:
        path = Path(temporary) / "events.jsonl"
        path.write_bytes(json_lines(workload, 0))
        yield from _in_a_worker(path, Matcher(workload.subscriptions))


def _in_a_worker(path: Path, matcher: Matcher) -> Iterator[Finding]:
    yield _part("reading the file", quickest_seconds(path.read_bytes))
    text = path.read_bytes()

    def told() -> ToldLines:
        return ToldLines(EventLines("events.jsonl"), text)

    found = told().match(matcher)  # from here on all words are known
    batches: list[Batch] = []

    def parse(interned: Interned) -> Batch:
        batches[:] = [PlainLines.read(text, interned).batch()]
        return batches[0]

    parsing_and_matching = quickest_seconds(lambda: matcher.match_read(parse, _no_event))
    matching = quickest_seconds(lambda: matcher.match_read(lambda _: batches[0], _no_event))
    whole = quickest_seconds(lambda: told().match(matcher))
    yield _part("parsing the lines", parsing_and_matching - matching)
    yield _part("ids, and what came twice", whole - parsing_and_matching)
    yield _part("matching, in the kernel", matching)
    yield _part("matches to Arrow", quickest_seconds(lambda: list(match_rows(found, 1))))
    rows = list(match_rows(found, 1))
    yield _part("writing them as Parquet", quickest_seconds(partial(write_part, path.parent, rows)))
    yield Finding("matches an event", f"{sum(map(len, rows)) / EVENTS_A_BATCH:.2f}")


def _no_event(_: int) -> Event:
    raise AssertionError("no subscription of the workload looks at whole events")


def _part(what: str, seconds: float) -> Finding:
    return Finding(f"{what}, of an event", f"{1e6 * seconds / EVENTS_A_BATCH:.2f} µs")
