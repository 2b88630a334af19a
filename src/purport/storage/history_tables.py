"""The tables of a history in a database, and how older ones become what they are now.

Events stand in one table and what they say in another, as in the data store of the KBN paper. The
`document` of an event has its id and its statements as they were; all else follows from it and from
its times, so an older version is brought to this one by writing its events anew.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Double,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    Text,
    delete,
    insert,
    inspect,
    select,
    text,
)
from sqlalchemy.dialects import mysql
from sqlalchemy.types import TypeEngine

from purport.errors import InvalidInput
from purport.storage.history_rows import LONGEST_KEY, insertable, occurrence_of
from purport.storage.notes import set_value
from purport.temporal.history import HistoryError
from purport.temporal.occurrence import Occurrence

SCHEMA_VERSION = 2

_TABLES = MetaData()
_NUMBER = BigInteger().with_variant(Integer, "sqlite")  # which SQLite has only one kind of
_KEY: TypeEngine[bytes] = LargeBinary().with_variant(
    mysql.VARBINARY(LONGEST_KEY), "mysql", "mariadb"
)
_BYTES: TypeEngine[bytes] = LargeBinary().with_variant(mysql.LONGBLOB(), "mysql", "mariadb")

events = Table(
    "history_events",
    _TABLES,
    Column("number", _NUMBER, primary_key=True, autoincrement=False),
    Column("key", _KEY, nullable=False, unique=True),  # the id, or its digest
    Column("sequence", _NUMBER, nullable=False),
    Column("start", _NUMBER, nullable=False),
    Column("end", _NUMBER),
    Column("span", SmallInteger, nullable=False),  # the class of its length, or `OPEN` or `LATE`
    Column("is_late", Boolean, nullable=False),
    Column("is_in_parts", Boolean, nullable=False),
    Column("is_plain", Boolean, nullable=False),  # as all its statements are
    Column("document", _BYTES, nullable=False),
)
Index("history_events_by_end", events.c.is_late, events.c.end, events.c.number)
Index("history_events_by_span", events.c.span, events.c.end, events.c.start, events.c.number)
Index("history_events_by_start", events.c.start, events.c.number)
Index("history_events_by_sequence", events.c.sequence, events.c.number)

statements = Table(
    "history_statements",
    _TABLES,
    Column("event", _NUMBER, primary_key=True, autoincrement=False),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("attribute", _KEY, nullable=False),  # folded, or its digest
    Column("kind", SmallInteger, nullable=False),
    Column("text", _BYTES),  # folded
    Column("number", Double),  # that the value is, or spells
    Column("is_plain", Boolean, nullable=False),  # the number says all that can be compared
)
meta = Table(
    "history_meta",
    _TABLES,
    Column(
        "name", mysql.VARCHAR(100).with_variant(Text(), "sqlite", "postgresql"), primary_key=True
    ),
    Column("value", Text, nullable=False),
)
APPLIED = "applied"  # the last sequence of the journal that was taken up
_APPLIED_AT = "applied at"  # that sequence, and when the entry was made; may be missing
OWNER = "owner"  # who opened the history last, for writing
_SCHEMA = "schema"
_AT_ONCE = 1000


def prepare(connection: Connection, place: str) -> None:
    """Make the tables, or bring older ones to this version.

    MariaDB cannot take back half of it: the version is noted last, and what is there is not made
    again.
    """
    version = _version(connection, place)
    if version == 0:
        _TABLES.create_all(connection)
        for name, value in ((OWNER, ""), (APPLIED, 0), (_SCHEMA, SCHEMA_VERSION)):
            connection.execute(delete(meta).where(meta.c.name == name))
            connection.execute(insert(meta), {"name": name, "value": str(value)})
    elif version == 1:
        _upgrade_from_version_1(connection)


def applied_at(connection: Connection, applied: int) -> int | None:
    """When the entry was made through which the journal was taken up, if that was noted.

    An older Purport goes on without noting it: then the note is of an older entry.
    """
    noted = connection.scalar(select(meta.c.value).where(meta.c.name == _APPLIED_AT))
    sequence, _, at = (noted or "").partition(" ")
    return int(at) if sequence == str(applied) else None


def set_applied_at(connection: Connection, applied: int, at: int | None) -> None:
    """Note when the entry was made through which the journal was taken up."""
    connection.execute(delete(meta).where(meta.c.name == _APPLIED_AT))
    if at is not None:
        connection.execute(insert(meta), {"name": _APPLIED_AT, "value": f"{applied} {at}"})


def insert_occurrences(connection: Connection, first: int, some: list[Occurrence]) -> None:
    """Write what is not there yet, under numbers from the first on."""
    rows, said = insertable(first, some)
    if rows:
        connection.execute(insert(events), rows)
    if said:
        connection.execute(insert(statements), said)


def _version(connection: Connection, place: str) -> int:
    """The version of the tables that are here; 0 if there are none, or none that was finished."""
    names = set(inspect(connection).get_table_names())
    if meta.name not in names:
        return 0
    version = connection.scalar(select(meta.c.value).where(meta.c.name == _SCHEMA))
    if version is None:
        return 0
    if not version.isdecimal():
        raise InvalidInput(f"{place}: expected a history of Purport, found another {meta.name}")
    if int(version) > SCHEMA_VERSION:
        raise HistoryError(
            f"{place}: a history of version {version}; this Purport reads versions up to "
            f"{SCHEMA_VERSION}"
        )
    return int(version)


def _upgrade_from_version_1(connection: Connection) -> None:
    """Version 1 had events only, without what makes the search for what goes on short."""
    names = inspect(connection).get_table_names()
    if "history_version_1" not in names:
        connection.execute(text("ALTER TABLE history_events RENAME TO history_version_1"))
    for table in (statements, events):
        table.drop(connection, checkfirst=True)  # what an upgrade left that broke off
    _drop_indexes_of_version_1(connection)
    _TABLES.create_all(connection)
    number = 1
    for some in _events_of_version_1(connection):
        insert_occurrences(connection, number, some)
        number += len(some)
    set_value(connection, meta, _SCHEMA, SCHEMA_VERSION)
    connection.execute(text("DROP TABLE history_version_1"))


def _drop_indexes_of_version_1(connection: Connection) -> None:
    """Their names are wanted again; in MariaDB, names of indexes belong to their tables."""
    if connection.dialect.name in ("sqlite", "postgresql"):
        connection.execute(text("DROP INDEX IF EXISTS history_events_by_end"))


def _events_of_version_1(connection: Connection) -> Iterator[list[Occurrence]]:
    after = -1
    query = text(
        'SELECT number, sequence, start, "end", is_late, is_in_parts, document '
        "FROM history_version_1 WHERE number > :after ORDER BY number LIMIT :most"
        if connection.dialect.name in ("sqlite", "postgresql")
        else "SELECT number, sequence, start, `end`, is_late, is_in_parts, document "
        "FROM history_version_1 WHERE number > :after ORDER BY number LIMIT :most"
    )
    while rows := connection.execute(query, {"after": after, "most": _AT_ONCE}).all():
        yield [
            occurrence_of(
                row.document, row.start, row.end, row.sequence, row.is_in_parts, row.is_late
            )
            for row in rows
        ]
        after = rows[-1].number
