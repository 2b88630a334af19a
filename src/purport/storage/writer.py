"""The one connection that writes to a journal, and what is done when it breaks."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from purport.broker.journal import JournalError, JournalTaken
from purport.storage import tables
from purport.storage.database import Database, process_name
from purport.storage.ownership import Claim


class Writer:
    """Transactions, one at a time. After one that failed, `make_sure` is called before the next.

    Whether that one was kept is not always known: a connection can break before the answer comes.
    """

    def __init__(
        self, database: Database, claim: Claim | None, make_sure: Callable[[Connection], None]
    ) -> None:
        self.lock = threading.RLock()
        self.is_sure = True
        self._database, self._claim, self._make_sure = database, claim, make_sure
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
        """The right to write; `JournalError` if there is none."""
        self.require_open()
        if self._claim is None:
            raise JournalError(f"{self._database.place}: the journal is open for reading only")
        return self._claim

    def require_open(self) -> None:
        """Raise `JournalError` if it is closed."""
        if self._is_closed:
            raise JournalError(f"{self._database.place}: the journal is closed")

    def close(self) -> None:
        """Let go of the journal, and let others have it."""
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
        """Put a mark into the journal, or see that nobody else has put one there since."""
        if not self._has_opened:
            tables.prepare(connection, self._database.place)
            tables.set_value(connection, tables.OWNER, self._mark)
            self._has_opened = True
        else:
            self._require_mark(connection)

    def _require_mark(self, connection: Connection) -> None:
        if tables.value_of(connection, tables.OWNER) != self._mark:
            raise JournalTaken(
                f"{self._database.place}: the connection was lost, and another process opened the "
                "journal"
            )

    def _leave_what_is_lost(self) -> None:
        """Let go of a connection that broke: used again, it would be another, without the claim."""
        if self._connection is not None and self._connection.invalidated:
            self._disconnect()

    def _disconnect(self) -> None:
        if self._connection is not None:
            with suppress(SQLAlchemyError):
                self._connection.close()
            self._connection = None
