"""Kills a server under load at random moments and starts it again, and counts what became of it.

As a program it writes a report: `python -m tests.service.kills --kills 20 -o
docs/reports/service-kills.md`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import platform
import random
import socket
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from purport import Broker
from purport.broker.records import Published
from tests.service.light_client import LightPoster, LightSocket
from tests.service.server_process import ServerProcess

_GROUPS = 4
_SUBSCRIBERS = 8
_PUBLISHERS = 4
_BATCH = 5
_LATEST_SECONDS = 60.0
_CONNECTING_SECONDS = 5.0
_Protocol = TypeVar("_Protocol", bound=asyncio.Protocol)
_LOST_CONNECTION = (ConnectionError, OSError, asyncio.TimeoutError)


@dataclass(frozen=True, slots=True)
class Aftermath:
    """What became of what was acknowledged."""

    kills: int
    acknowledged: int  # events
    repeated: int  # of them, those that were sent again because no answer had come
    lost: int  # acknowledged, and not in the journal
    doubled: int  # in the journal twice
    expected: int  # notifications
    not_told: int
    gaps: int  # subscribers whose sequences have gaps
    told_otherwise: int  # under a number that had told of another event before

    @property
    def is_as_promised(self) -> bool:
        """Nothing acknowledged is lost, nothing is doubled, and sequences have no gaps."""
        return not (self.lost or self.doubled or self.not_told or self.gaps or self.told_otherwise)


@dataclass(slots=True)
class _Consumer:
    """A durable subscriber, which goes on after what it has."""

    name: str
    group: int
    heard: dict[int, str] = field(default_factory=dict)  # the ids of events, by number
    told_otherwise: int = 0
    is_begun: asyncio.Event = field(default_factory=asyncio.Event)

    def hear(self, text: bytes) -> None:
        self.is_begun.set()
        told = json.loads(text).get("notification")
        if told is not None:
            number, event = told["sequence"], told["event"]["@id"]
            self.told_otherwise += self.heard.setdefault(number, event) != event

    def asked(self) -> bytes:
        pattern = f"{{group = g{self.group}}}"
        asked = {"purport": pattern, "name": self.name, "durable": True}
        return json.dumps({"subscribe": {**asked, "after": len(self.heard) - 1}}).encode()


class _World:
    """The server as it is now, and those who use it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.server = ServerProcess(folder)
        self.is_up = asyncio.Event()
        self.is_up.set()
        self.is_over = False
        self.acknowledged: dict[str, int] = {}
        self.repeated = 0
        self.consumers = [
            _Consumer(f"c{number}", number % _GROUPS) for number in range(_SUBSCRIBERS)
        ]

    def kill(self) -> None:
        self.is_up.clear()
        self.server.kill()

    async def start(self) -> None:
        self.server = await asyncio.to_thread(ServerProcess, self._folder)
        self.is_up.set()

    async def consume(self, consumer: _Consumer) -> None:
        """Hear what comes, over one socket after the other, until it is cancelled."""
        while True:
            await self.is_up.wait()
            with suppress(*_LOST_CONNECTION):
                light = await _connected(
                    lambda: LightSocket("/subscribe", consumer.hear), self.server.subscribe_port
                )
                try:
                    await asyncio.wait_for(light.opened, _CONNECTING_SECONDS)
                    light.say(consumer.asked())
                    await light.closed
                finally:
                    light.abort()
            await asyncio.sleep(0.02)

    async def publish(self, number: int) -> None:
        """Publish events, and again what was not answered."""
        count = 0
        poster: LightPoster | None = None
        while not self.is_over:
            names = [f"p{number}-{count + one}" for one in range(_BATCH)]
            body = "\n".join(
                json.dumps({"@id": name, "group": f"g{(count + one) % _GROUPS}"})
                for one, name in enumerate(names)
            ).encode()
            count += _BATCH
            while True:
                try:
                    await self.is_up.wait()
                    if poster is None or poster.is_lost:
                        poster = await _connected(LightPoster, self.server.port)
                    answer = poster.post("/events", "application/x-ndjson", body)
                    status, said = await asyncio.wait_for(answer, _LATEST_SECONDS)
                except _LOST_CONNECTION:
                    await asyncio.sleep(0.02)
                    continue
                assert status == 200, said
                for receipt in json.loads(said)["events"]:
                    self.acknowledged[receipt["id"]] = receipt["sequence"]
                    self.repeated += receipt.get("repeated", False)
                break
        if poster is not None:
            poster.abort()


async def _connected(make: Callable[[], _Protocol], port: int) -> _Protocol:
    """A connection; a socket to a server that was killed meanwhile is closed at once."""
    loop = asyncio.get_running_loop()
    made = socket.socket()
    made.setblocking(False)
    try:
        await asyncio.wait_for(loop.sock_connect(made, ("127.0.0.1", port)), _CONNECTING_SECONDS)
        _, protocol = await loop.create_connection(make, sock=made)
    except BaseException:
        made.close()
        raise
    return protocol


async def killed_server(folder: Path, kills: int, seed: int) -> Aftermath:
    """Run a server through so many kills, under load."""
    drawn = random.Random(seed)
    world = _World(folder)
    consumers = [asyncio.create_task(world.consume(one)) for one in world.consumers]
    for one in world.consumers:  # what comes before they are there, they are not owed
        await asyncio.wait_for(one.is_begun.wait(), _LATEST_SECONDS)
    publishers = [asyncio.create_task(world.publish(number)) for number in range(_PUBLISHERS)]
    for _ in range(kills):
        before = len(world.acknowledged)
        deadline = time.monotonic() + _LATEST_SECONDS
        while len(world.acknowledged) < before + 100:
            assert time.monotonic() < deadline, "the server does not get on"
            await asyncio.sleep(0.01)
        await asyncio.sleep(drawn.uniform(0, 0.5))
        world.kill()
        await world.start()
    world.is_over = True
    await asyncio.gather(*publishers)
    return await _counted(world, folder, kills, consumers)


async def _counted(
    world: _World, folder: Path, kills: int, consumers: list[asyncio.Task[None]]
) -> Aftermath:
    expected = dict.fromkeys(range(_GROUPS), 0)
    for name in world.acknowledged:
        expected[int(name.split("-")[1]) % _GROUPS] += 1
    deadline = time.monotonic() + _LATEST_SECONDS
    while time.monotonic() < deadline and any(
        len(one.heard) < expected[one.group] for one in world.consumers
    ):
        await asyncio.sleep(0.05)
    for task in consumers:
        task.cancel()
    await asyncio.gather(*consumers, return_exceptions=True)
    await asyncio.to_thread(world.server.stop)
    kept = _journaled(folder)
    return Aftermath(
        kills,
        len(world.acknowledged),
        world.repeated,
        sum(name not in kept for name in world.acknowledged),
        sum(count - 1 for count in kept.values()),
        sum(expected[one.group] for one in world.consumers),
        sum(
            len(_of_group(world.acknowledged, one.group) - set(one.heard.values()))
            for one in world.consumers
        ),
        sum(sorted(one.heard) != list(range(len(one.heard))) for one in world.consumers),
        sum(one.told_otherwise for one in world.consumers),
    )


def _of_group(names: dict[str, int], group: int) -> set[str]:
    return {name for name in names if int(name.split("-")[1]) % _GROUPS == group}


def _journaled(folder: Path) -> Counter[str]:
    """How often each event is in the journal."""
    with Broker.open(folder) as broker:
        return Counter(
            entry.event.id
            for entry in broker.entries(0)
            if isinstance(entry.record, Published) and entry.event and entry.event.id
        )


def report(found: Aftermath, seconds: float) -> str:
    """A report in Markdown."""
    rows = [
        ("kills", found.kills),
        ("events acknowledged", found.acknowledged),
        ("of them sent again, because no answer had come, and told to be known", found.repeated),
        ("acknowledged and lost", found.lost),
        ("in the journal twice", found.doubled),
        ("notifications expected", found.expected),
        ("never told", found.not_told),
        ("subscribers with a gap in their sequence", found.gaps),
        ("numbers that told of another event before", found.told_otherwise),
    ]
    return "\n".join(
        [
            "# A server killed and started again",
            "",
            "`purport serve` is killed (`kill -9`) at random moments under load and started again.",
            f"{_PUBLISHERS} publishers send what was not answered again under the same ids;",
            f"{_SUBSCRIBERS} durable subscribers come back with the number they had last.",
            "",
            "| | |",
            "|---|---:|",
            *(f"| {name} | {value:,} |" for name, value in rows),
            "",
            f"Python {platform.python_version()}, {seconds:.0f} s, by `make test-long`.",
            "",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("-o", "--output", type=Path, required=True)
    given = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="purport-kills-") as folder:
        found = asyncio.run(killed_server(Path(folder), given.kills, seed=2026))
    if not found.is_as_promised:
        sys.exit(f"not what was promised: {found}")
    given.output.write_text(report(found, time.monotonic() - began), encoding="utf-8")


if __name__ == "__main__":
    main()
