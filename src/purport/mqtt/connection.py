"""A client of a broker in a thread of its own: connects, keeps what comes, connects again."""

from __future__ import annotations

import logging
import random
import threading
import time
from contextlib import closing
from dataclasses import replace

from purport.errors import PurportError
from purport.mqtt.conversation import Conversation, NoInlet
from purport.mqtt.delivery import Delivery
from purport.mqtt.errors import (
    BrokerRefused,
    BrokerUnreachable,
    NotDelivered,
    ProtocolError,
)
from purport.mqtt.figures import Figures, State
from purport.mqtt.message import Inlet
from purport.mqtt.packets import Publish
from purport.mqtt.place import Place
from purport.mqtt.session import Session, SessionSettings
from purport.mqtt.topic_filters import require_filter, require_topic
from purport.mqtt.waits import Waits
from purport.mqtt.wire import Waker, Wire
from purport.mqtt.writing import write_packet

_LOG = logging.getLogger(__name__)


class Connection:
    """Receives from a broker into an inlet, and publishes.

    What comes is acknowledged when the inlet has kept it. Others may publish and read the figures
    from any thread. What was published and not acknowledged when the process ends is for the
    caller to publish again.
    """

    def __init__(
        self,
        place: Place,
        settings: SessionSettings,
        inlet: Inlet | None = None,
        *,
        waits: Waits | None = None,
        most_waiting: int = 10_000,
        rng: random.Random | None = None,
    ) -> None:
        for one in settings.asked:
            require_filter(one.topics)
        write_packet(Session(settings).begin()[0], settings.version)  # what is too long is refused
        self.place, self.settings, self.waits = place, settings, waits or Waits()
        self._context, self._inlet = place.context(), inlet or NoInlet()
        self._rng, self._most_waiting = rng or random.Random(), most_waiting
        self._session = Session(settings)
        self._figures, self._state = Figures(), State.STOPPED
        self._logged: tuple[State, str] = (State.STOPPED, "")
        self._changed = threading.Condition()
        self._waker, self._stopping = Waker(), threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"mqtt {place.host}", daemon=True)

    def start(self) -> Connection:
        """Connect, for as long as it takes."""
        try:
            opened = self._inlet.adopt(f"{self.settings.client_id}@{self.place}")
        except PurportError:
            self.stop()
            raise
        self._session = Session(self.settings, opened)
        self._thread.start()
        return self

    def stop(self, seconds: float = 10.0) -> None:
        """Say farewell and go; what is not acknowledged is given up."""
        self._stopping.set()
        self._waker.wake()
        if self._thread.is_alive():
            self._thread.join(seconds)
        elif self._thread.ident is None:  # it was never started
            self._waker.close()

    @property
    def state(self) -> State:
        """What it is doing."""
        return self._state

    def figures(self) -> Figures:
        """How much it has done so far."""
        session, outbox = self._session, self._session.outbox
        return replace(
            self._figures,
            rejected=session.oversized,
            acknowledged=outbox.acknowledged,
            refused=outbox.refused,
            waiting=len(outbox),
            reconnects=max(0, self._figures.connects - 1),
            refused_topics=dict(session.refusals),
        )

    def wait_until_ready(self, seconds: float) -> None:
        """Return when it has connected and subscribed; `BrokerUnreachable` says why it has not."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._state is State.READY, seconds):
                why = self._figures.last_error or f"no answer in {seconds:g} seconds"
                raise BrokerUnreachable(why)

    def publish(self, packet: Publish, *, seconds: float = 60.0) -> Delivery:
        """Have a message published; `NotDelivered` if too many have waited for so long."""
        require_topic(packet.topic)
        write_packet(packet, self.settings.version)  # what cannot be said is the caller's fault
        with self._changed:
            if not self._changed.wait_for(self._has_room, seconds):
                raise NotDelivered(
                    f"{packet.topic}: {self._most_waiting:,} messages wait for {self.place}"
                )
            if self._stopping.is_set():
                raise NotDelivered(f"{packet.topic}: the connection to {self.place} is closed")
            delivery = Delivery(packet.topic, self._changed)
            self._session.publish(packet, delivery)
        self._waker.wake()
        return delivery

    def settle(self, seconds: float) -> None:
        """Return when nothing waits any more; `NotDelivered` if the time is over before."""
        with self._changed:
            outbox = self._session.outbox
            if not self._changed.wait_for(lambda: not len(outbox), seconds):
                raise NotDelivered(
                    f"{len(outbox):,} messages are not acknowledged by {self.place} after "
                    f"{seconds:g} seconds"
                )

    def _has_room(self) -> bool:
        return self._stopping.is_set() or len(self._session.outbox) < self._most_waiting

    def _run(self) -> None:
        failures = 0
        try:
            while not self._stopping.is_set():
                begun = time.monotonic()
                try:
                    self._converse()
                except (BrokerUnreachable, BrokerRefused, ProtocolError) as error:
                    lasted = time.monotonic() - begun
                    failures = 1 if lasted > self.waits.lasting_seconds else failures + 1
                    self._fail(error)
                    is_refused = isinstance(error, BrokerRefused)
                    self._stopping.wait(self.waits.wait(failures, self._rng, is_refused=is_refused))
        finally:
            with self._changed:
                self._session.outbox.give_up("the connection was closed before")
            self._become(State.STOPPED)
            self._waker.close()

    def _converse(self) -> None:
        self._become(State.CONNECTING)
        with closing(Wire.open(self.place, self._context, self._waker)) as wire:
            Conversation(
                wire,
                self._session,
                self._inlet,
                changed=self._changed,
                stopping=self._stopping,
                figures=self._figures,
                become=self._become,
                waits=self.waits,
                connect_seconds=self.place.connect_seconds,
            ).run()

    def _fail(self, error: PurportError) -> None:
        state = State.REFUSED if isinstance(error, BrokerRefused) else State.UNREACHABLE
        self._become(state, str(error))

    def _become(self, state: State, error: str = "") -> None:
        """Change the state; in the log, once and not at each try."""
        with self._changed:
            self._state = state
            if error:
                self._figures.last_error = error
            self._changed.notify_all()
        if state is not State.CONNECTING and (state, error) != self._logged:
            self._logged = state, error
            level = logging.WARNING if error else logging.INFO
            _LOG.log(level, "%s: %s%s", self.place, state, f": {error}" if error else "")
