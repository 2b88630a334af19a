"""The one connection that reads, beside the one that writes."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from sqlalchemy import CompoundSelect, Connection, Select
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from purport.storage.database import Database


class Reader:
    """Questions, one at a time, each of what is committed by then.

    A connection that was lost is made again, once for each question.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._connection: Connection | None = None

    def rows(
        self, statement: Select[Any] | CompoundSelect[Any], values: dict[str, Any]
    ) -> Sequence[Any]:
        """All that a statement gives."""
        with self._lock, self._database.speaking():
            try:
                return self._rows(statement, values)
            except DBAPIError as error:
                if not error.connection_invalidated:
                    raise
            return self._rows(statement, values)

    def close(self) -> None:
        """Let go of the connection; a new one is made when it is needed."""
        with self._lock:
            self._disconnect()

    def _rows(
        self, statement: Select[Any] | CompoundSelect[Any], values: dict[str, Any]
    ) -> Sequence[Any]:
        try:
            connection = self._connected()
            found = connection.execute(statement, values).all()
            if self._database.is_sqlite:
                connection.rollback()  # or it would go on seeing what it saw
            return found
        except BaseException:
            self._disconnect()
            raise

    def _connected(self) -> Connection:
        if self._connection is None:
            connection = self._database.engine.connect()
            if not self._database.is_sqlite:
                connection = connection.execution_options(isolation_level="AUTOCOMMIT")
            self._connection = connection
        return self._connection

    def _disconnect(self) -> None:
        if self._connection is not None:
            with suppress(SQLAlchemyError):
                self._connection.close()
            self._connection = None
