"""The one connection that writes to a journal or history, and what is done when it breaks."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Protocol

from sqlalchemy import Connection, Table
from sqlalchemy.exc import SQLAlchemyError

from purport.errors import PurportError
from purport.storage import tables
from purport.storage.database import Database, process_name
from purport.storage.notes import set_value, value_of
from purport.storage.ownership import Claim


class Layout(Protocol):
    """The tables that are written to, among them one of names and values: a module."""

    OWNER: str  # who opened them last, for writing
    meta: Table  # what they note about themselves

    def prepare(self, connection: Connection, place: str) -> None:
        """Make the tables, or bring older ones to this version."""


class Writer:
    """Transactions, one at a time. After one that failed, `make_sure` is called before the next.

    Whether that one was kept is not always known: a connection can break before the answer comes.
    """

    def __init__(
        self,
        database: Database,
        claim: Claim | None,
        make_sure: Callable[[Connection], None],
        layout: Layout = tables,
    ) -> None:
        self.lock = threading.RLock()
        self.is_sure = True
        self._database, self._claim, self._make_sure = database, claim, make_sure
        self._layout = layout
        self._mark = f"{process_name()} {uuid.uuid4().hex}"
        self._connection: Connection | None = None
        self._has_opened = self._is_closed = False

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """A transaction, of which all or nothing is kept."""
        with self.doubting(), self._database.speaking():
            try:
                connection = self._connected()
                with connection.begin():
                    yield connection
            except BaseException:
                self._leave_what_is_lost()
                raise

    @contextmanager
    def doubting(self) -> Iterator[None]:
        """What is done here together with its transaction; if it breaks off, nothing is sure."""
        with self.lock:
            try:
                yield
            except BaseException:
                self.is_sure = False
                raise

    def require_claim(self) -> Claim:
        """The right to write; an error if there is none."""
        self.require_open()
        if self._claim is None:
            raise self._error("is open for reading only")
        return self._claim

    def require_open(self) -> None:
        """Raise an error if it is closed."""
        if self._is_closed:
            raise self._error("is closed")

    def close(self) -> None:
        """Let go of it, and let others have it."""
        with self.lock:
            if not self._is_closed:
                self._is_closed = True
                self._disconnect()
                self._database.engine.dispose()
                if self._claim is not None:
                    self._claim.release()

    def _connected(self) -> Connection:
        claim = self.require_claim()
        self._leave_what_is_lost()
        if self._connection is None:
            self._connection = self._connect(claim)
        if not self.is_sure:
            with self._connection.begin():
                self._require_mark(self._connection)
                self._make_sure(self._connection)
            self.is_sure = True
        return self._connection

    def _connect(self, claim: Claim) -> Connection:
        connection = self._database.engine.connect()
        try:
            with connection.begin():
                claim.hold(connection)
                self._sign(connection)
        except BaseException:
            connection.invalidate()  # what it holds goes with it
            connection.close()
            raise
        return connection

    def _sign(self, connection: Connection) -> None:
        """Put a mark into the tables, or see that nobody else has put one there since."""
        if not self._has_opened:
            self._layout.prepare(connection, self._database.place)
            set_value(connection, self._layout.meta, self._layout.OWNER, self._mark)
            self._has_opened = True
        else:
            self._require_mark(connection)

    def _require_mark(self, connection: Connection) -> None:
        if value_of(connection, self._layout.meta, self._layout.OWNER) != self._mark:
            subject = self._database.subject
            raise subject.taken(
                f"{self._database.place}: the connection was lost, and another process opened the "
                f"{subject.noun}"
            )

    def _error(self, what: str) -> PurportError:
        subject = self._database.subject
        return subject.error(f"{self._database.place}: the {subject.noun} {what}")

    def _leave_what_is_lost(self) -> None:
        """Let go of a connection that broke: used again, it would be another, without the claim."""
        if self._connection is not None and self._connection.invalidated:
            self._disconnect()

    def _disconnect(self) -> None:
        if self._connection is not None:
            with suppress(SQLAlchemyError):
                self._connection.close()
            self._connection = None
