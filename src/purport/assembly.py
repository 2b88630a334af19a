"""Settings to ready-made parts: the only place that chooses which part stands for which port."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from purport.broker.journal import Journal
from purport.broker.matching_engine import MatchingEngine
from purport.broker.time_engine import HistoryEngine, HistoryLimits
from purport.matching.matcher import Matcher
from purport.sparql.graph_store import GraphStore
from purport.sparql.memory_store import MemoryStore
from purport.storage.opening import open_sql_journal, open_sqlite_journal
from purport.storage.opening_history import open_sql_history, open_sqlite_history
from purport.storage.oxigraph_disk import DiskStore
from purport.storage.sparql_endpoint import Endpoint
from purport.storage.sql_journal import SqlJournal
from purport.temporal.history import EventHistory, MemoryHistory

if TYPE_CHECKING:
    from purport.matching.individuals import GivenOntology


def journal_at(
    place: Path | str, *, stretches: Path | None = None, durability: str = "full"
) -> SqlJournal:
    """The journal in a folder, or in the database of an address; it is made if there is none."""
    if isinstance(place, str) and "://" in place:
        return open_sql_journal(place, stretches=stretches)
    return open_sqlite_journal(Path(place), durability=durability)


def journal_to_read(place: Path | str, *, stretches: Path | None = None) -> SqlJournal:
    """The journal in a folder or a database, to be looked at while a broker writes it."""
    if isinstance(place, str) and "://" in place:
        return open_sql_journal(place, stretches=stretches, read_only=True)
    return open_sqlite_journal(Path(place), read_only=True)


def matching_engine(
    matcher: Callable[..., Matcher] = Matcher, ontology: GivenOntology | None = None
) -> MatchingEngine:
    """The engine of exact and approximate subscriptions, and of classes if there is an ontology."""
    return MatchingEngine(_knowing(ontology, matcher))


def history_at(place: Path | str | None) -> EventHistory:
    """The history of events in memory (None), in a folder, or in the database of an address."""
    if place is None:
        return MemoryHistory()
    if isinstance(place, str) and "://" in place:
        return open_sql_history(place)
    return open_sqlite_history(Path(place) / "history.sqlite", durability="relaxed")


def history_engine(
    journal: Journal,
    history: Callable[[], EventHistory],
    limits: HistoryLimits,
    *,
    matcher: Callable[..., Matcher] = Matcher,
    ontology: GivenOntology | None = None,
) -> HistoryEngine:
    """The engine of subscriptions in time."""
    return HistoryEngine(_knowing(ontology, matcher), history, journal, limits)


def graph_store_at(address: Path | str | None = None) -> GraphStore:
    """The graph store in memory (None, "memory:"), in a folder, or behind an endpoint's address.

    What else is to be said of an endpoint says `purport.storage.sparql_endpoint.Endpoint`.
    """
    if address is None or address == "memory:":
        return MemoryStore()
    if isinstance(address, str) and "://" in address:
        return Endpoint(address).build()
    return DiskStore(address)


def _knowing(
    ontology: GivenOntology | None, matcher: Callable[..., Matcher]
) -> Callable[[], Matcher]:
    return matcher if ontology is None else partial(matcher, ontology=ontology)
