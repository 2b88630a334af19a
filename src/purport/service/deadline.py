"""What may take long is given up when its time is over."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from purport.broker.asked import Asked, Query
from purport.service.desk import Desk
from purport.service.problems import Refused
from purport.service.service import Service

T = TypeVar("T")


class QueryTooSlow(Refused):
    """A query takes longer than any may."""

    def __init__(self, seconds: float) -> None:
        super().__init__(
            503,
            "query_too_slow",
            f"the query takes longer than {seconds:g} s: ask for less, or with LIMIT",
        )


@dataclass(slots=True)
class Deadline:
    """When an answer has to be there; whoever no longer waits for it ends it."""

    seconds: float
    _until: float = 0.0
    _is_over: bool = False

    def __post_init__(self) -> None:
        self._until = time.monotonic() + self.seconds

    @property
    def left(self) -> float:
        """How many seconds there are; none if it is over."""
        return 0.0 if self._is_over else max(0.0, self._until - time.monotonic())

    def end(self) -> None:
        """Nobody waits any more."""
        self._is_over = True

    def require(self) -> None:
        """Raise `QueryTooSlow` if the time is up."""
        if not self.left:
            raise QueryTooSlow(self.seconds)


async def in_time(desk: Desk, do: Callable[[Deadline], T], seconds: float) -> T:
    """Do something in one of the threads for queries; `QueryTooSlow` if it takes too long.

    What has no solution for longer than it may take is given up: nobody waits for it any longer,
    and it ends when it asks its deadline.
    """
    deadline = Deadline(seconds)

    def done() -> T:
        deadline.require()
        return do(deadline)

    try:
        return await asyncio.wait_for(desk.query(done), deadline.left)
    except TimeoutError:
        raise QueryTooSlow(deadline.seconds) from None
    finally:
        deadline.end()


async def require_answerable(service: Service, who: str | None, *wanted: Asked) -> None:
    """Raise what is wrong with queries that are to be subscribed to, or `QueryTooSlow`.

    Their first answers are found while everybody else waits; so they are found here before.
    """
    for one in wanted:
        if isinstance(one, Query):
            await in_time(
                service.desk,
                partial(_answer_once, service, one, who),
                service.settings.limits.first_answer_seconds,
            )


def _answer_once(service: Service, query: Query, who: str | None, deadline: Deadline) -> None:
    service.broker.require_answerable(query, who=who, go_on=deadline.require)
