"""A graph store in a folder: what stays there, and what can be wrong with it."""

import subprocess
import sys
from pathlib import Path

import pytest

from purport.errors import UnusablePath
from purport.sparql import Engine
from purport.sparql.errors import StoreFailed, StoreTaken
from purport.sparql.terms import DEFAULT, Fact
from purport.storage.oxigraph_disk import DiskStore
from tests.contracts.graph_store import ONE, A, G, P, added, everything

FACT: Fact = (A, P, ONE, DEFAULT)


def test_what_was_changed_is_there_after_a_restart(tmp_path: Path) -> None:
    first = DiskStore(tmp_path / "deep" / "store")
    first.apply(added(FACT, (A, P, ONE, G)))
    first.close()

    again = DiskStore(tmp_path / "deep" / "store")

    assert everything(again) == {FACT, (A, P, ONE, G)}
    assert again.named_graphs() == [G]


def test_what_a_killed_process_changed_is_there(tmp_path: Path) -> None:
    program = """
import os, signal, sys
from purport.sparql import Engine
from purport.storage.oxigraph_disk import DiskStore
Engine(DiskStore(sys.argv[1])).update("INSERT DATA { <urn:a> <urn:p> 1 }")
os.kill(os.getpid(), signal.SIGKILL)
"""
    subprocess.run([sys.executable, "-c", program, str(tmp_path / "store")], check=False)

    assert everything(DiskStore(tmp_path / "store")) == {FACT}


def test_an_engine_goes_on_after_a_restart(tmp_path: Path) -> None:
    store = DiskStore(tmp_path)
    Engine(store).update("INSERT DATA { <urn:a> <urn:p> 1 }")
    store.close()

    engine = Engine(DiskStore(tmp_path))
    live = engine.subscribe("SELECT ?o WHERE { ?s <urn:p> ?o }")
    [news] = engine.update("DELETE WHERE { ?s <urn:p> ?o }")

    assert [row["o"] for row in live.initial] == [ONE]
    assert [row["o"] for row in news.removed] == [ONE]


def test_one_process_has_a_folder_at_a_time(tmp_path: Path) -> None:
    store = DiskStore(tmp_path)
    program = """
import sys
from purport.sparql.errors import StoreTaken
from purport.storage.oxigraph_disk import DiskStore
try:
    DiskStore(sys.argv[1])
except StoreTaken as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], check=True, capture_output=True, text=True
    )
    assert f"the store in {tmp_path} is open already" in done.stdout

    with pytest.raises(StoreTaken, match="open already, here or in another process"):
        DiskStore(tmp_path)
    store.apply(added(FACT))
    assert everything(store) == {FACT}


def test_a_closed_store_says_so_and_lets_others_in(tmp_path: Path) -> None:
    store = DiskStore(tmp_path)
    store.close()
    store.close()

    for use in (
        lambda: store.query("ASK {}"),
        lambda: store.apply(added(FACT)),
        lambda: store.holds([FACT]),
        lambda: list(store.matching(None, None, None, None)),
        store.named_graphs,
    ):
        with pytest.raises(StoreFailed, match="is closed"):
            use()
    DiskStore(tmp_path).close()


def test_a_damaged_store_is_refused_by_name(tmp_path: Path) -> None:
    DiskStore(tmp_path).close()
    (tmp_path / "CURRENT").write_text("garbage")

    with pytest.raises(StoreFailed, match=f"the store in {tmp_path} cannot be opened: Corruption"):
        DiskStore(tmp_path)


def test_a_place_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(UnusablePath):
        DiskStore(tmp_path / "file")
    with pytest.raises(UnusablePath):
        DiskStore(tmp_path / "file" / "below")
