"""The journal of a folder, or of a database, as a broker opens it."""

from __future__ import annotations

from pathlib import Path

from purport.assembly import journal_at
from purport.broker.journal import Journal
from purport.embedded.arguments import require_address
from purport.errors import InvalidInput


def opened_journal(
    folder: Path | str, journal: str | None, history: str | None, durability: str
) -> Journal:
    """The journal in a folder, or in the database of an address, whose stretches are in the folder.

    `InvalidInput` if one of these cannot be used, that of the history too.
    """
    if not isinstance(folder, Path | str):
        raise InvalidInput(f"expected the path of a folder, got {folder!r}")
    for address in (journal, history):
        if address is not None:
            require_address(address)
    if journal is None:
        return journal_at(Path(folder), durability=durability)
    if durability != "full":
        raise InvalidInput(f"a database has durability full, got {durability!r}")
    return journal_at(journal, stretches=Path(folder) / "stretches")
