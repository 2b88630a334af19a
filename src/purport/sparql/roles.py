"""Producers, consumers and aggregators: the application design pattern of SPS'16.

Producers put what they sense into the graph, consumers act on what they are told, and aggregators
hold the logic in between: told of something, they put something else in. All meet in a space.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta

from purport.errors import PurportError
from purport.sparql.binding import Value, bound
from purport.sparql.engine import Engine, LiveQuery, Notification

Told = Callable[[Notification], object]

_MOST = 100_000


class EndlessUpdates(PurportError):
    """What is told leads to updates that lead to what is told, and so on."""


class Space:
    """An engine, and who is told what: one notification after the other, in order.

    Whoever is told may update the space: what comes of that is told afterwards. If somebody fails,
    the others are told all the same; then the first failure is raised. A space is for one thread.
    """

    def __init__(self, engine: Engine | None = None) -> None:
        self.engine = Engine() if engine is None else engine
        self._told: dict[str, Told] = {}
        self._waiting: deque[Notification] = deque()
        self._is_telling = False

    def subscribe(self, text: str, told: Told) -> LiveQuery:
        """Have somebody told of a query's answer: first all of it, under number 0."""
        live = self.engine.subscribe(text)
        self._told[live.id] = told
        self._tell([Notification(live.id, 0, live.initial, [])])
        return live

    def unsubscribe(self, identifier: str) -> None:
        """Tell no more."""
        self.engine.unsubscribe(identifier)
        del self._told[identifier]

    def update(
        self, text: str, *, at: datetime | None = None, after: timedelta | None = None
    ) -> None:
        """Update the graph, now or later, and tell whom it concerns."""
        self._tell(self.engine.update(text, at=at, after=after))

    def advance_to(self, instant: datetime) -> None:
        """Let time pass, and tell what comes of the updates that were waiting for it.

        Updates that are due at different times are told of one after the other.
        """
        while (due := next(iter(self.engine.delayed()), None)) and due.at <= instant:
            self._tell(self.engine.advance_to(due.at))
        self._tell(self.engine.advance_to(instant))

    def _tell(self, news: Sequence[Notification]) -> None:
        self._waiting.extend(news)
        if self._is_telling:
            return
        self._is_telling = True
        failures: list[Exception] = []
        try:
            for _ in range(_MOST):
                if not self._waiting:
                    break
                one = self._waiting.popleft()
                if (told := self._told.get(one.subscription_id)) is not None:
                    try:
                        told(one)
                    except Exception as error:  # noqa: BLE001 - the others are told all the same
                        failures.append(error)
            else:
                raise EndlessUpdates(
                    f"after {_MOST:,} notifications that one update led to there are still more"
                )
        finally:
            self._is_telling = False
            self._waiting.clear()
        if failures:
            raise failures[0]


class Producer:
    """Puts what it senses into the graph: an update with variables for what is sensed."""

    def __init__(self, space: Space, update: str) -> None:
        self._space, self._update = space, update

    def produce(
        self,
        values: Mapping[str, Value],
        *,
        at: datetime | None = None,
        after: timedelta | None = None,
    ) -> None:
        """Run the update with values for its variables, now or later."""
        self._space.update(bound(self._update, values), at=at, after=after)


class Consumer:
    """Acts on what it is told of a query, which may have variables with values of their own."""

    def __init__(
        self, space: Space, query: str, told: Told, values: Mapping[str, Value] | None = None
    ) -> None:
        self._space = space
        self.live = space.subscribe(bound(query, values or {}), told)

    def stop(self) -> None:
        """Be told no more."""
        self._space.unsubscribe(self.live.id)


class Aggregator(Consumer, Producer):
    """Is told of a query, decides, and produces something else.

    `decide` gets a notification and the aggregator itself, whose `produce` it may call.
    """

    def __init__(
        self,
        space: Space,
        query: str,
        update: str,
        decide: Callable[[Notification, Aggregator], object],
        values: Mapping[str, Value] | None = None,
    ) -> None:
        Producer.__init__(self, space, update)
        Consumer.__init__(self, space, query, lambda news: decide(news, self), values)
