"""What every journal promises."""

import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from purport.broker.journal import Journal, JournalError, Snapshot
from purport.broker.records import (
    Acknowledged,
    Addressee,
    Answered,
    AnswerTold,
    Entry,
    Published,
    Record,
    Subscribed,
    Told,
    ToldChange,
    Unsubscribed,
    Updated,
    addressees,
)
from purport.model.event import Event

_START = 1_700_000_000_000_000


Step = tuple[str, object]
_STEPS = st.one_of(
    st.tuples(st.just("append"), st.lists(st.sets(st.sampled_from("abc")), min_size=1, max_size=7)),
    st.tuples(st.just("resubscribe"), st.sampled_from("abc")),
    st.tuples(st.just("seal"), st.booleans()),
    st.tuples(st.just("drop"), st.integers(0, 30)),
    st.tuples(st.just("snapshot"), st.binary(max_size=20)),
    st.tuples(st.just("reopen"), st.none()),
)


class Sample:
    """Makes entries that follow each other, as a broker would: numbers without gaps."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self._numbers: dict[str, int] = {}

    def publish(self, *subscriptions: str) -> Entry:
        """A publication that these subscriptions are told of."""
        told = []
        for name in subscriptions:
            number = self._numbers.get(name, 0)
            self._numbers[name] = number + 1
            told.append(Told(name, number, Answered(0.5, (0,), (0.25,))))
        sequence = len(self.entries) + 1
        event = Event.from_json({"@id": f"event-{sequence}", "room": "Küche ☂", "heat": sequence})
        return self._add(Published(tuple(told), topic="home"), event)

    def update(self, *subscriptions: str) -> Entry:
        """An update by which the answers of these subscriptions change, the same way for all."""
        to = []
        for name in subscriptions:
            number = self._numbers.get(name, 0)
            self._numbers[name] = number + 1
            to.append(Addressee(name, number))
        told = (ToldChange(tuple(to), ({"x": '"ü"@de'},), ({"x": "_:b1"},)),)
        return self._add(Updated("INSERT ...", ('<urn:a> <urn:b> "ü"@de',), told=told))

    def record(self, record: Record) -> Entry:
        """Anything else."""
        return self._add(record)

    def publications(self, count: int, *subscriptions: str) -> list[Entry]:
        """Some publications, one after the other."""
        return [self.publish(*subscriptions) for _ in range(count)]

    def _add(self, record: Record, event: Event | None = None) -> Entry:
        sequence = len(self.entries) + 1
        entry = Entry(sequence, _START + sequence // 2, record, event)
        self.entries.append(entry)
        return entry

    def told(self, subscription: str, first: int) -> list[tuple[int, Entry]]:
        """What a subscription was told of, in the entries that are kept."""
        return [
            (told.number, entry)
            for entry in self.entries[first - 1 :]
            for told in addressees(entry.record)
            if told.subscription == subscription
        ]


class JournalContract:
    """A test class for a journal inherits this and says how to `open` one in a folder."""

    lasts = True  # it can be opened again
    examples = 0.2  # of what the profile says

    def open(self, folder: Path) -> Journal:
        raise NotImplementedError

    @pytest.fixture
    def journal(self, tmp_path: Path) -> Iterator[Journal]:
        journal = self.open(tmp_path)
        yield journal
        journal.close()

    @pytest.fixture
    def sample(self) -> Sample:
        return Sample()

    def test_a_new_journal_is_empty(self, journal: Journal) -> None:
        assert (journal.first, journal.last) == (1, 0)
        assert list(journal.read()) == []
        assert list(journal.told("a", -1, 10)) == []
        assert journal.numbered_since("a", 0) is None
        assert journal.snapshot() is None
        assert list(journal.stretches()) == []
        assert journal.seal(all_of_it=True) is None
        assert journal.drop(10) == 0

    def test_entries_are_read_as_they_were_appended(self, journal: Journal, sample: Sample) -> None:
        sample.record(Subscribed("a", "{room = kitchen}", owner="Ada"))
        sample.publications(3, "a")
        sample.record(Acknowledged("a", 1))
        sample.publish()

        journal.append(sample.entries[:4])
        journal.append(sample.entries[4:])

        assert (journal.first, journal.last) == (1, 6)
        assert list(journal.read()) == sample.entries
        assert list(journal.read(after=2)) == sample.entries[2:]
        assert list(journal.read(after=2, through=4)) == sample.entries[2:4]
        assert list(journal.read(after=6)) == []
        assert list(journal.read(after=100)) == []
        assert list(journal.read(through=0)) == []

    def test_nothing_may_be_appended(self, journal: Journal) -> None:
        journal.append([])

        assert journal.last == 0

    def test_entries_that_do_not_follow_are_refused_as_a_whole(
        self, journal: Journal, sample: Sample
    ) -> None:
        sample.publications(5, "a")
        journal.append(sample.entries[:2])

        for wrong in (sample.entries[3:], sample.entries[:1], sample.entries[2:3] * 2):
            with pytest.raises(JournalError):
                journal.append(wrong)

        assert list(journal.read()) == sample.entries[:2]
        assert list(journal.told("a", -1, 10)) == sample.entries[:2]
        journal.append(sample.entries[2:])
        assert list(journal.read()) == sample.entries

    def test_a_subscription_is_told_in_the_order_of_its_numbers(
        self, journal: Journal, sample: Sample
    ) -> None:
        for number in range(20):
            sample.publish(*(["a"] if number % 2 else ["a", "b"]))
        journal.append(sample.entries)

        assert list(journal.told("a", -1, 100)) == sample.entries
        assert list(journal.told("b", -1, 100)) == sample.entries[::2]
        assert list(journal.told("b", 3, 2)) == sample.entries[8:12:2]
        assert list(journal.told("b", 9, 2)) == []
        assert list(journal.told("c", -1, 2)) == []

    def test_a_subscription_is_told_of_updates_under_the_same_numbers(
        self, journal: Journal, sample: Sample
    ) -> None:
        for number in range(20):
            if number % 3:
                sample.update(*(["a"] if number % 2 else ["a", "b"]))
            else:
                sample.publish("a")
        sample.record(AnswerTold((ToldChange((Addressee("a", 20),), is_whole=True),)))
        journal.append(sample.entries)
        _seal_all(journal)

        assert list(journal.read()) == sample.entries
        assert list(journal.told("a", -1, 100)) == sample.entries
        assert list(journal.told("b", -1, 100)) == [entry for _, entry in sample.told("b", 1)]
        assert list(journal.told("a", 18, 100)) == sample.entries[19:]

    def test_numbers_are_found_by_time(self, journal: Journal, sample: Sample) -> None:
        for number in range(20):
            sample.publish(*(["a"] if number % 2 else ["a", "b"]))
        journal.append(sample.entries)

        for at in range(_START - 1, _START + 13):
            expected = [number for number, entry in sample.told("b", 1) if entry.at >= at]
            assert journal.numbered_since("b", at) == (expected[0] if expected else None)

    def test_the_last_snapshot_is_kept(self, journal: Journal, sample: Sample) -> None:
        journal.append(sample.publications(9))

        for sequence in (3, 5, 9, 9):
            journal.keep_snapshot(Snapshot(sequence, b"state \x00 %d" % sequence))
            assert journal.snapshot() == Snapshot(sequence, b"state \x00 %d" % sequence)

    def test_sealing_and_dropping_change_nothing_in_what_stays(
        self, journal: Journal, sample: Sample
    ) -> None:
        sample.publications(20, "a", "b")
        journal.append(sample.entries)
        _seal_all(journal)
        journal.append(sample.publications(2, "a"))

        dropped = journal.drop(8)

        assert 0 <= dropped <= 8
        assert (journal.first, journal.last) == (dropped + 1, 22)
        assert list(journal.read()) == sample.entries[dropped:]
        assert list(journal.read(after=1, through=12)) == sample.entries[max(1, dropped) : 12]
        assert list(journal.told("b", -1, 100)) == sample.entries[dropped:20]
        assert journal.numbered_since("a", 0) == dropped
        assert journal.drop(8) == 0

    def test_a_journal_remembers_where_it_is_when_everything_is_dropped(
        self, journal: Journal, sample: Sample
    ) -> None:
        journal.append(sample.publications(7, "a"))
        _seal_all(journal)

        assert journal.drop(7) == 7

        assert (journal.first, journal.last) == (8, 7)
        assert list(journal.read()) == []
        assert list(journal.told("a", -1, 10)) == []
        after = sample.publish("a")
        journal.append([after])
        assert list(journal.told("a", 2, 10)) == [after]

    def test_what_was_begun_to_read_is_read_to_its_end(
        self, journal: Journal, sample: Sample
    ) -> None:
        journal.append(sample.publications(20))
        reading = journal.read()
        before = [next(reading) for _ in range(2)]

        _seal_all(journal)
        journal.append(sample.publications(5))

        assert before + list(reading) == sample.entries[:20]

    def test_what_is_dropped_while_it_is_read_is_left_out(
        self, journal: Journal, sample: Sample
    ) -> None:
        journal.append(sample.publications(20))
        _seal_all(journal)
        reading = journal.read()
        seen = [next(reading)]

        journal.drop(14)
        seen += reading

        sequences = [entry.sequence for entry in seen]
        assert sequences == sorted(set(sequences))
        kept = [entry for entry in seen if entry.sequence >= journal.first]
        assert kept == sample.entries[journal.first - 1 :]

    def test_a_closed_journal_can_be_closed_again(self, tmp_path: Path) -> None:
        journal = self.open(tmp_path)
        journal.close()
        journal.close()

    def test_it_reads_like_a_list_whatever_was_done(
        self, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        @settings(max_examples=int(settings().max_examples * self.examples))
        @given(st.lists(_STEPS, max_size=15))
        def whatever(steps: Sequence[Step]) -> None:
            self._walk(steps, tmp_path_factory.mktemp("journal"))

        whatever()

    def _walk(self, steps: Sequence[Step], folder: Path) -> None:
        sample, snapshot = Sample(), None
        journal = self.open(folder)
        try:
            for step in steps:
                match step:
                    case "append", list(told):
                        journal.append([sample.publish(*sorted(names)) for names in told])
                    case "resubscribe", str(name):
                        journal.append([sample.record(Unsubscribed(name))])
                    case "seal", bool(all_of_it):
                        journal.seal(all_of_it=all_of_it)
                    case "drop", int(through):
                        first = journal.first
                        assert journal.drop(through) == journal.first - first
                        assert journal.first <= max(first, through + 1)
                    case "snapshot", bytes(state):
                        snapshot = Snapshot(journal.last, state)
                        journal.keep_snapshot(snapshot)
                    case "reopen", _ if self.lasts:
                        journal.close()
                        journal = self.open(folder)
                _require_like(journal, sample, snapshot)
        finally:
            journal.close()


class SharedJournalContract(JournalContract):
    """The same of a journal that threads read, beside one that appends and one that seals."""

    def test_threads_read_while_one_appends_and_another_seals(
        self, journal: Journal, sample: Sample
    ) -> None:
        sample.publications(150, "a")
        problems: list[str] = []
        is_done = threading.Event()

        def look() -> None:
            while not is_done.is_set():
                seen = list(journal.read())
                if seen != sample.entries[: len(seen)]:
                    problems.append(f"read {[entry.sequence for entry in seen]}")
                told = journal.told("a", 4, 50)
                if list(told) != sample.entries[5 : 5 + len(told)]:
                    problems.append(f"told {[entry.sequence for entry in told]}")

        def seal() -> None:
            while not is_done.is_set():
                journal.seal()

        threads = [threading.Thread(target=_noting(one, problems)) for one in (look, look, seal)]
        for thread in threads:
            thread.start()
        for begin in range(0, 150, 5):
            journal.append(sample.entries[begin : begin + 5])
        is_done.set()
        for thread in threads:
            thread.join()

        assert problems == []
        assert list(journal.read()) == sample.entries


def _require_like(journal: Journal, sample: Sample, snapshot: Snapshot | None) -> None:
    first = journal.first
    assert journal.last == len(sample.entries)
    assert list(journal.read()) == sample.entries[first - 1 :]
    assert journal.snapshot() == snapshot
    for name in "abc":
        told = sample.told(name, first)
        assert list(journal.told(name, -1, 100)) == [entry for _, entry in told]
        middle = sample.entries[len(sample.entries) // 2].at if sample.entries else 0
        since = [number for number, entry in told if entry.at >= middle]
        assert journal.numbered_since(name, middle) == (since[0] if since else None)
    assert _covered(journal) == sorted(_covered(journal))


def _covered(journal: Journal) -> Sequence[int]:
    return [n for one in journal.stretches() for n in range(one.first, one.last + 1)]


def _seal_all(journal: Journal) -> None:
    while journal.seal(all_of_it=True):
        pass


def _noting(act: Callable[[], None], problems: list[str]) -> Callable[[], None]:
    def noted() -> None:
        try:
            act()
        except Exception as error:  # noqa: BLE001
            problems.append(repr(error))

    return noted
