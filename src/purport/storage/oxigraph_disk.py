"""A graph store in a folder: pyoxigraph over RocksDB."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import NoReturn, cast

from pyoxigraph import NamedNode, Store

from purport.errors import UnusablePath
from purport.sparql.errors import StoreFailed, StoreTaken
from purport.sparql.graph_store import OxigraphStore
from purport.sparql.terms import Fact, Graph, Subject, Term


class DiskStore(OxigraphStore):
    """A store in a folder, which one process has open at a time; a new one if there is none.

    A change without blank nodes is on disk as a whole or not at all. One with blank nodes is made
    fact by fact: a process that dies may leave a part of it, which making it again completes.
    """

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)
        super().__init__(_opened(self.folder))

    def matching(
        self,
        subject: Subject | None,
        predicate: NamedNode | None,
        value: Term | None,
        graph: Graph | None,
    ) -> Iterable[Fact]:
        try:
            return list(super().matching(subject, predicate, value, graph))
        except (OSError, RuntimeError) as error:
            raise self._unreadable(error) from None

    def holds(self, facts: Collection[Fact]) -> set[Fact]:
        try:
            return super().holds(facts)
        except (OSError, RuntimeError) as error:
            raise self._unreadable(error) from None

    def close(self) -> None:
        """Write everything out and let another process have the folder."""
        if not isinstance(self._store, _Closed):
            self._store.flush()
            self._store = cast(Store, _Closed(self.folder))

    def _unreadable(self, error: Exception) -> StoreFailed:
        return StoreFailed(f"the store in {self.folder} cannot be read: {error}")


class _Closed:
    """Stands where a store was; pyoxigraph closes one when nobody refers to it any more."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __getattr__(self, name: str) -> NoReturn:
        raise StoreFailed(f"the store in {self._folder} is closed")

    def __contains__(self, quad: object) -> bool:
        raise StoreFailed(f"the store in {self._folder} is closed")


def _opened(folder: Path) -> Store:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnusablePath(folder, error.strerror or str(error)) from None
    try:
        return Store(folder)
    except OSError as error:
        if "lock" in str(error).lower():
            reason = f"the store in {folder} is open already, here or in another process"
            raise StoreTaken(reason) from None
        raise UnusablePath(folder, str(error)) from None
    except RuntimeError as error:
        raise StoreFailed(f"the store in {folder} cannot be opened: {error}") from None
