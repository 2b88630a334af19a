"""What `purport journal compact` does."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import msgspec

from purport.assembly import journal_at, matching_engine
from purport.broker.graph import Graph
from purport.broker.matching_engine import MatchingEngine
from purport.broker.retention import Retention
from purport.embedded.ledger import Ledger
from purport.embedded.settings import BrokerSettings
from purport.errors import InvalidInput
from purport.model.clock import SystemClock
from purport.storage.sql_journal import SqlJournal


class _KeptEngines(msgspec.Struct, frozen=True):
    """Of a snapshot, what each engine remembers, by its name."""

    engines: dict[str, bytes]


class Compacted(msgspec.Struct, frozen=True):
    """What was done with a journal: how many entries were sealed and dropped, and the room."""

    sealed: int
    dropped: int
    bytes_before: int
    bytes_after: int


def compacted(
    place: str,
    retention: Retention,
    stretches: Path | None,
    tell: Callable[[int, int], None],
) -> Compacted:
    """Seal all of a journal, and drop what need not be kept; `JournalTaken` if it is open."""
    drops = retention != Retention()
    with closing(journal_at(place, stretches=stretches)) as journal:
        if drops:
            _require_only_matching(journal)
        before = _bytes(journal)
        sealed = _sealed(journal, tell)
        dropped = _dropped(journal, retention) if drops else 0
        while journal.database.shrink():
            pass
        return Compacted(sealed, dropped, before, _bytes(journal))


def _require_only_matching(journal: SqlJournal) -> None:
    """Raise `InvalidInput` if engines remember what would be lost: there are none of them here."""
    others = sorted(_engines(journal) - {MatchingEngine.name})
    if others:
        raise InvalidInput(
            f"{journal.database.place}: the broker of this journal also runs {', '.join(others)}, "
            "so only the broker itself can drop old entries, by its settings; without --most-age "
            "and --most-bytes the journal can be compacted"
        )


def _engines(journal: SqlJournal) -> set[str]:
    """The engines that remember something, by the last snapshot."""
    snapshot = journal.snapshot()
    if snapshot is None:
        return set()
    try:
        kept = msgspec.json.decode(snapshot.state, type=_KeptEngines)
    except msgspec.MsgspecError:  # whoever restores it says so
        return set()
    return {name for name, remembered in kept.engines.items() if remembered}


def _sealed(journal: SqlJournal, tell: Callable[[int, int], None]) -> int:
    kept = journal.stretches()
    begin = kept[-1].last if kept else journal.first - 1
    while (stretch := journal.seal(all_of_it=True)) is not None:
        tell(stretch.last - begin, journal.last - begin)
    kept = journal.stretches()
    return kept[-1].last - begin if kept else 0


def _dropped(journal: SqlJournal, retention: Retention) -> int:
    settings = BrokerSettings(retention=retention)
    ledger = Ledger(journal, [matching_engine()], Graph(), SystemClock(), settings)
    return ledger.drop_old()


def _bytes(journal: SqlJournal) -> int:
    return journal.database.bytes() + sum(one.bytes for one in journal.stretches())
