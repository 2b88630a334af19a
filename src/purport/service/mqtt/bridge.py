"""One bridge: a connection to a broker of MQTT, the way in behind it, and the way out."""

from __future__ import annotations

import asyncio
import logging
import tempfile
from contextlib import suppress
from pathlib import Path

from purport.embedded.broker import Broker
from purport.errors import PurportError
from purport.mqtt.connection import Connection
from purport.mqtt.errors import NotDelivered
from purport.mqtt.figures import State
from purport.mqtt.waits import Waits
from purport.service.desk import Desk
from purport.service.mqtt.announcing import Announcing
from purport.service.mqtt.asking import farewell, session_of
from purport.service.mqtt.dead_letters import DeadLetters
from purport.service.mqtt.discovery import Sensors
from purport.service.mqtt.intake import Intake
from purport.service.mqtt.outgoing import Outgoing, topics_of
from purport.service.mqtt.reading import MessageReader
from purport.service.mqtt.settings import MqttSettings
from purport.service.mqtt.spooled import OpenSpool, RingingInlet, open_spool
from purport.service.mqtt.status import BridgeStatus, InStatus, OutStatus
from purport.service.mqtt.trouble import Trouble
from purport.service.publisher import Publisher

_LOG = logging.getLogger("purport.service")
_AGAIN_SECONDS = 5.0
_FAREWELL_SECONDS = 2.0


class _Parts:
    """What there is of a bridge whose spool is open."""

    def __init__(self, bridge: Bridge, opened: OpenSpool, folder: Path) -> None:
        settings, self.spool = bridge.settings, opened.spool
        self.sensors = Sensors(settings.discovery, folder / "sensors-heard.json")
        self.dead_letters = DeadLetters(folder, opened.identity)
        self.announcing = Announcing(settings, folder)
        own = [settings.status, *topics_of(settings.out), *self.announcing.topics]
        self.intake = Intake(
            bridge.broker,
            bridge.desk,
            bridge.publisher,
            reader=MessageReader(settings, opened.identity, self.sensors, own),
            spool=opened.spool,
            dead_letters=self.dead_letters,
            owner=settings.owner,
            trouble=bridge.trouble_in,
        )
        self.inlet = RingingInlet(opened.spool, settings.when_full, self.intake.ring)
        session = session_of(settings, opened.identity)
        self.connection = Connection(
            settings.address().place, session, self.inlet, waits=bridge.waits
        )
        self.outgoing = Outgoing(
            bridge.broker, settings, self.connection, self.dead_letters, bridge.trouble_out
        )


class Bridge:
    """Runs for as long as the event loop does; what is wrong with it concerns nothing else."""

    def __init__(
        self,
        settings: MqttSettings,
        broker: Broker,
        desk: Desk,
        publisher: Publisher,
        folder: Path | None,
        *,
        waits: Waits | None = None,
    ) -> None:
        """Without a folder, what it keeps goes with the process."""
        self.settings, self.broker, self.desk, self.publisher = settings, broker, desk, publisher
        self.waits = waits or Waits()
        self.trouble_in, self.trouble_out = Trouble(settings.name), Trouble(settings.name)
        self._passing = None if folder else tempfile.TemporaryDirectory(prefix="purport-mqtt-")
        self._folder = folder or Path(self._passing.name if self._passing else "")
        self._parts: _Parts | None = None
        self._tasks: list[asyncio.Task[None]] = []

    def begin(self) -> None:
        """Begin, for as long as it takes."""
        self._tasks.append(asyncio.create_task(self._run()))

    async def _run(self) -> None:
        while self._parts is None:
            try:
                opened = await asyncio.to_thread(self._open)
                try:
                    self._parts = await self._started(opened)
                except BaseException:
                    opened.spool.close()
                    raise
            except (PurportError, OSError) as error:
                self.trouble_in.note(f"it does not start: {error}")
                await asyncio.sleep(_AGAIN_SECONDS)
        self.trouble_in.clear()
        await self._parts.intake.run()

    def _open(self) -> OpenSpool:
        settings, incoming = self.settings, self.broker.incoming
        log = f"mqtt:{settings.name}"
        self._folder.mkdir(parents=True, exist_ok=True)
        return open_spool(
            self._folder / "spool",
            settings.spool_bytes,
            lambda identity, end: incoming.next_position(log, identity) > end,
        )

    async def _started(self, opened: OpenSpool) -> _Parts:
        parts = _Parts(self, opened, self._folder)
        await asyncio.to_thread(self._start, parts)
        return parts

    def _start(self, parts: _Parts) -> None:
        parts.connection.start()
        try:
            parts.announcing.tell(parts.connection)
            parts.outgoing.start()
        except BaseException:
            parts.connection.stop()
            raise

    async def stop(self) -> None:
        """Say farewell; what waits, waits for the next start."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._parts is not None:
            await asyncio.to_thread(self._stop, self._parts)

    def _stop(self, parts: _Parts) -> None:
        parts.outgoing.stop()
        told = farewell(self.settings)
        if told is not None and parts.connection.state is State.READY:
            with suppress(NotDelivered):
                parts.connection.publish(told, seconds=0.0).wait(_FAREWELL_SECONDS)
        with suppress(OSError):
            parts.announcing.settle()
        parts.connection.stop()
        parts.spool.close()

    def close(self) -> None:
        """Leave nothing behind that does not last."""
        if self._passing is not None:
            self._passing.cleanup()

    @property
    def is_ready(self) -> bool:
        """Whether there is a connection, or nobody needs one."""
        parts = self._parts
        if not self.settings.required:
            return True
        return parts is not None and parts.connection.state is State.READY

    def status(self) -> BridgeStatus:
        """How it is doing."""
        place, parts = str(self.settings.address().place), self._parts
        reason = self.trouble_in.reason or self.trouble_out.reason or None
        if parts is None:
            state = "failed" if reason else "starting"
            return BridgeStatus(
                self.settings.name, place, state, reason, 0, {}, InStatus(), OutStatus(), []
            )
        state, figures = parts.connection.state, parts.connection.figures()
        if state not in (State.READY, State.STOPPED):
            reason = reason or figures.last_error or None
        intake, outgoing, dead = parts.intake, parts.outgoing, parts.dead_letters
        return BridgeStatus(
            self.settings.name,
            place,
            state,
            reason,
            figures.reconnects,
            figures.refused_topics,
            InStatus(
                figures.received,
                intake.published,
                intake.repeated,
                dead.count - outgoing.refused + figures.rejected,
                intake.lost,
                intake.lag,
                parts.spool.held_bytes,
                len(parts.sensors),
            ),
            OutStatus(outgoing.delivered, outgoing.refused, outgoing.waiting),
            dead.shown(),
        )
