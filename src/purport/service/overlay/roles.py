"""Which links are used, and which are spare: a tree of those that are up, as all brokers see it.

A link that is needed is used at once. One that is not is used for a while longer: until what its
neighbour asks for is asked for on another way, and, of one that is up, until the other end can do
without it as well. So there is always a way, and now and then two; what comes twice is known.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from purport.covering.topology import LinkState, Topology
from purport.errors import PurportError
from purport.service.overlay.exchange import Exchange
from purport.service.overlay.link import Connection, Detour, Link
from purport.service.overlay.messages import Said

_LOG = logging.getLogger("purport.service")
_CONTRADICTED_OFTEN = 5
_OUT_OF_DATE = 12  # times the linger: then nobody wants what is asked for over a broken link only
_MOST_DETOURS = 7  # each after twice the time, while interests come that were not there before
_FIRST_WAIT_SECONDS, _LONGEST_WAIT_SECONDS = 0.05, 10.0


class Roles:
    """What is known of all links, and what this broker makes of its own."""

    def __init__(
        self,
        name: str,
        links: Mapping[str, Link],
        exchange: Exchange,
        ask_others: Callable[[str], None],
        *,
        linger_seconds: float,
    ) -> None:
        """`linger_seconds`: a link that is not needed any more is used for so long."""
        self.topology = Topology(name)
        self._links, self._exchange, self._ask_others = links, exchange, ask_others
        self._linger_seconds = linger_seconds
        self._news = asyncio.Event()

    def go_up(self, session: Connection) -> None:
        """There is one link more."""
        session.say(Said(states=self.topology.states))
        self._look_at_links()

    def go_down(self) -> None:
        """There is one less."""
        self._look_at_links()

    def take_states(self, link: Link, states: Sequence[LinkState]) -> None:
        """A neighbour tells what brokers say of their links."""
        fresh = tuple(one for one in states if self.topology.take(one))
        others = tuple(one for one in fresh if one.broker != self.topology.name)
        if len(others) < len(fresh):
            self._contradict()
        if others:
            self._spread(others, link)
        if fresh:
            self._news.set()

    def take_spare(self, link: Link, is_spare: bool) -> None:
        """A neighbour could do without a link, or no longer."""
        link.is_said_spare = is_spare
        self._news.set()

    async def run(self) -> None:
        """See which links are needed, whenever that may have changed."""
        while True:
            is_due = any(map(self._is_due, self._links.values()))
            with suppress(TimeoutError):
                async with asyncio.timeout(self._linger_seconds / 4 if is_due else None):
                    await self._news.wait()
            self._news.clear()
            for link in self._links.values():
                try:
                    await self._look_at(link)
                except PurportError as error:  # it is tried again
                    _LOG.warning("the link to %r stays as it is: %s", link.name, error)

    def _look_at_links(self) -> None:
        near = [one.name for one in self._links.values() if one.session is not None]
        said = self.topology.set_near(near)
        if said is not None:
            self._spread((said,))
        self._news.set()

    def _spread(self, states: Sequence[LinkState], come_from: Link | None = None) -> None:
        for link in self._links.values():
            if link.session is not None and link is not come_from:
                link.session.say(Said(states=tuple(states)))

    def _contradict(self) -> None:
        """Somebody spoke in this broker's name: itself, before it started again, or another one."""
        times = self.topology.contradictions
        if times == _CONTRADICTED_OFTEN:
            _LOG.error(
                "another broker is called %r too, somewhere: each needs a name of its own",
                self.topology.name,
            )
        wait = min(_FIRST_WAIT_SECONDS * 2 ** min(times, 20), _LONGEST_WAIT_SECONDS)
        loop = asyncio.get_running_loop()
        loop.call_later(wait, lambda: self._spread((self.topology.own,)))

    async def _look_at(self, link: Link) -> None:
        if self._is_needed(link):
            link.unneeded_since = None
            self._say_spare(link, False)
            if not link.is_used:
                await self._use(link, True)
            if link.session is None:
                await self._go_round(link)
            return
        if not link.is_used:
            return
        now = asyncio.get_running_loop().time()
        if link.unneeded_since is None:
            link.unneeded_since = now
        if now - link.unneeded_since >= self._linger_seconds:
            await self._do_without(link)

    def _is_due(self, link: Link) -> bool:
        """Whether something is to be done about a link after a while."""
        detour = link.detour
        is_detour_due = detour is not None and detour.beyond and detour.tries < _MOST_DETOURS
        return link.unneeded_since is not None or bool(is_detour_due)

    def _is_needed(self, link: Link) -> bool:
        """Whether a link is one of the tree; one that is down, whether nothing else leads there."""
        if link.session is not None:
            return link.name in self.topology.used
        return not self.topology.reaches(link.name)

    async def _go_round(self, link: Link) -> None:
        """Tell others what waits for a neighbour that is down, if they were asking through it.

        It goes on waiting for the neighbour. Interests may still be on their way, over several
        links: while some come that were not there before, it is done again.
        """
        now = asyncio.get_running_loop().time()
        beyond, detour = self.topology.beyond(link.name), link.detour
        if detour is None or not beyond <= detour.beyond:
            before = frozenset() if detour is None else detour.beyond
            link.detour = detour = Detour(beyond | before, now + self._linger_seconds)
        if not detour.beyond or detour.tries >= _MOST_DETOURS or now < detour.due:
            return
        if not self._are_settled():
            return
        heard = sum(one.figures.interests_received for one in self._links.values())
        is_new, detour.heard = heard != detour.heard, heard
        detour.tries += 1
        detour.due = now + self._linger_seconds * 2**detour.tries
        if is_new:
            await self._exchange.tell_others(link.name)

    def _are_settled(self) -> bool:
        """Whether all that are there know what they are asked for."""
        used = [one for one in self._links.values() if one.is_used and one.session is not None]
        return all(one.is_settled for one in used)

    async def _do_without(self, link: Link) -> None:
        """Use a link no more, if another way is there for all that is wanted."""
        if not self._are_settled():
            return
        if not (self._is_out_of_date(link) or await self._is_covered_elsewhere(link)):
            self._say_spare(link, False)
            return
        if link.session is None:
            await self._exchange.reroute(link.name)
            await self._use(link, False)
            return
        self._say_spare(link, True)
        if link.is_said_spare:
            await self._use(link, False)

    async def _is_covered_elsewhere(self, link: Link) -> bool:
        return await self._exchange.is_covered_elsewhere(link.name)

    def _is_out_of_date(self, link: Link) -> bool:
        """Whether what a neighbour asked for would long be asked for on another way as well.

        It has not been able to say over the link, which is down, that it wants something no more.
        """
        now, since = asyncio.get_running_loop().time(), link.unneeded_since
        is_long = since is not None and now - since >= _OUT_OF_DATE * self._linger_seconds
        return link.session is None and is_long

    def _say_spare(self, link: Link, is_spare: bool) -> None:
        if link.session is not None and link.says_spare != is_spare:
            link.says_spare = is_spare
            link.session.say(Said(spare=is_spare))

    async def _use(self, link: Link, is_used: bool) -> None:
        link.is_used = is_used
        if not is_used:
            link.unneeded_since = None
        await self._exchange.use(link.name, is_used)
        self._ask_others("")
