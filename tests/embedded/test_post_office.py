"""Threads that post for many: those that take long hold up no others."""

import threading
from dataclasses import dataclass, field

import pytest

from purport.embedded.post_office import PostOffice

_LATEST_SECONDS = 20.0


@dataclass(eq=False)
class Customer:
    """Is served when it may be."""

    id: str
    holds_up: bool = False
    may_end: threading.Event = field(default_factory=threading.Event)
    begun: threading.Event = field(default_factory=threading.Event)

    def serve(self) -> float | None:
        self.begun.set()
        self.may_end.wait(_LATEST_SECONDS)
        return None


def test_those_long_at_work_leave_half_of_the_threads_to_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("purport.embedded.post_office.LONG_SECONDS", -1.0)
    office = PostOffice(most_threads=4)
    stuck = [Customer("one"), Customer("two")]
    slow, quick = Customer("slow", holds_up=True), Customer("quick")
    for one in stuck:
        office.ring(one)
        assert one.begun.wait(_LATEST_SECONDS)

    office.ring(slow)
    office.ring(quick)

    assert quick.begun.wait(_LATEST_SECONDS)
    assert not slow.begun.is_set()
    for one in (*stuck, quick, slow):
        one.may_end.set()
    assert slow.begun.wait(_LATEST_SECONDS)
    office.close()
    assert office.join(_LATEST_SECONDS) == []
