"""A load on a real server, for a few seconds: everything arrives once, and in order."""

import asyncio
from pathlib import Path

from tests.service.load import Load, loaded, report
from tests.service.server_process import running_server


def test_under_load_nothing_is_lost_doubled_or_out_of_order(tmp_path: Path) -> None:
    with running_server(tmp_path) as server:
        outcome = asyncio.run(loaded(server, Load(sockets=50, events_per_second=200, seconds=3)))
        log = server.log

    assert outcome.is_as_promised, outcome
    assert outcome.published == 600
    assert outcome.arrived == outcome.expected == 3_000  # five sockets hear of each
    assert "Traceback" not in log
    assert "| lost | 0 |" in report(outcome)
