"""From a spool into the journal: what cannot be taken holds up nothing, what can wait waits."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from purport.broker.journal import JournalError
from purport.broker.records import Overflow, Published
from purport.embedded.broker import Broker
from purport.mqtt.message import Message
from purport.service.desk import Desk
from purport.service.mqtt.dead_letters import DeadLetters
from purport.service.mqtt.intake import Intake
from purport.service.mqtt.trouble import Trouble
from purport.service.publisher import Publisher
from purport.spool.spool import Spool
from tests.embedded.brokers import exact
from tests.mqtt.test_bridge_reading import reader

_LATEST_SECONDS = 30.0


class Way:
    """A spool in the place of a broker of MQTT, and the intake behind it."""

    def __init__(self, folder: Path, broker: Broker, spool: Spool) -> None:
        self.broker, self.spool = broker, spool
        self.desk = Desk(100)
        self.publisher = Publisher(broker, self.desk, remembered_ids=1_000, most_waiting=100)
        self.dead, self.trouble = DeadLetters(folder, "0f"), Trouble("city")
        self._reader = reader(folder)

    def intake(self) -> Intake:
        return Intake(
            self.broker, self.desk, self.publisher, reader=self._reader, spool=self.spool,
            dead_letters=self.dead, owner="service", trouble=self.trouble,
        )  # fmt: skip

    def run(self, is_over: Callable[[Intake], bool]) -> Intake:
        """Run until something is so."""

        async def running() -> Intake:
            intake = self.intake()
            task = asyncio.create_task(intake.run())
            try:
                async with asyncio.timeout(_LATEST_SECONDS):
                    while not is_over(intake):
                        await asyncio.sleep(0.005)
            finally:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
            return intake

        return asyncio.run(running())

    def numbers(self) -> list[int]:
        """What is in the journal."""
        events = [one.event for one in self.broker.entries(0) if isinstance(one.record, Published)]
        return [int(str(one.id).rpartition(":")[2]) for one in events if one is not None]


@pytest.fixture
def way(tmp_path: Path, spool: Spool) -> Iterator[Way]:
    with Broker.in_memory(matcher=exact) as broker:
        made = Way(tmp_path, broker, spool)
        yield made
        made.desk.close()


def fill(spool: Spool, payloads: Sequence[bytes]) -> None:
    spool.append([Message("city/n/t", one) for one in payloads])


def all_read(intake: Intake) -> bool:
    return intake.position > 0 and not intake.lag


def test_a_message_that_breaks_something_is_a_dead_letter_and_the_rest_goes_on(
    way: Way, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(way.spool, [b'{"n": %d}' % number for number in range(50)])
    take = way.publisher.take

    def breaking(arrivals: Sequence[Any], publisher: str | None) -> Any:
        if any(one.origin.sequence in (7, 30) for one in arrivals):
            raise ValueError("a mistake in here")
        return take(arrivals, publisher)

    monkeypatch.setattr(way.publisher, "take", breaking)
    intake = way.run(all_read)

    assert way.numbers() == [number for number in range(50) if number not in (7, 30)]
    assert [one.position for one in way.dead.shown()] == [30, 7]
    assert (intake.published, intake.repeated) == (48, 0)


def test_a_journal_that_cannot_be_written_is_waited_for_and_said_once(
    way: Way, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    fill(way.spool, [b'{"n": 1}', b'{"n": 2}'])
    take, failures = way.publisher.take, iter(range(3))

    def failing(arrivals: Sequence[Any], publisher: str | None) -> Any:
        if next(failures, None) is not None:
            raise JournalError("the disk is full")
        return take(arrivals, publisher)

    monkeypatch.setattr(way.publisher, "take", failing)
    way.run(all_read)

    assert way.numbers() == [0, 1]
    assert caplog.text.count("the disk is full") == 1
    assert way.trouble.reason == ""


def test_a_subscriber_who_makes_publishers_wait_gets_all_that_fits_and_then_the_rest(
    way: Way,
) -> None:
    fill(way.spool, [b'{"n": %d}' % number for number in range(20)])
    slow = way.broker.subscribe(
        "{n >= 0} as slow", most_waiting=3, overflow=Overflow.REFUSE, durable=True
    )
    way.run(lambda intake: intake.published == 3 and bool(way.trouble.reason))
    assert "'slow'" in way.trouble.reason and way.numbers() == [0, 1, 2]

    def taken(intake: Intake) -> bool:
        list(slow.waiting())
        return all_read(intake)

    way.run(taken)

    assert way.numbers() == list(range(20))


def test_what_was_dropped_before_it_was_read_is_counted_as_lost(
    tmp_path: Path, way: Way, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("purport.service.mqtt.intake._AT_ONCE", 1)
    way.spool = small = Spool.open(tmp_path / "small", most_bytes=4_096, segment_bytes=512)
    for number in range(20):
        fill(small, [b'{"n": %d, "more": "%s"}' % (number, b"x" * 100)])
    slow = way.broker.subscribe("{n >= 0}", most_waiting=1, overflow=Overflow.REFUSE)

    def dropped(intake: Intake) -> bool:
        if way.trouble.reason and small.first < 5:  # the second one was read, and waits
            small.drop_oldest()
        list(slow.waiting() if small.first >= 5 else ())
        return all_read(intake)

    intake = way.run(dropped)
    small.close()

    kept = way.numbers()
    assert kept[:2] == [0, 1] and kept[2] >= 5
    assert kept[2:] == list(range(kept[2], 20))
    assert intake.lost == kept[2] - 2


def test_large_messages_are_not_all_read_at_once(way: Way, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("purport.service.mqtt.intake._MOST_BYTES", 10)
    for number in range(5):
        fill(way.spool, [b'{"number": %d}' % number])
    sizes: list[int] = []
    take = way.publisher.take

    def counted(arrivals: Sequence[Any], publisher: str | None) -> Any:
        sizes.append(len(arrivals))
        return take(arrivals, publisher)

    monkeypatch.setattr(way.publisher, "take", counted)
    way.run(all_read)

    assert sizes == [1] * 5 and way.numbers() == list(range(5))
