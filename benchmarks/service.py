"""What a server adds to a broker: time, work for an update over HTTP, and memory of an idle client.

Server and clients share the machine; subscribers are in a process of their own.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

from benchmarks.city_lighting import quads
from benchmarks.finding import Finding, at_least, at_most
from benchmarks.lighting_profiles import Experiment, subscriptions, updates
from benchmarks.lit_city import LitCity
from purport import Broker
from tests.service.light_client import LightPoster, LightSocket
from tests.service.server_process import ServerProcess, running_server
from tests.service.serving import served_broker

EVENTS = 2_000
RATE = 500
IDLE = 1_000
CONNECTIONS = 4
SOME_QUADS = 2_000
LATEST_SECONDS = 30.0


def findings() -> Iterator[Finding]:
    yield from _added_latency()
    with tempfile.TemporaryDirectory() as folder, running_server(Path(folder)) as server:
        yield asyncio.run(_idle(server))
    with tempfile.TemporaryDirectory() as folder, running_server(Path(folder)) as server:
        yield from asyncio.run(_updated(server))


def _added_latency() -> Iterator[Finding]:
    """From the call that publishes to a client in another process."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        brokers = {
            "in memory": stack.enter_context(Broker.in_memory()),
            "synced to disk": stack.enter_context(Broker.open(folder)),
        }
        for name, broker in brokers.items():
            seconds = _latencies(broker)
            median, late = seconds[len(seconds) // 2], seconds[int(len(seconds) * 0.99)]
            what = f"from publishing to a client, {RATE} events/s, journal {name}"
            bar = 2.0 if name == "in memory" else None
            yield _milliseconds(f"{what}: median", median, bar)
            yield _milliseconds("  99 of 100", late, None)


def _milliseconds(what: str, seconds: float, most: float | None) -> Finding:
    shown = f"{1000 * seconds:.2f} ms"
    return (
        Finding(what, shown)
        if most is None
        else Finding(what, shown, f"<= {most:g} ms", 1000 * seconds <= most)
    )


def _latencies(broker: Broker) -> list[float]:
    with served_broker(broker) as server:
        command = [sys.executable, "-m", "benchmarks.service_listener", str(server.port)]
        listener = subprocess.Popen([*command, str(EVENTS)], stdout=subprocess.PIPE, text=True)
        assert listener.stdout is not None
        assert listener.stdout.readline() == "ready\n"
        began = time.perf_counter()
        for number in range(EVENTS):
            time.sleep(max(0.0, began + number / RATE - time.perf_counter()))
            broker.publish({"a": 1, "sent": time.time()})
        found: list[float] = json.loads(listener.communicate(timeout=60)[0])
    return found


async def _idle(server: ServerProcess) -> Finding:
    """What a server needs for clients that hear nothing."""
    loop = asyncio.get_running_loop()
    begun: asyncio.Queue[bytes] = asyncio.Queue()
    sockets = []
    before = 0
    for number in range(2 * IDLE):
        if number == IDLE:  # the first ones found what the process has at hand already
            before = server.resident_bytes()
        _, socket = await loop.create_connection(
            lambda: LightSocket("/subscribe", begun.put_nowait), "127.0.0.1", server.subscribe_port
        )
        await socket.opened
        socket.say(json.dumps({"subscribe": {"purport": f"{{a = {number}}}"}}).encode())
        await asyncio.wait_for(begun.get(), 30)
        sockets.append(socket)
    taken = (server.resident_bytes() - before) / IDLE
    for socket in sockets:
        socket.abort()
    return at_most(f"bytes of an idle subscriber, of {IDLE:,}", taken, 50 * 1024)


async def _updated(server: ServerProcess) -> Iterator[Finding]:
    """The lamps of SPS'16, each updated by a request of its own."""
    loop = asyncio.get_running_loop()
    heard: list[bytes] = []
    _, socket = await loop.create_connection(
        lambda: LightSocket("/subscribe", heard.append), "127.0.0.1", server.subscribe_port
    )
    await socket.opened
    _, loader = await loop.create_connection(LightPoster, "127.0.0.1", server.port)
    facts = [f"{quad.triple} ." for quad in quads()]
    for first in range(0, len(facts), SOME_QUADS):
        text = "\n".join(facts[first : first + SOME_QUADS])
        await _update(loader, f"INSERT DATA {{ {text} }}")
    queries = subscriptions()
    for query in queries:
        socket.say(json.dumps({"subscribe": {"sparql": query}}).encode())
    while len(heard) < len(queries):
        await asyncio.sleep(0.05)
    posters = [
        (await loop.create_connection(LightPoster, "127.0.0.1", server.port))[1]
        for _ in range(CONNECTIONS)
    ]
    before = len(heard)
    texts = updates(Experiment.LAMP, "50") + updates(Experiment.LAMP, "60")
    began = time.perf_counter()
    await asyncio.gather(
        *(_update_all(poster, texts[place::CONNECTIONS]) for place, poster in enumerate(posters))
    )
    rate = len(texts) / (time.perf_counter() - began)
    due = LitCity.subscribed(queries).run(texts)
    with suppress(TimeoutError):
        async with asyncio.timeout(LATEST_SECONDS):
            while len(heard) - before < due:
                await asyncio.sleep(0.05)
    await asyncio.sleep(0.5)  # for what should not come
    socket.abort()
    came = len(heard) - before
    return iter(
        [
            at_least(f"updates a second over HTTP, {len(queries):,} subscriptions", rate, 1_000),
            Finding(
                "  notifications that came of them, and that an engine in process tells",
                f"{came:,}",
                f"= {due:,}",
                came == due,
            ),
        ]
    )


async def _update_all(poster: LightPoster, texts: list[str]) -> None:
    for text in texts:
        await _update(poster, text)


async def _update(poster: LightPoster, text: str) -> None:
    status, body = await poster.post("/update", "application/sparql-update", text.encode())
    assert status == 200, body
