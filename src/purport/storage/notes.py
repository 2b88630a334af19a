"""What a database notes about what is kept in it: names and values, in a table of its own."""

from __future__ import annotations

from sqlalchemy import Connection, Table, select, update


def value_of(connection: Connection, notes: Table, name: str) -> str:
    """What is noted under this name."""
    return str(connection.scalar(select(notes.c.value).where(notes.c.name == name)))


def set_value(connection: Connection, notes: Table, name: str, value: object) -> None:
    """Note another value under a name that is there."""
    connection.execute(update(notes).where(notes.c.name == name).values(value=str(value)))
