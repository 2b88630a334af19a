"""The neighbours of a broker: links are opened, taken and lost, and opened again."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from datetime import UTC, datetime

from purport.covering.topology import LinkState
from purport.errors import PurportError
from purport.prometheus import Family
from purport.service.overlay.exchange import Exchange
from purport.service.overlay.figures import families
from purport.service.overlay.greeting import (
    CROSSED,
    Introduction,
    LinkRefused,
    heard_hello,
    introduced,
    refuse,
)
from purport.service.overlay.link import Connection, Link
from purport.service.overlay.messages import VERSION, Hello, written
from purport.service.overlay.patience import AFTER_BREAK, AFTER_REFUSAL, Patience
from purport.service.overlay.roles import Roles
from purport.service.overlay.session import Session
from purport.service.overlay.status import (
    NeighbourStatus,
    OverlayStatus,
    RefusedComers,
    neighbour_status,
)
from purport.service.overlay.wire import Dial, Wire, WireBroken, dialled
from purport.service.settings import OverlaySettings, RequestLimits

_LOG = logging.getLogger("purport.service")
_STOPPING_SECONDS = 1.0

WhoOf = Callable[[str | None], str | None]


def _now() -> datetime:
    return datetime.now(UTC)


class Overlay:
    """One link to each neighbour, whoever opens it.

    Events and interests wait in the journal while a link is down. What is wrong with one neighbour
    is said in the log and in the status; the others go on.
    """

    def __init__(
        self,
        settings: OverlaySettings,
        limits: RequestLimits,
        exchange: Exchange,
        *,
        who_of: WhoOf,
        lets_in: Callable[[str | None, str | None], bool],
        knows_names: bool,
        dial: Dial = dialled,
    ) -> None:
        """`knows_names`: whoever comes has to show whose token it has."""
        self.name = settings.name
        self._settings, self._limits, self._exchange = settings, limits, exchange
        self._who_of, self._lets_in, self._knows_names = who_of, lets_in, knows_names
        self._dial = dial
        self._links = {one.name: Link(one, _now) for one in settings.neighbours}
        self._roles = Roles(
            settings.name,
            self._links,
            exchange,
            self.ask_others,
            linger_seconds=settings.linger_seconds,
        )
        self._refused = RefusedComers(_now)
        self._here = Introduction(settings.name, "", limits.message_bytes)
        self._changed: dict[str, None] = {}
        self._news = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_over = False
        self.has_begun = asyncio.Event()

    async def begin(self) -> None:
        """Be there for neighbours as soon as it is known what is wanted, which may take a while."""
        self._loop = asyncio.get_running_loop()
        self._run(self._begin())

    async def _begin(self) -> None:
        epoch = await self._exchange.begin(self.name, self._links, self._note)
        self._here = Introduction(self.name, epoch, self._limits.message_bytes)
        self._run(self._follow())
        self._run(self._roles.run())
        for link in self._links.values():
            if link.settings.url is not None:
                self._run(self._reach(link, link.settings.url))
        self.has_begun.set()

    async def stop(self) -> None:
        """Let go of all links; what waits, waits for the next start."""
        self._is_over = True
        for link in self._links.values():
            if link.session is not None:
                link.session.end(f"{self.name} stops")
        with suppress(TimeoutError):
            async with asyncio.timeout(_STOPPING_SECONDS):
                await asyncio.gather(*(one.is_down.wait() for one in self._links.values()))
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def close(self) -> None:
        """Nothing is thought about any more."""
        self._exchange.close()

    async def accept(self, wire: Wire, token: str | None) -> None:
        """Take a link that somebody opens, until it breaks; or say why not."""
        try:
            link, peer = await self._heard(wire, token)
            await self._require_room(link, peer, is_ours=False)
            await wire.send(written(self._here.hello(link.name, await self._held(link))))
            await self._use(link, wire, peer, is_ours=False, may_go_on=self._may_go_on(link, token))
        except WireBroken:
            return
        except LinkRefused as error:
            if error.code != CROSSED and not error.is_theirs:
                self._note_refused(error, wire.address)
            await refuse(wire, error)

    async def status(self) -> OverlayStatus:
        """How all links are."""
        neighbours = [await self._status(one) for one in self._links.values()]
        refused = self._refused.all()
        brokers = sorted(self._roles.topology.reached)
        return OverlayStatus(self.name, VERSION, self._here.epoch, brokers, neighbours, refused)

    async def families(self) -> list[Family]:
        """The same as figures for Prometheus."""
        return list(families((await self.status()).neighbours))

    async def _status(self, link: Link) -> NeighbourStatus:
        waiting, received, unjudged = await self._exchange.figures(link.name)
        return neighbour_status(link, waiting=waiting, received=received, unjudged=unjudged)

    async def _heard(self, wire: Wire, token: str | None) -> tuple[Link, Hello]:
        """Who opens a link; `LinkRefused` if it is nobody who may."""
        peer = await heard_hello(wire, self.name)
        if self._is_over or not self.has_begun.is_set():
            raise LinkRefused(f"{self.name} does not run", code=CROSSED)
        self._here.require_other(peer)
        if peer.to != self.name:
            raise LinkRefused(
                f"here is {self.name!r}, and not {peer.to!r}", code="another name", name=peer.name
            )
        link = self._links.get(peer.name)
        if link is None:
            raise LinkRefused(
                f"{peer.name!r} is not among the neighbours of {self.name!r}",
                code="unknown",
                name=peer.name,
            )
        self._require_known(link, token)
        return link, peer

    def _require_known(self, link: Link, token: str | None) -> None:
        """Raise `LinkRefused` if whoever comes does not show the token of a neighbour."""
        if not self._knows_names:
            return
        try:
            who = self._who_of(token)
        except PurportError as error:
            raise LinkRefused(str(error), code="unauthorized", name=link.name) from None
        if who != link.settings.comes_as:
            whose = "nobody's" if who is None else f"that of {who!r}"
            raise LinkRefused(
                f"{link.name!r} has to come as {link.settings.comes_as!r}, and the token is "
                f"{whose}",
                code="unauthorized",
                name=link.name,
            )

    async def _require_room(self, link: Link, peer: Hello, *, is_ours: bool) -> None:
        """Raise `LinkRefused` if there is a link already that is to stay.

        One to another epoch of the neighbour is used no more, if nobody answers there.
        """
        old = link.session
        if old is None:
            return
        if old.peer.epoch == peer.epoch:
            self._require_better(link, old, is_ours=is_ours)
        elif await old.is_alive():
            raise LinkRefused(
                f"two brokers are called {link.name!r}: one is linked already, from {old.address}",
                code="same name",
                name=link.name,
            )
        else:
            old.end("nobody answers there any more")
            await link.is_down.wait()

    def _require_better(self, link: Link, old: Connection, *, is_ours: bool) -> None:
        """Raise `LinkRefused` unless a connection is to take the place of an old one.

        When both ends have opened one at the same time, both use that of the first name by its
        letters.
        """
        keeps_ours = self.name < link.name
        if old.is_ours != is_ours and old.is_ours == keeps_ours:
            raise LinkRefused(f"{link.name!r} is linked already", code=CROSSED)

    async def _use(
        self,
        link: Link,
        wire: Wire,
        peer: Hello,
        *,
        is_ours: bool,
        may_go_on: Callable[[], bool] = lambda: True,
    ) -> None:
        """Tell and hear over a connection until it breaks.

        `LinkRefused` if there is another one now, which is to stay.
        """
        old = link.session
        if old is not None:
            if old.peer.epoch != peer.epoch:
                raise LinkRefused(f"{link.name!r} is linked already", code=CROSSED)
            self._require_better(link, old, is_ours=is_ours)
            old.end("another connection took its place")
        session = Session(
            wire,
            peer,
            link,
            self._exchange,
            is_ours=is_ours,
            may_go_on=may_go_on,
            around=self,
        )
        link.go_up(session)
        self._roles.go_up(session)
        reason = f"{self.name} stops"
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            reason = await session.run()
        finally:
            link.lasted_seconds = loop.time() - began
            link.is_understood = session.is_understood
            if link.session is session:
                link.go_down(reason)
                self._roles.go_down()

    async def _reach(self, link: Link, url: str) -> None:
        """Open a link whenever there is none."""
        patience = Patience()
        while not self._is_over:
            await link.is_down.wait()
            link.lasted_seconds, link.is_understood = 0.0, True
            is_refused = False
            try:
                await self._connect(link, url)
            except LinkRefused as error:
                is_refused = error.code != CROSSED
                if is_refused:
                    by = f"{link.name} refuses: " if error.is_theirs else ""
                    link.stay_down(f"{by}{error}")
            except PurportError as error:
                link.stay_down(str(error))
            except Exception as error:  # noqa: BLE001 - whatever it is, it is tried again
                _LOG.error("the link to %r failed", link.name, exc_info=error)
            pace = AFTER_REFUSAL if is_refused or not link.is_understood else AFTER_BREAK
            wait = patience.wait_after(pace, lasted_seconds=link.lasted_seconds)
            await asyncio.sleep(wait * (0.5 + random.random() / 2))

    async def _connect(self, link: Link, url: str) -> None:
        settings, limits = link.settings, self._limits
        token = await asyncio.to_thread(settings.token_to_show)
        wire = await self._dial(
            url,
            token=token,
            ca=settings.ca,
            message_bytes=limits.message_bytes,
            ping_seconds=limits.ping_seconds,
        )
        try:
            peer = await introduced(wire, self._here, link.name, lambda: self._held(link))
            await self._require_room(link, peer, is_ours=True)
            await self._use(link, wire, peer, is_ours=True)
        except LinkRefused as error:
            await refuse(wire, error)
            raise
        except BaseException:
            await wire.close(1001, "")
            raise

    async def _follow(self) -> None:
        """Ask neighbours for what somebody here wants, or no more."""
        while True:
            await self._news.wait()
            self._news.clear()
            changed, self._changed = self._changed, {}
            try:
                await self._exchange.follow(changed)
            except PurportError as error:  # the broker was closed
                _LOG.warning("neighbours are not asked for what has changed: %s", error)
            self.ask_others("")

    def _note(self, registration: str) -> None:
        """A registration has changed; in the thread in which it did."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._want, registration)

    def _want(self, registration: str) -> None:
        for link in self._links.values():
            link.is_settled = False
        self._changed[registration] = None
        self._news.set()

    def ask_others(self, neighbour: str) -> None:
        """See whether others than a neighbour have to be asked for something else."""
        for link in self._links.values():
            if link.name != neighbour:
                link.is_settled = False
                link.news.set()

    def take_states(self, link: Link, states: Sequence[LinkState]) -> None:
        """Brokers have said something of their links."""
        self._roles.take_states(link, states)

    def take_spare(self, link: Link, is_spare: bool) -> None:
        """A neighbour could do without a link, or no longer."""
        self._roles.take_spare(link, is_spare)

    async def _held(self, link: Link) -> str:
        return await self._exchange.held(link.name)

    def _may_go_on(self, link: Link, token: str | None) -> Callable[[], bool]:
        """Whether the token with which a link was opened is still taken."""
        if not self._knows_names:
            return lambda: True
        return lambda: self._lets_in(link.settings.comes_as, token)

    def _note_refused(self, error: LinkRefused, address: str) -> None:
        host = address.rpartition(":")[0]
        if self._refused.add(error.name, host, error.code, str(error)):
            _LOG.warning("a link from %s is refused: %s", host, error)

    def _run(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _LOG.error("a part of the overlay has failed", exc_info=error)
