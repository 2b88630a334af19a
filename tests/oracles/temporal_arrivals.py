"""Events as they are published, and what is told of them: by asking everything anew each time."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from msgspec import structs

from purport.errors import EventError
from purport.model import subscription as ast
from purport.model.event import Event
from purport.temporal.occurrence import Occurrence, Report, ReportPart, report_of
from tests.oracles.temporal_scan import PlainMatcher, Remembering, Scan, answers


@dataclass(slots=True)
class Arrivals:
    """Events as they are published: what is known of each, and how far time has come."""

    subscriptions: Sequence[ast.Subscription]
    matcher: PlainMatcher
    allowance: int = 0
    most_ahead: float = math.inf  # of when it was published, that an event moves time
    watermark: float = -math.inf
    known: dict[str, Occurrence] = field(default_factory=dict)
    _told: dict[str, list[Report]] = field(default_factory=dict)
    _last_of_no_time: float = -math.inf

    @property
    def occurrences(self) -> list[Occurrence]:
        """What happened, in the order of arrival, the late ones too."""
        return list(self.known.values())

    def take(self, event: Event, at: int) -> Occurrence | None:
        """What is known after a publication; None if all was. `EventError`: nothing changed."""
        report = report_of(event, at)
        has_no_time = report != report_of(event, at + 1)
        if has_no_time:
            report = report_of(event, int(max(at, self._last_of_no_time + 1)))
        identifier = report.id or f"#{len(self.known)}"
        if report in self._told.get(identifier, []):
            return None
        occurrence = self._after(identifier, report)
        self.known[identifier] = occurrence
        self._told.setdefault(identifier, []).append(report)
        time: float = report.time
        if has_no_time:
            self._last_of_no_time = time
        else:
            time = min(time, at + self.most_ahead)
        self.watermark = max(self.watermark, time - self.allowance)
        return occurrence

    def pass_time(self, now: int) -> Iterator[int]:
        """Let the deadlines of absences pass that are over, one after the other."""
        while due := [one for one in self.deadlines() if one + self.allowance < now]:
            self.watermark = min(due) + 1
            yield min(due)

    def forget(self, identifier: str) -> None:
        """Drop an event, and all that was told of it."""
        del self.known[identifier]
        del self._told[identifier]

    def deadlines(self) -> list[int]:
        """The deadlines that the watermark has not passed."""
        return [
            deadline
            for subscription in self.subscriptions
            for deadline in self._scan(subscription).deadlines(subscription.pattern)
            if not deadline < self.watermark
        ]

    def answers(self, subscription: ast.Subscription) -> dict[str, float]:
        """What answers a subscription by now."""
        return answers(
            subscription, self.occurrences, matcher=self.matcher, watermark=self.watermark
        )

    def _scan(self, subscription: ast.Subscription) -> Scan:
        return Scan.over(subscription, self.occurrences, self.matcher, self.watermark)

    def _after(self, identifier: str, report: Report) -> Occurrence:
        is_late = report.time < self.watermark
        known = self.known.get(identifier)
        if known is None:
            begun = report.begun(identifier, len(self.known))
            return structs.replace(begun, is_late=is_late)
        if report.part is not ReportPart.END or known.end is not None:
            raise EventError(f"the event {identifier!r} was told otherwise before")
        if report.time < known.start:
            raise EventError(f"the event {identifier!r} ends before it starts")
        end = int(max(report.time, self.watermark))
        more = (one for one in report.statements if one not in known.statements)
        return structs.replace(known, end=end, statements=(*known.statements, *more))


@dataclass(frozen=True, slots=True)
class Publication:
    """An event that is published at a time."""

    event: Event
    at: int


@dataclass(frozen=True, slots=True)
class Passing:
    """Time that passes while nothing is published."""

    now: int


Step = Publication | Passing


@dataclass(frozen=True, slots=True)
class Told:
    """What somebody is told after a step, for the first time."""

    step: int
    subscription: int
    event: str
    probability: float


def told_over_time(
    subscriptions: Sequence[ast.Subscription],
    steps: Iterable[Step],
    *,
    matcher: PlainMatcher,
    allowance: int = 0,
    most_ahead: float = math.inf,
    since: Sequence[int] | None = None,
) -> list[Told]:
    """What is told after each step, by asking everything anew; wrong events are passed over.

    `since` are the steps from which on there are the subscriptions, in the order of these.
    """
    arrivals = Arrivals((), Remembering(matcher), allowance, most_ahead)
    told: dict[tuple[int, str], Told] = {}
    for number, step in enumerate(steps):
        there = [
            (place, one)
            for place, one in enumerate(subscriptions)
            if since is None or since[place] <= number
        ]
        arrivals.subscriptions = [one for _, one in there]
        for _ in _changes(arrivals, step):
            for place, subscription in there:
                for event_id, probability in sorted(arrivals.answers(subscription).items()):
                    new = Told(number, place, event_id, probability)
                    told.setdefault((place, event_id), new)
    return list(told.values())


def _changes(arrivals: Arrivals, step: Step) -> Iterator[object]:
    """Each time at which something more is known: several deadlines may pass in a step."""
    match step:
        case Publication(event, at):
            with suppress(EventError):
                arrivals.take(event, at)
                yield event
        case Passing(now):
            yield from arrivals.pass_time(now)
