"""What a process may open before it listens."""

from __future__ import annotations

import resource

import pytest

from purport.service.listening import allow_descriptors

UNLIMITED = resource.RLIM_INFINITY


@pytest.mark.parametrize(
    ("before", "after", "is_told"),
    [
        ((1024, 524_288), 20_200, False),
        ((1024, UNLIMITED), 20_200, False),
        ((1024, 4096), 4096, True),
        ((30_000, 30_000), 30_000, False),
        ((UNLIMITED, UNLIMITED), UNLIMITED, False),
    ],
)
def test_a_process_opens_as_many_files_as_it_needs_or_says_that_it_may_not(
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    before: tuple[int, int],
    after: int,
    is_told: bool,
) -> None:
    limits = [before]
    monkeypatch.setattr(resource, "getrlimit", lambda _: limits[-1])
    monkeypatch.setattr(resource, "setrlimit", lambda _, wanted: limits.append(wanted))

    allow_descriptors(20_000)

    assert limits[-1] == (after, before[1])
    assert ("limits.connections" in caplog.text) is is_told
