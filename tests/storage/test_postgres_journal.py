"""Journals in PostgreSQL: servers that are not there, owners, and connections that break."""

import os
import socket
import sys
from contextlib import closing

import pytest
from sqlalchemy import Connection, text

from purport.broker.journal import JournalError, JournalTaken
from purport.errors import InvalidInput, MissingExtra
from purport.storage.opening import open_sql_journal
from tests.contracts.journal import Sample
from tests.pipeline.processes import wait_until
from tests.storage.postgres_server import PostgresServer


def test_a_url_of_another_kind_is_refused() -> None:
    for url in ("sqlite:///journal.sqlite", "no url", "mysql://host/name"):
        with pytest.raises(InvalidInput, match="expected a URL such as postgresql://"):
            open_sql_journal(url)


def test_postgres_needs_its_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)

    with pytest.raises(MissingExtra, match=r"purport\[postgres\]"):
        open_sql_journal("postgresql://127.0.0.1/nothing")


def test_a_server_that_does_not_answer_is_an_error_without_the_password() -> None:
    with pytest.raises(JournalError) as raised:
        open_sql_journal("postgresql://ada:secret@127.0.0.1:1/nothing")

    assert "ada:***@127.0.0.1" in str(raised.value)
    assert "secret" not in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_second_owner_of_a_postgres_journal_is_refused(postgres: PostgresServer) -> None:
    url = postgres.new_place()
    with closing(open_sql_journal(url)):
        with pytest.raises(JournalTaken, match=f"process {os.getpid()} on {socket.gethostname()}"):
            open_sql_journal(url)
        open_sql_journal(url, read_only=True).close()
        open_sql_journal(postgres.new_place()).close()
    open_sql_journal(url).close()


def test_there_has_to_be_something_to_look_at_in_postgres(postgres: PostgresServer) -> None:
    with pytest.raises(InvalidInput, match="there is no journal here"):
        open_sql_journal(postgres.new_place(), read_only=True)


def test_a_lost_connection_costs_nothing_that_was_acknowledged(
    postgres: PostgresServer, sample: Sample
) -> None:
    with closing(open_sql_journal(postgres.new_place())) as journal:
        journal.append(sample.publications(5, "a"))
        sample.publications(3, "a")
        postgres.end_connections()

        with pytest.raises(JournalError):
            journal.append(sample.entries[5:])
        journal.append(sample.entries[5:])

        assert list(journal.read()) == sample.entries
        assert list(journal.told("a", -1, 10)) == sample.entries


def test_who_lost_a_postgres_journal_to_another_cannot_go_on(
    postgres: PostgresServer, sample: Sample
) -> None:
    url = postgres.new_place()
    with closing(open_sql_journal(url)) as loser:
        loser.append(sample.publications(2))
        postgres.end_connections()
        with closing(open_sql_journal(url)) as winner:
            winner.append([sample.publish()])
            with pytest.raises(JournalError):
                loser.append([sample.entries[2]])
            with pytest.raises(JournalTaken, match=f"open in process {os.getpid()}"):
                loser.append([sample.entries[2]])

        def is_told_of_another() -> bool:  # whose connection may take a moment to end
            with pytest.raises(JournalTaken) as refused:
                loser.append([sample.entries[2]])
            return "another process opened the journal" in str(refused.value)

        wait_until(is_told_of_another)


def test_a_connection_lost_while_the_writer_makes_sure_does_not_lose_the_claim(
    postgres: PostgresServer, sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = postgres.new_place()
    with closing(open_sql_journal(url)) as journal:
        journal.append(sample.publications(2, "a"))
        following = [sample.publish("a")]
        make_sure = journal._writer._make_sure

        def broken(connection: Connection) -> None:
            postgres.end_connections()
            make_sure(connection)

        postgres.end_connections()
        with pytest.raises(JournalError):
            journal.append(following)
        with monkeypatch.context() as patched, pytest.raises(JournalError):
            patched.setattr(journal._writer, "_make_sure", broken)
            journal.append(following)
        journal.append(following)

        with pytest.raises(JournalTaken, match=f"open in process {os.getpid()}"):
            open_sql_journal(url)
        assert list(journal.read()) == sample.entries


def test_who_is_no_longer_the_owner_deletes_nothing(
    postgres: PostgresServer, sample: Sample
) -> None:
    with closing(open_sql_journal(postgres.new_place())) as journal:
        journal.append(sample.publications(2))
        with journal.database.engine.begin() as connection:
            connection.execute(text("UPDATE meta SET value = 'another' WHERE name = 'owner'"))
            connection.execute(
                text(
                    "INSERT INTO entries SELECT 3, at, version, event, record, 0 FROM entries "
                    "WHERE sequence = 2"
                )
            )
        journal._writer.is_sure = False

        with pytest.raises(JournalTaken, match="another process opened the journal"):
            journal.append([sample.publish()])

        assert journal.kept.bounds().last == 3
