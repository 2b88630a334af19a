"""What `purport journal info` says."""

from __future__ import annotations

from datetime import datetime
from typing import Self

import msgspec
from rich.console import Console
from rich.table import Table

from purport.broker.asked import Asked, Query
from purport.broker.restart import restored
from purport.broker.retention import Stretch
from purport.model.subscription import Rule
from purport.storage.sql_journal import SqlJournal
from purport.storage.verification import summary


class Registered(msgspec.Struct, frozen=True):
    """A subscription or rule, and how far its subscriber is."""

    id: str
    kind: str  # subscription, query, rule or neighbour
    text: str
    owner: str | None
    version: int
    since: datetime
    is_durable: bool
    is_paused: bool
    told: int
    waiting: int  # of those, not acknowledged


class JournalReport(msgspec.Struct, frozen=True):
    """What is in a journal, and what follows from it."""

    place: str
    entries: int
    first: int
    last: int
    first_time: datetime | None
    last_time: datetime | None
    kinds: dict[str, int]  # of entries in stretches too, if it is known where these are
    bytes: int
    database_bytes: int
    stretches: list[Stretch]
    snapshot: int | None
    registered: list[Registered]

    @classmethod
    def of(cls, journal: SqlJournal) -> Self:
        """The report of a journal, beside which a broker may be running."""
        found = summary(journal)
        return cls(
            journal.database.place,
            found.entries,
            found.first,
            found.last,
            found.first_time,
            found.last_time,
            dict(found.kinds),
            found.bytes,
            found.database_bytes,
            list(found.stretches),
            found.snapshot,
            _registered(journal),
        )


def show_report(report: JournalReport) -> None:
    """Print it for people."""
    console = Console(highlight=False, markup=False, soft_wrap=True)
    console.print(f"{report.place}: {report.entries:,} entries, {_span(report)}")
    if report.kinds:
        counts = (f"{count:,} {kind}" for kind, count in report.kinds.items())
        is_all = sum(report.kinds.values()) == report.entries
        console.print(f"  {', '.join(counts)}{'' if is_all else ', and what is sealed'}")
    sealed = report.stretches[-1].last if report.stretches else report.first - 1
    stretches = f"{len(report.stretches):,} sealed stretch{'es' * (len(report.stretches) != 1)}"
    console.print(
        f"  {report.bytes / 1e6:,.2f} MB: {sealed + 1 - report.first:,} entries in {stretches}, "
        f"{report.last - sealed:,} not sealed yet"
    )
    kept = "no snapshot" if report.snapshot is None else f"a snapshot after {report.snapshot:,}"
    console.print(f"  {kept}")
    if report.registered:
        _show_registered(console, report.registered)
    else:
        console.print("  nothing is subscribed to")


def _span(report: JournalReport) -> str:
    if report.first_time is None or report.last_time is None:
        return "none of which is kept" if report.last else "it is new"
    times = (f"{one:%Y-%m-%d %H:%M:%S}" for one in (report.first_time, report.last_time))
    return f"{report.first:,} to {report.last:,}, from {' to '.join(times)} UTC"


def _show_registered(console: Console, registered: list[Registered]) -> None:
    table = Table("id", "owner", "version", "told", "waiting", "", "text")
    for one in registered:
        notes = [one.kind] * (one.kind != "subscription") + ["paused"] * one.is_paused
        notes += ["until its process ends"] * (not one.is_durable)
        table.add_row(
            one.id,
            one.owner or "",
            f"{one.version:,}",
            f"{one.told:,}",
            f"{one.waiting:,}",
            ", ".join(notes),
            one.text,
        )
    console.print(table)


def _registered(journal: SqlJournal) -> list[Registered]:
    state = restored(journal, [])  # nothing is matched, so no engine is needed
    return [
        Registered(
            one.id,
            "neighbour" if one.is_link else _kind(one.subscription),
            one.text,
            one.owner,
            one.version,
            one.since,
            one.is_durable,
            one.is_paused,
            state.cursors[one.id].next,
            state.cursors[one.id].waiting,
        )
        for one in state.registry
    ]


def _kind(asked: Asked) -> str:
    if isinstance(asked, Query):
        return "query"
    return "rule" if isinstance(asked, Rule) else "subscription"
