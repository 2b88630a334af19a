"""How far a conversation is: the step that is to be taken now, whoever takes it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from purport.client.conversation import Conversation, Step, Tell, Wait
from purport.client.errors import ServerRefused, ServerUnreachable
from purport.client.messages import NotificationMessage

FAILURES = (ServerUnreachable, ServerRefused)  # of a step, of which the conversation is told


class NotYet(Exception):
    """A step is not done within the time that there is; it stays to be done."""


class Course:
    """The steps of one conversation, each in its turn, until it is over."""

    def __init__(self, conversation: Conversation) -> None:
        self._steps = conversation.steps()
        self.step: Step | None = next(self._steps)

    def until(self, last: type[Step]) -> Iterator[Step]:
        """The steps before the next one of a kind; each is told of by `go_on` or `fail`."""
        if isinstance(self.step, Tell):  # it was handed over
            self.go_on(None)
        while self.step is not None and not isinstance(self.step, last):
            yield self.step

    def go_on(self, done: Any) -> None:
        """Say what came of the step, and get the next one."""
        try:
            self.step = self._steps.send(done)
        except StopIteration:
            self.step = None

    def fail(self, error: Exception) -> None:
        """Say that the step could not be taken; raised again if nothing else can be done."""
        try:
            self.step = self._steps.throw(error)
        except StopIteration:
            self.step = None

    def end(self) -> None:
        """Take no more steps."""
        self.step = None
        self._steps.close()

    @property
    def told(self) -> NotificationMessage | None:
        """What is handed over now; None if nothing is."""
        return self.step.notification if isinstance(self.step, Tell) else None

    def part_of_wait(self, deadline: float | None) -> float:
        """So many seconds of a wait as there are until a deadline; the rest stays to be waited."""
        assert isinstance(self.step, Wait)
        whole = self.step.seconds
        left = seconds_until(deadline)
        part = whole if left is None else min(left, whole)
        self.step = Wait(whole - part)
        return part

    def require_waited(self) -> None:
        """Raise `NotYet` if some of a wait is left."""
        if isinstance(self.step, Wait) and self.step.seconds > 0:
            raise NotYet


def deadline_of(timeout: float | None) -> float | None:
    """When so many seconds will have passed."""
    return None if timeout is None else time.monotonic() + timeout


def seconds_until(deadline: float | None) -> float | None:
    """How long it is until then."""
    return None if deadline is None else max(0.0, deadline - time.monotonic())
