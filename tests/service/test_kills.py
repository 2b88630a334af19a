"""A server that is killed under load, again and again, keeps what it has acknowledged."""

import asyncio
from pathlib import Path

from tests.service.kills import killed_server, report


def test_three_kills_under_load_lose_nothing_and_leave_no_gaps(tmp_path: Path) -> None:
    found = asyncio.run(killed_server(tmp_path, kills=3, seed=1))

    assert found.is_as_promised, found
    assert found.kills == 3
    assert found.acknowledged >= 300  # a hundred at least before each kill
    assert found.expected >= 2 * found.acknowledged  # two subscribers hear of each
    assert "| acknowledged and lost | 0 |" in report(found, 1.0)
