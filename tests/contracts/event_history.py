"""What every history of events promises."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from purport.model.event import Statement
from purport.model.term import Text
from purport.model.units import Quantity
from purport.temporal.history import Dropped, EventHistory, HistoryError
from purport.temporal.occurrence import Occurrence
from tests.strategies.occurrences import IDS, occurrences, times

Step = tuple[str, object]
_LONG = 2**62
_STEPS = st.one_of(
    st.tuples(st.just("keep"), st.lists(occurrences(odd=True), max_size=5)),
    st.tuples(st.just("drop before"), times),
    st.tuples(st.just("drop to"), st.integers(0, 6)),
    st.tuples(st.just("reopen"), st.none()),
)


def occurrence(
    identifier: str, start: int, end: int | None, sequence: int = 0, *, is_late: bool = False
) -> Occurrence:
    """An occurrence that says a little."""
    said = (Statement(Text("A"), Quantity(start)), Statement(Text("Küche"), Text("☂", "de")))
    return Occurrence(identifier, start, end, said, sequence, is_late=is_late)


class EventHistoryContract:
    """A test class for a history inherits this and says how to `open` one in a folder."""

    lasts = True  # it can be opened again
    examples = 0.3  # of what the profile says

    def open(self, folder: Path) -> EventHistory:
        raise NotImplementedError

    @pytest.fixture
    def history(self, tmp_path: Path) -> Iterator[EventHistory]:
        history = self.open(tmp_path)
        yield history
        history.close()

    def test_a_new_history_is_empty(self, history: EventHistory) -> None:
        assert history.applied == 0
        assert history.late() == 0
        assert history.find("a") is None
        assert list(history.all()) == list(history.open()) == list(history.ended_between()) == []
        assert list(history.going_on_at(3)) == list(history.last_before(3)) == []
        assert history.drop(before=10, most=0) == []

    def test_what_was_kept_is_found(self, history: EventHistory) -> None:
        one, other = occurrence("a", 1, 5, sequence=2), occurrence("b", 2, None, sequence=1)

        history.keep([one, other], applied=7)

        assert history.applied == 7
        assert (history.find("a"), history.find("b"), history.find("c")) == (one, other, None)
        assert list(history.all()) == [other, one]

    def test_it_knows_when_the_last_entry_was_made(self, tmp_path: Path) -> None:
        history = self.open(tmp_path)
        assert history.applied_at is None
        for applied, at in ((1, 10**15), (2, None), (3, -5), (3, 10**15 + 1)):
            history.keep([], applied, at)
            if self.lasts:
                history.close()
                history = self.open(tmp_path)
            assert (history.applied, history.applied_at) == (applied, at)
        history.close()

    def test_nothing_may_be_kept_of_what_was_applied(self, history: EventHistory) -> None:
        history.keep([], applied=3)
        history.keep([], applied=3)

        assert (history.applied, list(history.all())) == (3, [])

    def test_what_is_known_better_takes_the_place_of_what_was_known(
        self, history: EventHistory
    ) -> None:
        history.keep([occurrence("a", 1, None), occurrence("b", 1, 2)], applied=1)

        ended = occurrence("a", 1, 9)
        history.keep([occurrence("a", 1, 7), ended], applied=2)

        assert history.find("a") == ended
        assert list(history.open()) == []
        assert list(history.going_on_at(5)) == list(history.going_on_at(8)) == [ended]
        assert list(history.ending_at(7)) == []

    def test_what_was_applied_does_not_go_back(self, history: EventHistory) -> None:
        history.keep([occurrence("a", 1, 2)], applied=5)

        with pytest.raises(HistoryError, match="through 5, it cannot be taken back to 4"):
            history.keep([occurrence("b", 1, 2)], applied=4)

        assert history.applied == 5
        assert history.find("b") is None

    def test_the_last_that_ended_come_first(self, history: EventHistory) -> None:
        a, b, c = occurrence("a", 1, 3), occurrence("b", 0, 3), occurrence("c", 2, 2)
        history.keep([a, b, c, occurrence("d", 0, None)], applied=1)

        assert list(history.last_before(4)) == [b, a, c]
        assert list(history.last_before(3)) == [c]
        assert list(history.ended_between(3, 9)) == [b, a]
        assert list(history.ended_between(last=3, newest_first=False)) == [c, a, b]
        assert list(history.ending_at(3)) == [a, b]

    def test_what_goes_on_at_a_time_has_begun_and_not_ended_before(
        self, history: EventHistory
    ) -> None:
        long, short = occurrence("long", -_LONG, _LONG), occurrence("short", 4, 6)
        still = occurrence("still", 5, None)
        history.keep([long, short, still, occurrence("late", 0, 9, is_late=True)], applied=1)

        found = {time: {one.id for one in history.going_on_at(time)} for time in range(3, 8)}

        assert found[3] == {"long"}
        assert found[4] == {"long", "short"}
        assert found[5] == found[6] == {"long", "short", "still"}
        assert found[7] == {"long", "still"}

    def test_what_was_told_late_is_kept_and_counted_but_answers_nothing(
        self, history: EventHistory
    ) -> None:
        late = occurrence("a", 1, 5, is_late=True)
        history.keep([late, occurrence("b", 1, None, is_late=True)], applied=1)

        assert history.find("a") == late
        assert history.late() == 2
        assert len(list(history.all())) == 2
        for found in (history.going_on_at(3), history.open(), history.ended_between()):
            assert list(found) == []
        assert list(history.starting_at(1)) == list(history.ending_at(5)) == []

    def test_the_oldest_are_dropped_and_what_goes_on_stays(self, history: EventHistory) -> None:
        history.keep([occurrence(str(n), 0, n) for n in range(10)], applied=1)
        history.keep([occurrence("open", -5, None)], applied=2)

        assert history.drop(before=3) == [
            Dropped(0, "0", 0),
            Dropped(1, "1", 0),
            Dropped(2, "2", 0),
        ]
        assert history.drop(before=3) == []
        assert [one.id for one in history.drop(most=5)] == ["3", "4"]
        assert [one.id for one in history.drop(before=6, most=4)] == ["5"]

        assert [one.id for one in history.ended_between()] == ["9", "8", "7", "6"]
        assert [one.id for one in history.open()] == ["open"]
        assert history.applied == 2

    def test_many_are_read_in_order_while_others_come_and_go(self, history: EventHistory) -> None:
        many = [occurrence(f"{n:04}", 0, n // 3, sequence=n) for n in range(3000)]
        history.keep(many, applied=1)
        newest, oldest = history.last_before(9999), history.ended_between(newest_first=False)
        every = history.all()
        first = [next(newest), next(oldest), next(every)]

        history.keep([occurrence("new", 0, 5000)], applied=2)
        history.drop(before=1)

        assert first == [many[-1], many[0], many[0]]
        assert [one for one in newest if one.id != "new" and one.end != 0] == many[3:-1][::-1]
        assert [one for one in oldest if one.id != "new" and one.end != 0] == many[3:]
        assert [one for one in every if one.id != "new" and one.end != 0] == many[3:]

    def test_a_closed_history_can_be_closed_again(self, tmp_path: Path) -> None:
        history = self.open(tmp_path)
        history.close()
        history.close()

    def test_it_answers_like_a_list_whatever_was_done(
        self, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        @settings(max_examples=int(settings().max_examples * self.examples))
        @given(st.lists(_STEPS, max_size=8))
        def whatever(steps: Sequence[Step]) -> None:
            self._walk(steps, tmp_path_factory.mktemp("history"))

        whatever()

    def _walk(self, steps: Sequence[Step], folder: Path) -> None:
        known: dict[str, Occurrence] = {}
        history = self.open(folder)
        try:
            for applied, step in enumerate(steps, 1):
                match step:
                    case "keep", list(some):
                        history.keep(some, applied)
                        known |= {one.id: one for one in some}
                    case "drop before", int(time):
                        gone = [one for one in _ended(known) if _end(one) < time]
                        assert history.drop(before=time) == list(map(_left_of, gone))
                        known = {key: one for key, one in known.items() if one not in gone}
                    case "drop to", int(most):
                        gone = _ended(known)[: max(0, len(_ended(known)) - most)]
                        assert history.drop(most=most) == list(map(_left_of, gone))
                        known = {key: one for key, one in known.items() if one not in gone}
                    case "reopen", _ if self.lasts:
                        history.close()
                        history = self.open(folder)
                require_like(history, known)
        finally:
            history.close()


def require_like(history: EventHistory, known: dict[str, Occurrence]) -> None:
    """Fail if a history does not answer as a scan of all that it should know does."""
    every = known.values()
    timely = [one for one in every if not one.is_late]
    ended = _ended({one.id: one for one in timely})
    assert list(history.all()) == sorted(every, key=lambda one: (one.sequence, one.id))
    assert history.late() == len(known) - len(timely)
    assert [history.find(name) for name in IDS] == [known.get(name) for name in IDS]
    still = sorted((one for one in timely if one.end is None), key=lambda one: (one.start, one.id))
    assert list(history.open()) == still
    for time in range(-1, 23, 3):
        assert list(history.last_before(time)) == [one for one in ended if _end(one) < time][::-1]
        between = [one for one in ended if 3 <= _end(one) <= time]
        assert list(history.ended_between(3, time)) == between[::-1]
        assert list(history.ended_between(3, time, newest_first=False)) == between
        assert list(history.ending_at(time)) == [one for one in ended if one.end == time]
        starting = sorted((one for one in timely if one.start == time), key=lambda one: one.id)
        assert list(history.starting_at(time)) == starting
        going_on = [
            one for one in timely if one.start <= time and (one.end is None or one.end >= time)
        ]
        found = sorted(history.going_on_at(time), key=lambda one: one.id)
        assert found == sorted(going_on, key=lambda one: one.id)


def _ended(known: dict[str, Occurrence]) -> list[Occurrence]:
    """Those that ended, the oldest first."""
    ended = [one for one in known.values() if one.end is not None]
    return sorted(ended, key=lambda one: (_end(one), one.id))


def _left_of(occurrence: Occurrence) -> Dropped:
    return Dropped(_end(occurrence), occurrence.id, occurrence.start)


def _end(occurrence: Occurrence) -> int:
    assert occurrence.end is not None
    return occurrence.end
