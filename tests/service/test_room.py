"""Publishers that wait for a subscriber to have room."""

import asyncio

import pytest

from purport.broker.drafting import BacklogFull
from purport.service.room import when_there_is_room


def tried(seconds: float, refused: int) -> int:
    """How often something is tried that is refused so often."""
    times = 0

    async def do() -> None:
        nonlocal times
        times += 1
        if times <= refused:
            raise BacklogFull("slow")

    try:
        asyncio.run(when_there_is_room(do, seconds))
    except BacklogFull:
        assert times < refused
    return times


def test_it_is_tried_until_there_is_room() -> None:
    assert tried(20.0, 0) == 1
    assert tried(20.0, 2) == 3


@pytest.mark.parametrize(("seconds", "most"), [(0.0, 1), (0.3, 6)])
def test_waits_become_longer_and_then_it_is_refused(seconds: float, most: int) -> None:
    assert 1 <= tried(seconds, 1_000) <= most
