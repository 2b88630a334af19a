"""A client whose server is killed and comes back misses nothing, and hears nothing twice."""

import asyncio
from pathlib import Path

import pytest

from purport.client.async_client import AsyncClient
from purport.client.client import Client
from purport.client.messages import NotificationMessage
from purport.courier import Patience
from tests.service.server_process import ServerProcess

LASTING = Patience(tries=600, first_wait_seconds=0.05, longest_wait_seconds=0.1)
LATEST_SECONDS = 60.0


def started_again(server: ServerProcess, folder: Path) -> ServerProcess:
    """A server at the same addresses, after the one before was killed."""
    server.kill()
    ports = ("--port", str(server.port), "--subscribe-port", str(server.subscribe_port))
    return ServerProcess(folder, *ports)


def numbers_of(told: NotificationMessage | None) -> tuple[int, object]:
    assert told is not None and isinstance(told.event, dict)
    return told.sequence, told.event["a"]


def heard_by_threads(folder: Path) -> list[tuple[int, object]]:
    server, heard = ServerProcess(folder), []
    with (
        Client(server.url, subscribe_url=server.subscribe_url, patience=LASTING) as client,
        client.subscribe("{a > 0}", name="kept", durable=True) as notifications,
    ):
        for first in (1, 4):
            client.publish_all([{"@id": f"e{one}", "a": one} for one in range(first, first + 3)])
            for _ in range(3):
                told = notifications.take(LATEST_SECONDS)
                heard.append(numbers_of(told))
            if first == 1:
                server = started_again(server, folder)
    server.stop()
    return heard


def heard_by_an_event_loop(folder: Path) -> list[tuple[int, object]]:
    async def story() -> list[tuple[int, object]]:
        server, heard = await asyncio.to_thread(ServerProcess, folder), []
        async with (
            AsyncClient(server.url, subscribe_url=server.subscribe_url, patience=LASTING) as client,
            await client.subscribe("{a > 0}", name="kept", durable=True) as found,
        ):
            for first in (1, 4):
                await client.publish_all(
                    [{"@id": f"e{one}", "a": one} for one in range(first, first + 3)]
                )
                for _ in range(3):
                    told = await found.take(LATEST_SECONDS)
                    heard.append(numbers_of(told))
                if first == 1:
                    server = await asyncio.to_thread(started_again, server, folder)
        await asyncio.to_thread(server.stop)
        return heard

    return asyncio.run(story())


@pytest.mark.parametrize("story", [heard_by_threads, heard_by_an_event_loop])
def test_a_durable_subscription_goes_on_when_the_server_is_back(
    story: object, tmp_path: Path
) -> None:
    assert callable(story)
    assert story(tmp_path) == [(number, number + 1) for number in range(6)]
