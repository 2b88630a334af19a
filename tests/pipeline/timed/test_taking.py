"""What tasks leave behind for time, taken in batches, gives what one engine gives."""

import tempfile
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql.pandas.types import to_arrow_schema

from purport.errors import EventError
from purport.model.event import Event
from purport.model.event_lines import events_in
from purport.model.interval import time_of
from purport.model.language.parse import parse
from purport.model.language.write import write
from purport.model.subscription import Subscription
from purport.pipeline.file_parts import FilePart
from purport.pipeline.formats.json_lines import json_lines
from purport.pipeline.matcher_spec import MatcherSettings
from purport.pipeline.tables import TIMED_EVENTS
from purport.pipeline.timed.asked import Asked
from purport.pipeline.timed.rows import TimedRows
from purport.pipeline.timed.taking import Taking, TimedRow, in_order, rows_of
from purport.temporal.engine import TemporalEngine
from tests.oracles.temporal_arrivals import Publication, Step
from tests.strategies.temporal import (
    FewWords,
    allowances,
    exact_subscriptions,
    matcher,
    near_subscriptions,
    streams,
)
from tests.strategies.wine_cellar import lasting_cellar_file

FEW_WORDS = MatcherSettings(
    measure=FewWords(),  # type: ignore[arg-type]
    ontology=(lasting_cellar_file(),),
)
Answers = list[tuple[str, str, float]]


def timed_files(steps: Sequence[Step], data: st.DataObject) -> list[list[bytes]]:
    """The lines of a stream, in files."""
    lines = [
        step.event.to_json()
        for step in steps
        if isinstance(step, Publication) and step.event.interval is not None
    ]
    cuts = sorted(data.draw(st.lists(st.integers(0, len(lines)), max_size=3)))
    return [lines[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(lines)], strict=True)]


def in_process(
    files: Sequence[Sequence[bytes]],
    subscriptions: Sequence[Subscription],
    allowance: timedelta,
    asked: Asked,
) -> tuple[Answers, int, int]:
    """What one engine tells, and how many events were late and how many contradict others.

    Late ones count that somebody asks for, and parts of events: of others tasks tell nothing.
    """
    plain = matcher(asked.matched)
    engine = TemporalEngine(FEW_WORDS.matcher, allowance=allowance)
    engine.add_all({write(one): one for one in subscriptions})
    told: Answers = []
    late = wrong = 0
    for number, lines in enumerate(files):
        for event in events_in(lines, f"{number}.jsonl"):
            if isinstance(event, Event):
                try:
                    taken = engine.take(event, time_of(0))
                except EventError:
                    wrong += 1
                    continue
                matters = asked.lets_all_pass or is_part(event) or plain.match(event)
                late += taken.late_by is not None and bool(matters)
                told += [
                    (one.subscription, one.event.id or "", round(one.probability, 5))
                    for one in taken.detections
                ]
    return sorted(told), late, wrong


def is_part(event: Event) -> bool:
    """Whether only the beginning or the end of something is told."""
    assert event.interval is not None
    return None in (event.interval.start, event.interval.end)


def rows_in_files(files: Sequence[Sequence[bytes]], asked: Asked) -> list[list[TimedRow]]:
    """What matters to time in each file."""
    told_by = matcher(asked.matched)
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for number, lines in enumerate(files):
            path = Path(folder) / f"{number}.jsonl"
            path.write_bytes(b"\n".join(lines))
            rows = TimedRows(asked)
            batches = [
                rows.take(told.match(told_by), 1.0).timed
                for told in json_lines(FilePart(path, path.name))
            ]
            kept = [one for one in (*batches, rows.last()) if one is not None]
            table = pa.Table.from_batches(kept, to_arrow_schema(TIMED_EVENTS))
            found.append(in_order(rows_of(table)))
    return found


def taken(
    batches: Sequence[Sequence[TimedRow]],
    subscriptions: Sequence[Subscription],
    allowance: timedelta,
    restart: int,
) -> tuple[Answers, int, int]:
    """What engines tell that begin anew before a batch."""
    texts = {write(one): one for one in subscriptions}
    since = dict.fromkeys(texts, 0)
    taking = Taking(FEW_WORDS, allowance)
    taking.subscribe(texts, since)
    told: Answers = []
    late = wrong = 0
    for number, rows in enumerate(batches):
        if number == restart:
            taking = Taking(FEW_WORDS, allowance)
            for before in batches[:number]:
                taking.take(before)
            taking.subscribe(texts, since)
        found = taking.take(rows)
        told += [(str(one[1]), str(one[0]), round(float(str(one[3])), 5)) for one in found.matches]
        late, wrong = late + found.late, wrong + len(found.letters)
    return sorted(told), late, wrong


def require_the_same(
    subscriptions: list[Subscription], steps: list[Step], late: int, data: st.DataObject
) -> None:
    allowance = timedelta(microseconds=late)
    files = timed_files(steps, data)
    asked = Asked.of(subscriptions, FEW_WORDS.matcher)
    restart = data.draw(st.integers(1, 3))

    expected = in_process(files, subscriptions, allowance, asked)

    assert taken(rows_in_files(files, asked), subscriptions, allowance, restart) == expected


def test_a_start_and_an_end_as_kbn_writes_them_are_one_event() -> None:
    asked = [parse("{kind = hot, end after {kind = mild}}")]
    files = [
        [
            b'{"kind": "mild", "@start": 1, "@end": 1}',
            b'{"PUB_ID": "f1", "KBN_PUB_TYPE": "START", "KBN_START_TIME": 2000, "kind": "hot"}',
            b'{"PUB_ID": "f2", "KBN_PUB_TYPE": "INSTANT", "KBN_START_TIME": 2000, '
            b'"KBN_END_TIME": 3000}',
        ],
        [b'{"PUB_ID": "f1", "KBN_PUB_TYPE": "END", "KBN_END_TIME": 3000}'],
    ]
    rows = rows_in_files(files, Asked.of(asked, FEW_WORDS.matcher))

    found, late, wrong = taken(rows, asked, timedelta(0), restart=1)

    assert [(event, probability) for _, event, probability in found] == [("f1", 1.0)]
    assert (late, wrong) == (0, 0)
    assert [row.event_id for row in rows[0] if row.event_id] == ["0.jsonl:1", "f1"]


@given(st.lists(exact_subscriptions, min_size=1, max_size=3), streams(), allowances, st.data())
def test_exact_subscriptions_are_told_what_one_engine_tells(
    subscriptions: list[Subscription], steps: list[Step], late: int, data: st.DataObject
) -> None:
    require_the_same(subscriptions, steps, late, data)


@given(st.lists(near_subscriptions, min_size=1, max_size=3), streams(), allowances, st.data())
def test_approximate_subscriptions_are_told_what_one_engine_tells(
    subscriptions: list[Subscription], steps: list[Step], late: int, data: st.DataObject
) -> None:
    require_the_same(subscriptions, steps, late, data)
