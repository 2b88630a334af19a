"""The contract of a history, for those in databases."""

from pathlib import Path

import pytest

from purport.storage.opening_history import open_sql_history, open_sqlite_history
from purport.temporal.history import EventHistory
from tests.contracts.event_history import EventHistoryContract
from tests.storage.mariadb_server import MariadbServer
from tests.storage.postgres_server import PostgresServer


class TestSqliteHistory(EventHistoryContract):
    def open(self, folder: Path) -> EventHistory:
        return open_sqlite_history(folder / "history.sqlite")


class TestSqliteHistoryThatRemembersNothing(EventHistoryContract):
    def open(self, folder: Path) -> EventHistory:
        return open_sqlite_history(folder / "history.sqlite", durability="relaxed", remembered=0)


class _ServerContract(EventHistoryContract):
    examples = 0.1
    server: PostgresServer | MariadbServer

    def open(self, folder: Path) -> EventHistory:
        if not hasattr(self, "urls"):
            self.urls: dict[Path, str] = {}
        if folder not in self.urls:
            self.urls[folder] = self.server.new_place()
        return open_sql_history(self.urls[folder])


class TestPostgresHistory(_ServerContract):
    @pytest.fixture(autouse=True)
    def _places(self, postgres: PostgresServer) -> None:
        self.server = postgres


class TestMariadbHistory(_ServerContract):
    @pytest.fixture(autouse=True)
    def _places(self, mariadb: MariadbServer) -> None:
        self.server = mariadb
