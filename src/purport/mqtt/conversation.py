"""One connection, from the first packet to its end: read, keep, acknowledge, publish, ping."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Sequence

from purport.mqtt.delivery import Delivery
from purport.mqtt.errors import BrokerUnreachable, CannotKeep
from purport.mqtt.figures import Figures, State
from purport.mqtt.message import Inlet, Message
from purport.mqtt.packets import Disconnect, Packet, PingReq
from purport.mqtt.reading import read_packets
from purport.mqtt.session import Received, Session, Stage
from purport.mqtt.waits import Waits
from purport.mqtt.wire import Wire
from purport.mqtt.writing import write_packets

_LEAST_SECONDS_FOR_PING = 2.0
_LONGEST_WAIT = 60.0
Become = Callable[[State, str], None]


class NoInlet:
    """Keeps nothing: for one who only publishes."""

    def adopt(self, session: str) -> frozenset[int]:
        """No ids are open."""
        return frozenset()

    def keep(
        self, messages: Sequence[Message], *, opened: Collection[int], released: Collection[int]
    ) -> None:
        """Nothing has to be there later."""


class Conversation:
    """Drives a session over a wire, in the thread that calls `run`."""

    def __init__(
        self,
        wire: Wire,
        session: Session,
        inlet: Inlet,
        *,
        changed: threading.Condition,
        stopping: threading.Event,
        figures: Figures,
        become: Become,
        waits: Waits,
        connect_seconds: float,
    ) -> None:
        self._wire, self._session, self._inlet = wire, session, inlet
        self._changed, self._stopping = changed, stopping
        self._figures, self._become, self._waits = figures, become, waits
        self._version, self._most_bytes = session.settings.version, session.settings.most_bytes
        self._buffer, self._to_skip = b"", 0
        now = time.monotonic()
        self._sent_at = self._heard_at = self._asked_at = now
        self._pinged_at: float | None = None
        self._answer_due = now + connect_seconds
        self._announced: dict[str, str] | None = None  # the refusals that were told

    def run(self) -> None:
        """Go on until somebody stops it; `BrokerUnreachable` and others say what ended it."""
        self._send(self._session.begin())
        while not self._stopping.is_set():
            arrived = self._wire.wait(self._seconds_to_wait())
            if arrived and not self._take(arrived):
                break
            self._send_waiting()
            self._look_at_the_clock()
        self._send([Disconnect()])

    def _take(self, arrived: bytes) -> bool:
        """Keep what came and acknowledge it; False if it was stopped before it was kept."""
        begun = time.perf_counter()
        self._heard_at, self._pinged_at = time.monotonic(), None
        packets = self._packets(arrived)
        if not packets:
            return True
        with self._changed:
            found = self._session.received(packets, time.time_ns() // 1000)
            self._changed.notify_all()
        read = time.perf_counter()
        if found and not self._keep(found):
            return False
        kept = time.perf_counter()
        if found.failure is not None:
            raise found.failure
        self._send(self._session.kept())
        figures = self._figures
        figures.rounds += 1
        figures.reading_seconds += read - begun
        figures.keeping_seconds += kept - read
        figures.sending_seconds += time.perf_counter() - kept
        self._announce()
        return True

    def _packets(self, arrived: bytes) -> list[Packet]:
        if self._to_skip:
            skipped = min(self._to_skip, len(arrived))
            arrived, self._to_skip = arrived[skipped:], self._to_skip - skipped
        buffer = self._buffer + arrived if self._buffer else arrived
        found: list[Packet] = []
        while True:  # after a message that is too long there may be others
            packets, used = read_packets(buffer, self._version, most_bytes=self._most_bytes)
            found += packets
            self._to_skip += max(0, used - len(buffer))
            buffer = buffer[used:]
            if not packets or not buffer:
                self._buffer = buffer
                return found

    def _keep(self, found: Received) -> bool:
        """Have everything on disk, for as long as that takes: what was heard is not heard again."""
        broken: BrokerUnreachable | None = None
        is_blocked = False
        while True:
            try:
                self._inlet.keep(found.messages, opened=found.opened, released=found.released)
            except CannotKeep as error:
                is_blocked = True
                self._become(State.BLOCKED, str(error))
            else:
                break
            if self._stopping.wait(self._waits.keeping_seconds):
                return False
            if broken is None:
                broken = self._broken_while_blocked()
        self._figures.received += len(found.messages)
        if broken is not None:
            raise broken
        if is_blocked:
            self._heard_at, self._pinged_at = time.monotonic(), None
            self._become(State.READY, "")
        return True

    def _broken_while_blocked(self) -> BrokerUnreachable | None:
        """Stay connected without reading: the broker keeps what comes."""
        try:
            self._send_waiting()
            if self._is_due(self._sent_at):
                self._send([PingReq()])
        except BrokerUnreachable as error:
            return error
        return None

    def _announce(self) -> None:
        """Say that all is well, or which topics will not come, when that is known or changes."""
        session = self._session
        if session.stage is not Stage.READY or session.refusals == self._announced:
            return
        if self._announced is None:
            self._figures.connects += 1
            self._publish_birth()
        self._announced = refusals = dict(session.refusals)
        told = "; ".join(f"{topics}: {why}" for topics, why in refusals.items())
        asked = session.settings.asked
        is_deaf = bool(asked) and len(refusals) == len(asked)
        self._become(State.REFUSED if is_deaf else State.READY, told)

    def _publish_birth(self) -> None:
        birth = self._session.settings.birth
        if birth is not None:
            with self._changed:
                self._session.publish(birth, Delivery(birth.topic, self._changed))

    def _send_waiting(self) -> None:
        with self._changed:
            packets = self._session.sendable()
            if packets:
                self._changed.notify_all()
        if packets:
            self._send(packets)

    def _look_at_the_clock(self) -> None:
        now = time.monotonic()
        if self._session.stage is Stage.CONNECTING and now > self._answer_due:
            raise BrokerUnreachable("it took too long: no answer to the first packet")
        if self._session.refusals and now > self._asked_at + self._waits.longest_seconds:
            self._asked_at = now
            self._send(self._session.ask_again())
        if self._pinged_at is not None:
            if now > self._pinged_at + self._ping_seconds():
                raise BrokerUnreachable("the broker does not answer: no word after a ping")
        elif self._is_due(min(self._sent_at, self._heard_at)):
            self._send([PingReq()])
            self._pinged_at = now

    def _is_due(self, since: float) -> bool:
        if not self._session.keep_alive_s or self._session.stage is Stage.CONNECTING:
            return False
        return time.monotonic() >= since + self._session.keep_alive_s / 2

    def _ping_seconds(self) -> float:
        return max(_LEAST_SECONDS_FOR_PING, self._session.keep_alive_s / 2)

    def _seconds_to_wait(self) -> float:
        """Until the clock has to be looked at."""
        now, due = time.monotonic(), [_LONGEST_WAIT]
        if self._session.stage is Stage.CONNECTING:
            due.append(self._answer_due - now)
        if self._session.refusals:
            due.append(self._asked_at + self._waits.longest_seconds - now)
        if self._pinged_at is not None:
            due.append(self._pinged_at + self._ping_seconds() - now)
        elif self._session.keep_alive_s:
            heard = min(self._sent_at, self._heard_at)
            due.append(heard + self._session.keep_alive_s / 2 - now)
        return max(0.001, min(due))

    def _send(self, packets: list[Packet]) -> None:
        if packets:
            self._wire.send(write_packets(packets, self._version))
            self._sent_at = time.monotonic()
