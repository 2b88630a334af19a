"""The durable broker against a plain one: any course of events, crashes and restarts included."""

from datetime import timedelta

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    initialize,
    invariant,
    precondition,
    rule,
)

from tests.embedded.broker_machine import BrokerMachine
from tests.oracles.naive_broker import Asked, NaiveBroker

ASKED = {
    "plain": Asked("{a > 0} as plain", lambda told: told.get("a", 0) > 0),
    "seldom": Asked(
        "{a > 0} at most once per 3 s as seldom",
        lambda told: told.get("a", 0) > 0,
        seconds_apart=3,
    ),
    "edge": Asked(
        "{b = 1, a > 1} on change as edge",
        lambda told: told.get("b") == 1 and told.get("a", 0) > 1,
        lambda told: told.get("b") == 1 and "a" in told and told["a"] <= 1,
    ),
    "brief": Asked(
        "{a = 1} expires 2026-11-17T12:00:20Z as brief", lambda told: told.get("a") == 1, expires=20
    ),
    "rule": Asked(
        "when {a = 2} as rule publish {c = $a, d = 1}",
        lambda told: told.get("a") == 2,
        derives=lambda told: {"c": told["a"], "d": 1},
    ),
    "derived": Asked("{c > 0} as derived", lambda told: told.get("c", 0) > 0),
}
names = st.sampled_from(sorted(ASKED))
readings = st.fixed_dictionaries({"a": st.integers(0, 3), "b": st.integers(0, 1)})


class EventsMachine(BrokerMachine):
    """Events, rules that publish, and subscriptions with options."""

    def __init__(self) -> None:
        super().__init__()
        self._naive = NaiveBroker()
        self._count = 0

    @initialize()
    def start(self) -> None:
        self._open()

    @rule(events=st.lists(readings, min_size=1, max_size=5))
    def publish(self, events: list[dict[str, int]]) -> None:
        told = []
        for event in events:
            self._count += 1
            told.append((f"e{self._count}", event))

        receipts = self._broker.publish_all([{"@id": name, **event} for name, event in told])
        self._naive.publish(list(told))

        assert [receipt.event_id for receipt in receipts] == [name for name, _ in told]

    @rule(name=names)
    def subscribe(self, name: str) -> None:
        if self._naive.now >= (ASKED[name].expires or 10**9):
            return
        self._broker.subscribe(ASKED[name].text)
        self._naive.subscribe(name, ASKED[name])

    @rule(name=names)
    def unsubscribe(self, name: str) -> None:
        if name in self._naive.heard:
            self._broker.unsubscribe(name)
            self._naive.unsubscribe(name)
            self._forget(name)

    @rule(name=names, is_paused=st.booleans())
    def pause(self, name: str, is_paused: bool) -> None:
        if name in self._naive.heard:
            (self._broker.pause if is_paused else self._broker.resume)(name)
            self._naive.heard[name].is_paused = is_paused

    @rule(name=names, count=st.integers(1, 4))
    def take(self, name: str, count: int) -> None:
        one = self._naive.heard.get(name)
        if one is None or one.asked.derives is not None:
            return
        expected = list(enumerate(one.events, one.first))[one.acknowledged + 1 :][:count]

        subscriber = self._subscriber(name)
        taken = [subscriber.take() for _ in range(count)]
        subscriber.acknowledge()

        found = [(note.sequence, note.match.event.id) for note in taken if note is not None]
        assert found == expected
        if found:
            one.acknowledged = found[-1][0] - one.first

    @rule(seconds=st.integers(1, 5))
    def let_time_pass(self, seconds: int) -> None:
        self._clock.advance(timedelta(seconds=seconds))
        for name in self._naive.let_time_pass(seconds):
            self._forget(name)

    @rule()
    def restart(self) -> None:
        self._broker.close()
        self._open()
        self._written = {name: one.acknowledged for name, one in self._naive.heard.items()}

    @rule()
    def crash(self) -> None:
        """The files as they are, of a broker that did not close; acknowledgements may be lost."""
        self._crash()
        for name, one in self._naive.heard.items():
            if one.asked.derives is None:
                one.acknowledged = self._acknowledged(
                    name, one.first, len(one.events), one.acknowledged
                )

    @precondition(lambda self: hasattr(self, "_broker"))
    @invariant()
    def the_same_is_registered(self) -> None:
        found = {one.id: one.is_paused for one in self._broker.registrations()}
        assert found == {name: one.is_paused for name, one in self._naive.heard.items()}

    def _compare_what_is_kept(self) -> None:
        kept = [entry.event.id for entry in self._broker._journal.read() if entry.event]
        assert kept == self._naive.published[len(self._naive.published) - len(kept) :]
        for name, one in self._naive.heard.items():
            if one.asked.derives is None:
                said = [note.match.event.id for note in self._broker.subscriber(name).replay()]
                assert said == one.events[len(one.events) - len(said) :]
                assert len(said) >= len(one.events) - 1 - one.acknowledged


TestBrokerModel = EventsMachine.TestCase
TestBrokerModel.settings = settings(
    max_examples=settings().max_examples // 4, stateful_step_count=25, deadline=None
)
