"""What tests do to the file of a journal behind its back."""

import sqlite3
from contextlib import closing
from pathlib import Path


def execute(folder: Path, *statements: str) -> None:
    """Run some SQL in the journal of a folder."""
    with closing(sqlite3.connect(folder / "journal.sqlite")) as connection, connection:
        for statement in statements:
            connection.execute(statement)
