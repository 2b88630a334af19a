"""A load on a real server: many sockets, many events, and how long each takes to arrive.

As a program it writes a report: `python -m tests.service.load -o docs/reports/service-load.md`.
"""

from __future__ import annotations

import argparse
import asyncio
import platform
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import msgspec

from tests.service.light_client import LightPoster, LightSocket
from tests.service.server_process import ServerProcess, running_server

_GROUP = 5  # sockets that hear of the same events
_BATCH = 10  # events of one request
_LATEST_SECONDS = 30.0


class _Event(msgspec.Struct):
    sent: float
    number: int


class _Told(msgspec.Struct):
    sequence: int
    event: _Event


class _Heard(msgspec.Struct):
    notification: _Told | None = None
    error: str | None = None


_READ = msgspec.json.Decoder(_Heard).decode


@dataclass(slots=True)
class Hearer:
    """What one socket got."""

    numbers: list[int] = field(default_factory=list)
    sequences: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    is_begun: asyncio.Event = field(default_factory=asyncio.Event)

    def hear(self, text: bytes) -> None:
        """One message."""
        now = time.time()
        heard = _READ(text)
        if heard.notification is None:
            assert heard.error is None, text
            self.is_begun.set()
            return
        self.numbers.append(heard.notification.event.number)
        self.sequences.append(heard.notification.sequence)
        self.seconds.append(now - heard.notification.event.sent)


@dataclass(frozen=True, slots=True)
class Load:
    """How much of what."""

    sockets: int
    events_per_second: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of it."""

    load: Load
    published: int
    seconds: float
    expected: int
    arrived: int
    lost: int
    doubled: int
    gaps: int
    median_ms: float
    p99_ms: float
    bytes_per_socket: float

    @property
    def is_as_promised(self) -> bool:
        """Whether everything arrived once, and in order."""
        return not (self.lost or self.doubled or self.gaps)


async def loaded(server: ServerProcess, load: Load) -> Outcome:
    """Put a load on a server, and count what arrives."""
    loop = asyncio.get_running_loop()
    groups = load.sockets // _GROUP
    before = server.resident_bytes()
    hearers = [Hearer() for _ in range(load.sockets)]
    sockets: list[LightSocket] = []
    for place, hearer in enumerate(hearers):
        _, socket = await loop.create_connection(
            partial(LightSocket, "/subscribe", hearer.hear),
            "127.0.0.1",
            server.subscribe_port,
        )
        await socket.opened
        asked = {"subscribe": {"purport": f"{{group = g{place % groups}}}"}}
        socket.say(msgspec.json.encode(asked))
        sockets.append(socket)
    for hearer in hearers:
        await asyncio.wait_for(hearer.is_begun.wait(), _LATEST_SECONDS)
    idle = (server.resident_bytes() - before) / load.sockets
    _, poster = await loop.create_connection(LightPoster, "127.0.0.1", server.port)
    began = time.perf_counter()
    published = await _publish(poster, load, groups)
    seconds = time.perf_counter() - began
    expected = Counter(number % groups for number in range(published))
    deadline = time.monotonic() + _LATEST_SECONDS
    while time.monotonic() < deadline and any(
        len(hearer.numbers) < expected[place % groups] for place, hearer in enumerate(hearers)
    ):
        await asyncio.sleep(0.05)
    for socket in sockets:
        socket.abort()
    poster.abort()
    lost = doubled = gaps = 0
    for place, hearer in enumerate(hearers):
        distinct = len(set(hearer.numbers))
        lost += expected[place % groups] - distinct
        doubled += len(hearer.numbers) - distinct
        gaps += hearer.sequences != list(range(len(hearer.sequences)))
    times = sorted(one for hearer in hearers for one in hearer.seconds)
    return Outcome(
        load,
        published,
        seconds,
        sum(expected[place % groups] for place in range(load.sockets)),
        sum(len(hearer.numbers) for hearer in hearers),
        lost,
        doubled,
        gaps,
        1000 * times[len(times) // 2],
        1000 * times[int(len(times) * 0.99)],
        idle,
    )


async def _publish(poster: LightPoster, load: Load, groups: int) -> int:
    """Publish events at a rate, several with each request, whatever the answers take."""
    loop = asyncio.get_running_loop()
    interval = _BATCH / load.events_per_second
    total = int(load.seconds * load.events_per_second) // _BATCH * _BATCH
    answers: list[asyncio.Task[tuple[int, bytes]]] = []
    began = loop.time()
    for first in range(0, total, _BATCH):
        wait = began + first / _BATCH * interval - loop.time()
        if wait > 0:
            await asyncio.sleep(wait)
        now = time.time()
        lines = [
            b'{"group": "g%d", "sent": %f, "number": %d}' % (number % groups, now, number)
            for number in range(first, first + _BATCH)
        ]
        body = b"\n".join(lines)
        answers.append(loop.create_task(poster.post("/events", "application/x-ndjson", body)))
    for status, body in await asyncio.gather(*answers):
        assert status == 200, body
    return total


def report(outcome: Outcome) -> str:
    """A report in Markdown."""
    load = outcome.load
    rows = [
        ("sockets, each with a subscription", f"{load.sockets:,}"),
        ("events published", f"{outcome.published:,}"),
        ("events a second", f"{outcome.published / outcome.seconds:,.0f}"),
        ("notifications expected", f"{outcome.expected:,}"),
        ("notifications that arrived", f"{outcome.arrived:,}"),
        ("lost", f"{outcome.lost:,}"),
        ("doubled", f"{outcome.doubled:,}"),
        ("sockets with a gap in their sequence", f"{outcome.gaps:,}"),
        ("from publisher to subscriber, median", f"{outcome.median_ms:.1f} ms"),
        ("from publisher to subscriber, 99 of 100", f"{outcome.p99_ms:.1f} ms"),
        (
            "memory of the server, for each idle subscriber",
            f"{outcome.bytes_per_socket:,.0f} bytes",
        ),
    ]
    return "\n".join(
        [
            "# A server under load",
            "",
            "`purport serve` with a journal on disk that is synced, on loopback. Each event",
            f"reaches {_GROUP} sockets; {_BATCH} events come with each request. Publisher and",
            "subscribers run on the same machine, which has to do for both.",
            "",
            "| | |",
            "|---|---:|",
            *(f"| {name} | {value} |" for name, value in rows),
            "",
            f"Python {platform.python_version()}, {load.seconds:.0f} s.",
            "",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sockets", type=int, default=1000)
    parser.add_argument("--rate", type=int, default=2000)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("-o", "--output", type=Path)
    given = parser.parse_args()
    load = Load(given.sockets, given.rate, given.seconds)
    with (
        tempfile.TemporaryDirectory(prefix="purport-load-") as folder,
        running_server(Path(folder)) as server,
    ):
        outcome = asyncio.run(loaded(server, load))
    text = report(outcome)
    if given.output is not None:
        given.output.write_text(text, encoding="utf-8")
    sys.stdout.write(text)
    if not outcome.is_as_promised:
        sys.exit("not what was promised")


if __name__ == "__main__":
    main()
