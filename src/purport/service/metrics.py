"""What a service has done, counted for Prometheus."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate

from purport.embedded.tally import Tally
from purport.prometheus import (
    Family,
    counter,
    counters,
    gauge,
    histogram,
)

_BUCKETS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)


class Seconds:
    """How long something took, as a histogram."""

    def __init__(self) -> None:
        self._often = [0] * (len(_BUCKETS) + 1)
        self._total = 0.0

    def add(self, seconds: float) -> None:
        """Count one more."""
        self._often[bisect_left(_BUCKETS, seconds)] += 1
        self._total += seconds

    def family(self, name: str, told: str) -> Family:
        """The figures."""
        *below, count = accumulate(self._often)
        return histogram(name, told, dict(zip(_BUCKETS, below, strict=True)), count, self._total)


class Metrics:
    """Counters of what passes the door of a service; only its event loop changes them."""

    def __init__(self) -> None:
        self.sockets = 0  # open now
        self.requests = 0  # being answered now
        self.answered: Counter[str] = Counter()  # by status
        self.errors: Counter[str] = Counter()  # by code
        self.queries = 0
        self.rate_limited = 0
        self.messages: Counter[str] = Counter()  # of WebSockets, received and sent
        self.closed: Counter[str] = Counter()  # WebSockets that the service has closed, by code
        self.publishing = Seconds()

    def families(self, broker: Tally) -> Iterator[Family]:
        """All figures, with those of the broker."""
        yield from _of_broker(broker)
        yield counter("purport_queries", "SPARQL queries that were answered.", self.queries)
        yield counters("purport_requests", "Requests, by status.", "status", self.answered)
        yield counters("purport_errors", "Answers that were errors, by code.", "code", self.errors)
        yield counter("purport_rate_limited", "What came too fast.", self.rate_limited)
        yield counters(
            "purport_socket_messages", "Messages of WebSockets.", "direction", self.messages
        )
        yield counters(
            "purport_closed_sockets", "WebSockets closed by the service.", "code", self.closed
        )
        yield gauge("purport_open_sockets", "WebSockets that are open.", self.sockets)
        yield gauge("purport_open_requests", "Requests that are being answered.", self.requests)
        yield self.publishing.family(
            "purport_publish_seconds", "Time until a publication was answered."
        )


def _of_broker(tally: Tally) -> Iterator[Family]:
    yield counter("purport_events", "Events published, derived ones included.", tally.events)
    yield counter("purport_derived_events", "Events that rules published.", tally.derived)
    yield counter("purport_updates", "SPARQL updates.", tally.updates)
    told = {"match": tally.matches_told, "answer change": tally.changes_told}
    yield counters("purport_notifications", "Notifications, by kind.", "kind", told)
    done = {"drop oldest": tally.missed, "pause": tally.paused}
    yield counters(
        "purport_overflows", "Times that more waited for somebody than may.", "done", done
    )
    yield counter("purport_failures", "What rules and callbacks could not do.", tally.failures)
    yield gauge("purport_journal_sequence", "The last entry of the journal.", tally.sequence)
    yield gauge("purport_subscriptions", "Subscriptions and rules.", tally.subscriptions)
    yield gauge("purport_waiting", "Notifications not acknowledged yet.", tally.waiting)
