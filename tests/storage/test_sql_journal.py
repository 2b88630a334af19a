"""The contract of a journal, for those that there are."""

from pathlib import Path

import pytest

from purport.broker.journal import Journal, MemoryJournal
from purport.storage.opening import open_sql_journal, open_sqlite_journal
from tests.contracts.journal import JournalContract, SharedJournalContract
from tests.storage.postgres_server import PostgresServer


class TestMemoryJournal(JournalContract):
    lasts = False

    def open(self, folder: Path) -> Journal:
        return MemoryJournal()


class TestSqliteJournal(SharedJournalContract):
    def open(self, folder: Path) -> Journal:
        return open_sqlite_journal(folder)


class TestSqliteJournalOfSmallStretches(SharedJournalContract):
    def open(self, folder: Path) -> Journal:
        return open_sqlite_journal(folder, stretch_size=3, durability="relaxed")


class _PostgresContract(SharedJournalContract):
    examples = 0.1

    @pytest.fixture(autouse=True)
    def _places(self, postgres: PostgresServer) -> None:
        self.server = postgres
        self.urls: dict[Path, str] = {}

    def url(self, folder: Path) -> str:
        if folder not in self.urls:
            self.urls[folder] = self.server.new_place()
        return self.urls[folder]


class TestPostgresJournal(_PostgresContract):
    def open(self, folder: Path) -> Journal:
        return open_sql_journal(self.url(folder))


class TestPostgresJournalOfSmallStretches(_PostgresContract):
    def open(self, folder: Path) -> Journal:
        return open_sql_journal(self.url(folder), stretches=folder, stretch_size=3)
