"""Many publish at once: in few writes, and nobody is told what is wrong with another's events."""

import asyncio
from collections.abc import Iterator, Sequence

import pytest

from purport.broker.drafting import BacklogFull
from purport.broker.journal import MemoryJournal
from purport.broker.records import Entry
from purport.client.messages import EventReceipt
from purport.embedded.broker import Broker
from purport.errors import EventError
from purport.model.event import Event
from purport.service.desk import Desk, Overloaded
from purport.service.publisher import Publisher
from tests.embedded.brokers import exact


class CountingJournal(MemoryJournal):
    """Says how many entries were written at once."""

    def __init__(self) -> None:
        super().__init__()
        self.writes: list[int] = []

    def append(self, entries: Sequence[Entry]) -> None:
        self.writes.append(len(entries))
        super().append(entries)


class ReadJournal(MemoryJournal):
    """Says how many entries were read."""

    entries_read = 0

    def read(self, after: int = 0, through: int | None = None) -> Iterator[Entry]:
        for entry in super().read(after, through):
            self.entries_read += 1
            yield entry


def published(
    broker: Broker, *requests: tuple[str, str | None, str], most_waiting: int = 100
) -> list[list[EventReceipt] | BaseException]:
    """What becomes of requests of the same moment: a topic, a publisher, and an event."""

    async def all_at_once() -> list[list[EventReceipt] | BaseException]:
        desk = Desk(100)
        publisher = Publisher(broker, desk, remembered_ids=10, most_waiting=most_waiting)
        try:
            return await asyncio.gather(
                *(
                    publisher.publish([Event.from_json(event)], topic=topic, publisher=who)
                    for topic, who, event in requests
                ),
                return_exceptions=True,
            )
        finally:
            desk.close()

    return asyncio.run(all_at_once())


def test_what_comes_at_once_is_written_at_once() -> None:
    journal = CountingJournal()
    with Broker(journal, matcher=exact) as broker:
        told = published(broker, *[("", None, "{}")] * 50)

    assert [one[0].sequence for one in told if isinstance(one, list)] == list(range(1, 51))
    assert journal.writes[:2] == [50]


def test_what_differs_in_topic_or_publisher_is_written_apart_and_in_order() -> None:
    journal = CountingJournal()
    with Broker(journal, matcher=exact) as broker:
        told = published(
            broker, ("a", None, "{}"), ("a", None, "{}"), ("b", None, "{}"), ("b", "ann", "{}")
        )

    assert [one[0].sequence for one in told if isinstance(one, list)] == [1, 2, 3, 4]
    assert journal.writes == [2, 1, 1]


def test_an_id_is_published_once_of_all_requests() -> None:
    with Broker.in_memory(matcher=exact) as broker:
        told = published(broker, *[("", None, '{"@id": "a"}')] * 3)

        assert broker.sequence == 1
    assert [one[0].repeated for one in told if isinstance(one, list)] == [False, True, True]


def test_what_fails_fails_alone() -> None:
    with Broker.in_memory(matcher=exact) as broker:
        broker.subscribe("{heat > 4} as hot", most_waiting=1, overflow="refuse")
        hot, cold = ("", None, '{"heat": 5}'), ("", None, '{"heat": 1}')
        told = published(broker, cold, hot, hot, cold)

    assert [type(one) for one in told] == [list, list, BacklogFull, list]


def test_what_cannot_be_in_time_fails_alone() -> None:
    with Broker.in_memory(matcher=exact) as broker:
        broker.subscribe("{heat > 4} then {heat > 5} within 1 h as hotter")
        end = ("", None, '{"@id": "never begun", "@end": "2026-11-17T12:00:00Z"}')
        told = published(broker, ("", None, "{}"), end, ("", None, "{}"))

    assert [type(one) for one in told] == [list, EventError, list]


def test_no_more_waits_than_may() -> None:
    with Broker.in_memory(matcher=exact) as broker:
        told = published(broker, *[("", None, "{}")] * 5, most_waiting=3)

    assert [type(one) for one in told] == [list, list, list, Overloaded, Overloaded]


@pytest.mark.parametrize("count", [1, 7])
def test_after_the_broker_is_closed_everybody_is_told(count: int) -> None:
    broker = Broker.in_memory(matcher=exact)
    broker.close()

    told = published(broker, *[("", None, "{}")] * count)

    assert {type(one).__name__ for one in told} == {"BrokerClosed"}


def test_no_more_of_a_long_journal_is_read_than_may_be_for_the_ids_that_are_remembered() -> None:
    journal = ReadJournal()
    with Broker(journal, matcher=exact) as broker:
        broker.publish({"@id": "too old"})
        broker.publish_all([{"a": 1}] * 100)
        broker.publish_all([{"@id": "known"}, {"@id": "new"}])
        journal.entries_read = 0

        known = broker.published_ids(10)

    assert [one.id for one in known] == ["known", "new"]
    assert journal.entries_read == 40
