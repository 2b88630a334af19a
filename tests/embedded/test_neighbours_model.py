"""Linked brokers against one central broker: any course of events, subscriptions and kills."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from purport.embedded.broker import Broker
from tests.embedded.brokers import exact
from tests.embedded.linked_brokers import LinkedBrokers
from tests.strategies.overlays import Shape, asked_texts, meshes, readings, trees


@dataclass
class Central:
    """One broker in which all subscribe, and what those that are far away may hear too early."""

    broker: Broker = field(default_factory=lambda: Broker.in_memory(matcher=exact))
    before: dict[str, frozenset[str]] = field(default_factory=dict)  # published before they asked
    published: list[str] = field(default_factory=list)


class OverlayMachine(RuleBasedStateMachine):
    """Publishes to many brokers and to one, and compares what subscribers are told.

    Who subscribes does so while all brokers run, and waits until all know. What was on its way then
    may be told too; whatever is published later is told once, whoever was killed meanwhile.
    """

    shapes: st.SearchStrategy[Shape]

    @initialize(data=st.data())
    def begin(self, data: st.DataObject) -> None:
        self.shape = data.draw(self.shapes)
        self.linked = LinkedBrokers(self.shape, snapshot_every=data.draw(st.sampled_from((3, 99))))
        self.central = Central()
        self.where: dict[str, int] = {}
        self.count = 0

    @precondition(lambda self: all(one.is_up for one in self.linked.nodes))
    @rule(data=st.data(), name=st.sampled_from("abcd"), text=asked_texts())
    def subscribe(self, data: st.DataObject, name: str, text: str) -> None:
        if name in self.where:
            self.unsubscribe(name)
        self.where[name] = data.draw(st.integers(0, self.shape.count - 1), "where")
        self.linked[self.where[name]].subscribe(f"{text} as {name}")
        self.central.broker.subscribe(f"{text} as {name}")
        self.central.before[name] = frozenset(self.central.published)
        self.linked.agree()

    @precondition(lambda self: self.where and all(one.is_up for one in self.linked.nodes))
    @rule(data=st.data())
    def end_one(self, data: st.DataObject) -> None:
        self.unsubscribe(data.draw(st.sampled_from(sorted(self.where)), "who"))

    @rule(data=st.data(), reading=readings(), is_named=st.booleans())
    def publish(self, data: st.DataObject, reading: Mapping[str, object], is_named: bool) -> None:
        number = data.draw(st.integers(0, self.shape.count - 1), "where")
        if self.linked.nodes[number].is_up:
            self.count += 1
            event = {**reading, "number": self.count}
            if is_named:
                event["@id"] = f"e{self.count}"
            self.linked[number].publish(event)
            self.central.broker.publish(event)
            self.central.published.append(str(self.count))

    @rule(data=st.data(), most=st.integers(1, 3), is_answered=st.booleans())
    def tell(self, data: st.DataObject, most: int, is_answered: bool) -> None:
        link = data.draw(st.sampled_from(self.linked.links), "which link")
        self.linked.tell(link, most, is_answered=is_answered)

    @rule(data=st.data())
    def ask(self, data: st.DataObject) -> None:
        self.linked.ask(data.draw(st.sampled_from(self.linked.links), "which link"))

    @rule(data=st.data())
    def kill(self, data: st.DataObject) -> None:
        node = self.linked.nodes[data.draw(st.integers(0, self.shape.count - 1), "who")]
        if node.is_up:
            node.kill()

    @rule()
    def restart(self) -> None:
        for number, node in enumerate(self.linked.nodes):
            if not node.is_up:
                self.linked.restart(number)

    def unsubscribe(self, name: str) -> None:
        self.linked[self.where.pop(name)].unsubscribe(name)
        self.central.broker.unsubscribe(name)

    def teardown(self) -> None:
        if not hasattr(self, "linked"):
            return
        try:
            self.restart()
            self.linked.settle()
            for name, number in self.where.items():
                heard = Counter(self._numbers(self.linked[number], name))
                owed = Counter(self._numbers(self.central.broker, name))
                assert max(heard.values(), default=1) == 1, "told twice"
                assert owed <= heard, "not told"
                assert set(heard - owed) <= self.central.before[name], "told too much"
        finally:
            self.linked.close()
            self.central.broker.close()

    def _numbers(self, broker: Broker, name: str) -> list[str]:
        """What tells events apart, whatever ids they have."""
        return [
            str(statement.value)
            for one in broker.subscriber(name).replay()
            for statement in one.match.event.statements
            if str(statement.attribute) == "number"
        ]


class TreeMachine(OverlayMachine):
    shapes = trees(most=5)


class MeshMachine(OverlayMachine):
    shapes = meshes(most=4)


_SOME = settings(max_examples=80, stateful_step_count=40)
TestTrees = TreeMachine.TestCase
TestTrees.settings = _SOME
TestMeshes = MeshMachine.TestCase
TestMeshes.settings = _SOME
