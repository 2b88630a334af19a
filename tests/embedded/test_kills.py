"""A broker that is killed under load keeps what it has acknowledged."""

from pathlib import Path

from tests.embedded.kills import killed_broker


def test_three_kills_lose_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    aftermath = killed_broker(3, tmp_path, seed=7)

    assert aftermath.is_as_promised, aftermath
    assert aftermath.acknowledged > 3 and aftermath.updates > 0
