"""A client's side of MQTT against a plain broker, with breaks and kills at any step."""

import threading
from collections import Counter
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from purport.mqtt.delivery import Delivery
from purport.mqtt.errors import BrokerRefused, BrokerUnreachable, NotDelivered, ProtocolError
from purport.mqtt.packets import (
    Asked,
    ConnAck,
    Disconnect,
    Oversized,
    Packet,
    PingResp,
    Properties,
    PubAck,
    PubComp,
    Publish,
    PubRec,
    PubRel,
    SubAck,
    Subscribe,
    Version,
)
from purport.mqtt.session import Received, Session, SessionSettings, Stage
from tests.oracles.plain_mqtt_broker import PlainBroker

V5 = Version.V5
_CHANGED = threading.Condition()


def settings(version: Version = V5, *topics: str) -> SessionSettings:
    asked = tuple(Asked(one, 2) for one in topics)
    return SessionSettings(client_id="me", version=version, is_clean=False, asked=asked, window=3)


def connected(session: Session, answer: ConnAck | None = None) -> Session:
    session.begin()
    session.received([answer or ConnAck()], 0)
    session.kept()
    return session


@dataclass
class Run:
    """A client, a broker, what is on its way between them, and what the client's disk has."""

    version: Version
    broker: PlainBroker = field(default_factory=lambda: PlainBroker(window=2))
    kept: list[bytes] = field(default_factory=list)
    open_ids: frozenset[int] = frozenset()
    deliveries: list[Delivery] = field(default_factory=list)
    up: list[Packet] = field(default_factory=list)
    down: list[Packet] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.session = Session(settings(self.version, "#"))

    def connect(self) -> None:
        """Break off, whatever is on its way, and begin again."""
        self.up, self.down = self.session.begin(), []

    def kill(self) -> None:
        """The client is what it has on disk."""
        self.session = Session(settings(self.version, "#"), self.open_ids)
        self.connect()

    def to_broker(self, count: int) -> None:
        self.up += self.session.sendable()
        moved, self.up = self.up[:count], self.up[count:]
        for packet in moved:
            self.down += self.broker.take(packet)
        if any(isinstance(packet, Subscribe) for packet in moved) or self.broker.is_known:
            self.down += self.broker.sendable() if not self._is_connecting() else []

    def to_client(self, count: int, dies: str = "") -> None:
        moved, self.down = self.down[:count], self.down[count:]
        found = self.session.received(moved, 0)
        assert found.failure is None
        if dies == "before":
            self.kill()
            return
        self.keep(found)
        if dies == "after":
            self.kill()
            return
        self.up += self.session.kept()

    def keep(self, found: Received) -> None:
        self.kept += [message.payload for message in found.messages]
        self.open_ids = (self.open_ids - found.released) | found.opened

    def _is_connecting(self) -> bool:
        return self.session.stage is Stage.CONNECTING and not self.down

    def finish(self) -> None:
        self.connect()
        for _ in range(2_000):
            self.to_broker(99)
            self.to_client(99)
            if self.broker.is_done and not self.up and not self.down and not self.session.outbox:
                return
        raise AssertionError("it does not come to an end")


steps = st.lists(
    st.tuples(
        st.sampled_from(["come", "go", "up", "down", "round", "round", "break", "before", "after"]),
        st.integers(1, 4),
    ),
    max_size=60,
)


@given(st.sampled_from(Version), steps)
def test_qos_1_comes_at_least_once_and_qos_2_exactly_once(
    version: Version, steps: list[tuple[str, int]]
) -> None:
    run, come, gone = Run(version), 0, 0
    run.connect()
    for what, count in steps:
        match what:
            case "come":
                come += 1
                run.broker.publish(Publish("a", b"%d" % come, 1 + come % 2))
            case "go":
                gone += 1
                run.deliveries.append(Delivery("b", _CHANGED))
                run.session.publish(Publish("b", b"%d" % gone, 1 + gone % 2), run.deliveries[-1])
            case "up":
                run.to_broker(count)
            case "down":
                run.to_client(count)
            case "round":
                for _ in range(count):
                    run.to_broker(99)
                    run.to_client(99)
            case "break":
                run.connect()
            case _:
                run.to_client(count, dies=what)
    run.finish()

    found = Counter(run.kept)
    assert set(found) == {b"%d" % number for number in range(1, come + 1)}
    assert all(found[b"%d" % number] == 1 for number in range(1, come + 1, 2))
    got = Counter(one.payload for one in run.broker.got)
    for number, delivery in enumerate(run.deliveries, 1):
        many = got[b"%d" % number]
        if delivery.is_done:
            assert many == 1 if number % 2 else many >= 1
        if number % 2:
            assert many <= 1
    if not {"before", "after"} & {what for what, _ in steps}:
        assert all(delivery.is_done for delivery in run.deliveries)


@given(st.sampled_from(Version), st.integers(1, 12), st.integers(0, 12))
def test_a_broker_that_forgets_us_costs_no_message(
    version: Version, count: int, forgets_after: int
) -> None:
    run = Run(version)
    run.connect()
    for number in range(count):
        run.broker.publish(Publish("a", b"%d" % number, 1 + number % 2))
        run.session.publish(Publish("b", b"%d" % number, 1 + number % 2), Delivery("b", _CHANGED))
    for _ in range(forgets_after):
        run.to_broker(1)
        run.to_client(1)
    run.broker.forget()
    run.finish()

    everything = {b"%d" % number for number in range(count)}
    assert set(run.kept) == everything
    assert {one.payload for one in run.broker.got} == everything


@pytest.mark.parametrize("version", Version)
def test_ids_that_a_killed_process_left_open_are_not_taken_for_new_messages(
    version: Version,
) -> None:
    run = Run(version)
    run.connect()
    for _ in range(2):
        run.to_broker(9)
        run.to_client(9)
    run.session.publish(Publish("b", b"old", 2), Delivery("b", _CHANGED))
    run.to_broker(1)
    run.kill()
    delivery = Delivery("b", _CHANGED)
    run.session.publish(Publish("b", b"new", 2), delivery)
    run.finish()

    assert [one.payload for one in run.broker.got] == [b"old", b"new"]
    assert delivery.is_done


def test_nothing_is_acknowledged_before_it_is_kept() -> None:
    session = connected(Session(settings()))

    found = session.received(
        [Publish("a", b"1", 1, packet_id=1), Publish("a", b"2", 2, packet_id=2)], 5
    )
    assert [message.payload for message in found.messages] == [b"1", b"2"]
    assert (found.opened, found.released) == ({2}, set())
    assert session.kept() == [PubAck(1), PubRec(2)]

    found = session.received([PubRel(2)], 5)
    assert (found.messages, found.opened, found.released) == ([], set(), {2})
    assert session.kept() == [PubComp(2)]


def test_what_came_before_a_failure_is_still_to_be_kept() -> None:
    session = connected(Session(settings()))

    found = session.received([Publish("a", b"1", 2, packet_id=1), Disconnect(0x8E)], 5)

    assert [message.payload for message in found.messages] == [b"1"]
    assert found.opened == {1}
    assert isinstance(found.failure, BrokerUnreachable)
    assert "taken over" in str(found.failure)


def test_ids_of_a_session_that_the_broker_forgot_mean_nothing_any_more() -> None:
    session = Session(settings(), {1, 2})
    session.begin()

    found = session.received([ConnAck(), Publish("a", b"new", 2, packet_id=2)], 5)

    assert (found.released, found.opened) == ({1, 2}, {2})
    assert [message.payload for message in found.messages] == [b"new"]


def test_one_who_is_known_does_not_subscribe_again() -> None:
    session = Session(settings(V5, "a/#"))
    session.begin()
    session.received([ConnAck()], 0)
    [subscribe] = session.kept()
    assert isinstance(subscribe, Subscribe)
    session.received([SubAck(subscribe.packet_id, (2,))], 0)

    connected(session, ConnAck(is_session_present=True))
    assert session.stage is Stage.READY
    session.begin()
    session.received([ConnAck()], 0)
    assert session.kept() == [subscribe]


def test_a_topic_that_is_not_allowed_is_told_and_asked_for_again() -> None:
    session = Session(settings(V5, "a", "b"))
    session.begin()
    session.received([ConnAck()], 0)
    [subscribe] = session.kept()
    assert isinstance(subscribe, Subscribe)

    session.received([SubAck(subscribe.packet_id, (2, 0x87))], 0)
    assert session.refusals == {"b": "not authorized (0x87)"}
    [again] = session.ask_again()
    assert isinstance(again, Subscribe)
    assert [one.topics for one in again.asked] == ["b"]
    session.received([SubAck(again.packet_id, (1,))], 0)
    assert session.refusals == {}


@pytest.mark.parametrize(
    ("version", "reason", "words"),
    [
        (Version.V311, 4, "wrong user or password"),
        (Version.V311, 5, "not authorized"),
        (V5, 0x86, "wrong user or password"),
        (V5, 0x85, "client id"),
        (V5, 0xFE, "does not name"),
    ],
)
def test_a_broker_that_refuses_us_is_quoted_in_words(
    version: Version, reason: int, words: str
) -> None:
    session = Session(settings(version))
    session.begin()

    failure = session.received([ConnAck(reason)], 0).failure

    assert isinstance(failure, BrokerRefused)
    assert words in str(failure)


@pytest.mark.parametrize(
    "packets",
    [
        [PingResp()],
        [ConnAck(), ConnAck()],
        [ConnAck(), Publish("", b"", properties=Properties(topic_alias=1))],
        [ConnAck(), SubAck(7, (0,))],
        [ConnAck(), Subscribe(1, (Asked("a"),))],
    ],
)
def test_a_broker_that_does_not_keep_to_the_protocol_is_left(packets: list[Packet]) -> None:
    session = Session(settings())
    session.begin()

    assert isinstance(session.received(packets, 0).failure, ProtocolError)


def test_a_message_that_is_too_long_is_counted_and_acknowledged_without_being_kept() -> None:
    session = connected(Session(settings()))

    found = session.received([Oversized("a", 1, 5, 10**9), Oversized("a", 2, 6, 10**9)], 0)

    assert found.messages == []
    assert session.kept() == [PubAck(5), PubRec(6)]
    assert session.oversized == 2
    assert session.received([PubRel(6)], 0).released == {6}


def test_no_more_is_sent_than_the_broker_takes_at_once() -> None:
    session = connected(Session(settings()), ConnAck(properties=Properties(receive_maximum=2)))
    for _ in range(5):
        session.publish(Publish("a", b"", 1), Delivery("a", _CHANGED))

    sent = session.sendable()
    assert [packet.packet_id for packet in sent if isinstance(packet, Publish)] == [1, 2]
    assert session.sendable() == []
    session.received([PubAck(1)], 0)
    assert len(session.sendable()) == 1


def test_a_message_that_the_broker_does_not_take_is_refused_with_the_reason() -> None:
    limits = Properties(maximum_packet_size=20, is_retain_available=0, maximum_qos=1)
    session = connected(Session(settings()), ConnAck(properties=limits))
    packets = [Publish("a", bytes(50)), Publish("a", b"", is_retained=True), Publish("a", b"", 2)]
    deliveries = [Delivery("a", _CHANGED) for _ in packets]
    for packet, delivery in zip(packets, deliveries, strict=True):
        session.publish(packet, delivery)

    [sent] = session.sendable()
    assert isinstance(sent, Publish)
    assert sent.qos == 1
    session.received([PubAck(sent.packet_id, 0x87)], 0)

    for delivery, why in zip(deliveries, ["at most 20", "retains", "not authorized"], strict=True):
        with pytest.raises(NotDelivered, match=why):
            delivery.wait(0)
    assert session.outbox.refused == 3
