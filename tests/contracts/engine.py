"""What every engine of a broker promises."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from datetime import UTC, datetime

from purport import Event, Subscription
from purport.broker.engine import Answer, Engine

NOON = datetime(2026, 11, 17, 12, tzinfo=UTC)


class EngineContract(ABC):
    """A test class inherits this and fills in what is abstract."""

    @abstractmethod
    def engine(self) -> Engine:
        """An engine without subscriptions; a new object each time."""

    @abstractmethod
    def runnable(self) -> Subscription:
        """A subscription that it runs, and that `answered` answers."""

    @abstractmethod
    def unrunnable(self) -> Subscription:
        """One that it does not run."""

    @abstractmethod
    def answered(self) -> list[Event]:
        """Events, the last of which answers `runnable`, and none before it."""

    def test_it_says_which_form_it_does_not_run(self) -> None:
        assert self.engine().refuses(self.runnable()) is None
        assert self.engine().refuses(self.unrunnable())

    def test_events_are_answered_in_their_order(self) -> None:
        engine = self.engine()
        engine.add("one", self.runnable())

        *others, last = engine.answers(self.answered(), NOON)

        assert not any(others)
        assert [answer.subscription for answer in last] == ["one"]
        assert 0 < last[0].best.probability <= 1

    def test_asking_changes_nothing(self) -> None:
        engine = self.engine()
        engine.add("one", self.runnable())

        first = engine.answers(self.answered(), NOON)

        assert engine.answers(self.answered(), NOON) == first

    def test_equal_subscriptions_are_answered_each_and_end_each(self) -> None:
        engine = self.engine()
        for name in ("one", "two", "three"):
            engine.add(name, self.runnable())
        engine.remove("one")

        *_, last = engine.answers(self.answered(), NOON)

        assert sorted(answer.subscription for answer in last) == ["three", "two"]

    def test_without_subscriptions_nothing_is_answered(self) -> None:
        engine = self.engine()
        engine.add("one", self.runnable())
        engine.remove("one")

        assert not any(engine.answers(self.answered(), NOON))
        assert engine.answers([], NOON) == []

    def test_events_one_by_one_are_answered_as_all_at_once(self) -> None:
        events = self.answered()
        together, apart = self.engine(), self.engine()
        for engine in (together, apart):
            engine.add("one", self.runnable())

        one_by_one: list[Sequence[Answer]] = []
        for number, event in enumerate(events, 1):
            one_by_one += apart.answers([event], NOON)
            apart.advance(number, event, NOON)

        assert [list(one) for one in one_by_one] == [
            list(one) for one in together.answers(events, NOON)
        ]

    def test_a_restored_engine_has_the_same_future(self) -> None:
        events = self.answered()
        engine = self.engine()
        engine.add("one", self.runnable())
        for number, event in enumerate(events[:-1], 1):
            engine.advance(number, event, NOON)
        other = self.engine()
        other.restore(engine.snapshot())
        other.add("one", self.runnable())

        assert other.answers(events[-1:], NOON) == engine.answers(events[-1:], NOON)
