"""How two brokers get to know each other: a hello of either, or a reason why there is no link."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from purport.broker.judges import Judges
from purport.errors import PurportError
from purport.service.overlay.messages import (
    LONGEST,
    VERSION,
    Hello,
    NotSpoken,
    Refusal,
    Said,
    read_hello,
    written,
)
from purport.service.overlay.wire import Wire, WireBroken

_HELLO_SECONDS = 10.0
POLICY = 1008  # how a WebSocket is closed that is refused
CROSSED = "linked already"  # the code of a refusal that nothing is wrong with


class LinkRefused(PurportError):
    """There is no link, because one of both wants none."""

    def __init__(self, reason: str, *, code: str, name: str = "", is_theirs: bool = False) -> None:
        super().__init__(reason)
        self.code, self.name, self.is_theirs = code, name, is_theirs


@dataclass(frozen=True, slots=True)
class Introduction:
    """Who this broker is."""

    name: str
    epoch: str
    message_bytes: int
    judges: Judges

    def hello(self, to: str, holds: str) -> Hello:
        """What it says first."""
        return Hello(
            VERSION, self.name, to, self.epoch, holds, self.message_bytes, LONGEST, self.judges
        )  # fmt: skip

    def require_other(self, peer: Hello) -> None:
        """Raise `LinkRefused` if somebody says to be this very broker."""
        if peer.epoch == self.epoch:
            raise LinkRefused(
                f"{self.name!r} has reached itself: is that the address of a neighbour?",
                code="self",
                name=peer.name,
            )
        if peer.name == self.name:
            raise LinkRefused(
                f"two brokers are called {self.name!r}: each needs a name of its own",
                code="same name",
                name=peer.name,
            )


async def heard_hello(wire: Wire, here: str) -> Hello:
    """The first message of the other end; `LinkRefused` if it is none, or says why not."""
    try:
        async with asyncio.timeout(_HELLO_SECONDS):
            said = read_hello(await wire.receive(), here)
    except TimeoutError:
        raise WireBroken(f"{wire.address} has not said who it is") from None
    except NotSpoken as error:
        raise LinkRefused(str(error), code=error.code) from None
    if isinstance(said, Refusal):
        raise LinkRefused(said.reason, code=said.code, is_theirs=True)
    return said


async def introduced(
    wire: Wire, here: Introduction, to: str, holds: Callable[[], Awaitable[str]]
) -> Hello:
    """Say hello on a connection that was opened here, and hear who answers.

    `LinkRefused` if that is another one than `to`, or does not want to.
    """
    await wire.send(written(here.hello(to, await holds())))
    peer = await heard_hello(wire, here.name)
    here.require_other(peer)
    if peer.name != to:
        raise LinkRefused(
            f"at {wire.address} is {peer.name!r}, and not {to!r}", code="another name", name=to
        )
    return peer


async def refuse(wire: Wire, error: LinkRefused) -> None:
    """Tell the other end why there is no link, unless it said so itself."""
    try:
        async with asyncio.timeout(_HELLO_SECONDS):
            if not error.is_theirs:
                await wire.send(written(Said(refused=Refusal(error.code, str(error)))))
            await wire.close(POLICY, str(error))
    except (TimeoutError, WireBroken):
        return
