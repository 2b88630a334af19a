"""The tables of a journal in a database, and how older ones become what they are now."""

from __future__ import annotations

import zlib
from collections.abc import Mapping

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    func,
    insert,
    inspect,
    select,
    text,
    update,
)

from purport.broker.journal import JournalError
from purport.errors import InvalidInput
from purport.storage.notes import set_value, value_of

SCHEMA_VERSION = 2

_TABLES = MetaData()
_NUMBER = BigInteger().with_variant(Integer, "sqlite")  # which SQLite has only one kind of

entries = Table(
    "entries",
    _TABLES,
    Column("sequence", _NUMBER, primary_key=True, autoincrement=False),
    Column("at", _NUMBER, nullable=False),
    Column("version", Integer, nullable=False),
    Column("event", LargeBinary),
    Column("record", LargeBinary, nullable=False),
    Column("checksum", _NUMBER, nullable=False),
)
told = Table(  # runs of numbers; follows from the entries through the one that `meta` names
    "told",
    _TABLES,
    Column("subscription", Text, primary_key=True),
    Column("first", _NUMBER, primary_key=True, autoincrement=False),
    Column("last", _NUMBER, nullable=False),
    Column("through", _NUMBER, nullable=False, index=True),  # the sequence of the last number
    Column("sequences", LargeBinary, nullable=False),
)
snapshots = Table(
    "snapshots",
    _TABLES,
    Column("sequence", _NUMBER, primary_key=True, autoincrement=False),
    Column("state", LargeBinary, nullable=False),
    Column("checksum", _NUMBER, nullable=False, server_default="0"),
)
stretches = Table(
    "stretches",
    _TABLES,
    Column("first", _NUMBER, primary_key=True, autoincrement=False),
    Column("last", _NUMBER, nullable=False),
    Column("first_at", _NUMBER, nullable=False),
    Column("last_at", _NUMBER, nullable=False),
    Column("bytes", _NUMBER, nullable=False),
    Column("name", Text, nullable=False),
)
meta = Table(
    "meta",
    _TABLES,
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
)
DROPPED = "dropped"  # entries through this one are no longer kept
TOLD = "told"  # through this one, the table `told` is filled
OWNER = "owner"  # who opened the journal last, for writing
_SCHEMA = "schema"


def prepare(connection: Connection, place: str) -> None:
    """Make the tables, or bring older ones to this version, in one transaction."""
    version = _version(connection, place)
    if version == 0:
        _TABLES.create_all(connection)
        _note_first(connection, {_SCHEMA: SCHEMA_VERSION, DROPPED: 0, TOLD: 0, OWNER: ""})
    elif version == 1:
        _upgrade_from_version_1(connection)


def require_current(connection: Connection, place: str) -> None:
    """Raise an error if there is no journal here, or one of another version."""
    version = _version(connection, place)
    if version == 0:
        raise InvalidInput(f"{place}: there is no journal here")
    if version < SCHEMA_VERSION:
        raise JournalError(
            f"{place}: a journal of version {version}; open it once for writing, which brings it "
            f"to version {SCHEMA_VERSION}"
        )


def snapshot_checksum(sequence: int, state: bytes) -> int:
    """The CRC-32 of a snapshot."""
    return zlib.crc32(state, zlib.crc32(b"%d " % sequence))


def _version(connection: Connection, place: str) -> int:
    """The version of the tables that are here; 0 if there are none."""
    names = set(inspect(connection).get_table_names())
    if "meta" not in names:
        if names & _TABLES.tables.keys():
            raise InvalidInput(f"{place}: expected a journal of Purport, found other tables")
        return 0
    version = value_of(connection, meta, _SCHEMA)
    if not version.isdecimal():
        raise InvalidInput(f"{place}: expected a journal of Purport, found another table `meta`")
    if int(version) > SCHEMA_VERSION:
        raise JournalError(
            f"{place}: a journal of version {version}; this Purport reads versions up to "
            f"{SCHEMA_VERSION}"
        )
    return int(version)


def _upgrade_from_version_1(connection: Connection) -> None:
    """Version 1 had no stretches, snapshots without checksums, and in `told` a row a number."""
    connection.execute(text("DROP TABLE told"))
    told.create(connection)
    stretches.create(connection)
    connection.execute(text("ALTER TABLE snapshots ADD COLUMN checksum BIGINT NOT NULL DEFAULT 0"))
    for sequence, state in connection.execute(
        select(snapshots.c.sequence, snapshots.c.state)
    ).all():
        checksum = snapshot_checksum(sequence, state)
        connection.execute(
            update(snapshots).where(snapshots.c.sequence == sequence).values(checksum=checksum)
        )
    dropped = (connection.scalar(select(func.min(entries.c.sequence))) or 1) - 1
    _note_first(connection, {DROPPED: dropped, TOLD: dropped, OWNER: ""})
    set_value(connection, meta, _SCHEMA, SCHEMA_VERSION)


def _note_first(connection: Connection, values: Mapping[str, object]) -> None:
    rows = [{"name": name, "value": str(value)} for name, value in values.items()]
    connection.execute(insert(meta), rows)
