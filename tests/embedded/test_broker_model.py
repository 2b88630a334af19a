"""The durable broker against a plain one: any course of events, crashes and restarts included."""

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import invariant, precondition, rule

from purport.model.notification import Notification
from tests.embedded.broker_machine import BrokerMachine, names
from tests.oracles.naive_broker import Asked, NaiveBroker
from tests.oracles.naive_subscribers import Heard

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
readings = st.fixed_dictionaries({"a": st.integers(0, 3), "b": st.integers(0, 1)})


class EventsMachine(BrokerMachine):
    """Events, rules that publish, and subscriptions with options."""

    subscribable = sorted(ASKED)

    def __init__(self) -> None:
        self._naive = NaiveBroker()
        super().__init__(self._naive)
        self._count = 0

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

    @precondition(lambda self: hasattr(self, "_broker"))
    @invariant()
    def the_same_is_registered(self) -> None:
        found = {one.id: one.is_paused for one in self._broker.registrations()}
        assert found == {name: one.is_paused for name, one in self._naive.heard.items()}

    def _said(self, notification: Notification) -> str | None:
        return notification.match.event.id

    def _listening(self) -> dict[str, Heard]:
        return {name: one for name, one in self._naive.heard.items() if one.asked.derives is None}

    def _compare_what_is_kept(self) -> None:
        kept = [entry.event.id for entry in self._broker._journal.read() if entry.event]
        assert kept == self._naive.published[len(self._naive.published) - len(kept) :]
        super()._compare_what_is_kept()


TestBrokerModel = EventsMachine.TestCase
TestBrokerModel.settings = settings(
    max_examples=settings().max_examples // 4, stateful_step_count=25, deadline=None
)
