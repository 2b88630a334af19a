"""Folders of plain arrays, mapped into memory by any number of processes at once.

A store is written under another name and takes its place when all of it is there: what can be
opened is whole. `manifest.json` says what it is, in which version, and its checksums.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from purport.errors import InvalidInput, UnusablePath
from purport.writable import require_room

_MANIFEST = "manifest.json"

Arrays = dict[str, NDArray[Any]]


class StoreError(InvalidInput):
    """A folder is not a store that this version can open."""


class Manifest(msgspec.Struct, frozen=True):
    """What is known of a store without looking at its arrays."""

    version: int
    checksums: dict[str, str]

    @property
    def identity(self) -> str:
        """What tells the content of a store from that of another."""
        return digest(*self.checksums.values())


M = TypeVar("M", bound=Manifest)


@dataclass(frozen=True, slots=True)
class StoreKind(Generic[M]):
    """One kind of store: what it is called, its version, its manifest and its arrays' types."""

    name: str
    version: int
    manifest: type[M]
    arrays: Mapping[str, type]

    def open(self, folder: Path) -> tuple[M, Arrays]:
        """The manifest and the arrays of a store, none of them read yet."""
        manifest = self._read_manifest(folder)
        arrays: Arrays = {}
        for name, kind in self.arrays.items():
            path = folder / f"{name}.bin"
            try:
                is_empty = path.stat().st_size == 0
                mapped = np.empty(0, kind) if is_empty else np.memmap(path, kind, mode="r")
                arrays[name] = np.asarray(mapped)  # a memmap's own indexing is slow
            except (OSError, ValueError) as error:
                raise self.damaged(folder, f"{name}: {error}") from None
        return manifest, arrays

    def check_sizes(self, folder: Path, arrays: Arrays, sizes: Mapping[str, int]) -> None:
        """`StoreError` unless each array named holds as much as it should."""
        for name, size in sizes.items():
            if len(arrays[name]) != size:
                raise self.damaged(folder, f"{name} holds {len(arrays[name])} of {size}")

    def verify(self, folder: Path, manifest: M) -> None:
        """Read everything and compare it with the checksums; `StoreError` if something changed."""
        for name in self.arrays:
            if _checksum(folder / f"{name}.bin") != manifest.checksums.get(name):
                raise self.damaged(folder, f"{name} has changed")

    def damaged(self, folder: Path, what: str) -> StoreError:
        """The error of a store that is not as it was written."""
        return StoreError(f"{folder}: the {self.name} is damaged: {what}")

    @contextmanager
    def new(self, folder: Path) -> Iterator[Path]:
        """A folder to write arrays into; with its manifest in it, it takes its place."""
        folder = folder.absolute()
        self.require_place(folder)
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            building = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
        except OSError as error:
            raise UnusablePath(folder, error.strerror or str(error)) from None
        try:
            yield building
            self._put_in_place(building, folder)
        finally:
            shutil.rmtree(building, ignore_errors=True)

    def checksums(self, folder: Path) -> dict[str, str]:
        """A checksum of each array in a folder."""
        return {name: _checksum(folder / f"{name}.bin") for name in self.arrays}

    def write_manifest(self, folder: Path, manifest: M) -> None:
        """The last thing that is written."""
        text = msgspec.json.format(msgspec.json.encode(manifest), indent=2)
        (folder / _MANIFEST).write_bytes(text)

    def require_place(self, folder: Path) -> None:
        """`UnusablePath` unless a store may be written here, and nothing else is in the way."""
        if folder.exists() and not folder.is_dir():
            raise UnusablePath(folder, "not a folder")
        others = [
            entry.name
            for entry in (folder.iterdir() if folder.is_dir() else ())
            if entry.name != _MANIFEST and entry.suffix != ".bin"
        ]
        if others:
            raise UnusablePath(
                folder, f"there is something here that is not a {self.name}: {min(others)}"
            )
        require_room(folder)

    def _put_in_place(self, building: Path, folder: Path) -> None:
        """Move a finished store to its name; an older one gives way, or stays if that fails."""
        building.chmod(0o755)
        old = folder.with_name(f".{folder.name}-old-{os.getpid()}")
        self.require_place(folder)
        try:
            if folder.exists():
                folder.rename(old)
            try:
                building.rename(folder)
            except OSError:
                if old.exists():
                    old.rename(folder)
                raise
        except OSError as error:
            raise UnusablePath(folder, error.strerror or str(error)) from None
        shutil.rmtree(old, ignore_errors=True)

    def _read_manifest(self, folder: Path) -> M:
        path = folder / _MANIFEST
        try:
            text = path.read_bytes()
        except OSError as error:
            reason = error.strerror or str(error)
            raise StoreError(f"{folder} is not a {self.name}: {_MANIFEST}: {reason}") from None
        try:
            version = msgspec.json.decode(text, type=dict[str, Any]).get("version")
            if version != self.version:
                raise StoreError(
                    f"{folder} is of version {version}; this Purport opens {self.version}"
                )
            return msgspec.json.decode(text, type=self.manifest)
        except msgspec.MsgspecError as error:
            raise StoreError(f"{folder}: the manifest is damaged: {error}") from None


@dataclass(frozen=True, slots=True)
class Texts(Sequence[str]):
    """Texts behind one another in one array of bytes, and where each of them ends."""

    ends: NDArray[np.int64]
    text: NDArray[np.uint8]

    @classmethod
    def of(cls, texts: Sequence[str]) -> Texts:
        """The arrays of some texts."""
        encoded = [text.encode(errors="surrogatepass") for text in texts]
        ends = np.cumsum([len(text) for text in encoded], dtype=np.int64)
        return cls(ends, np.frombuffer(b"".join(encoded), np.uint8))

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, number: Any) -> Any:
        if not 0 <= number < len(self.ends):
            raise IndexError(number)
        start, end = span(self.ends, number)
        return bytes(self.text[start:end]).decode(errors="surrogatepass")


@dataclass(frozen=True, slots=True)
class Words:
    """Words that are found by binary search over their hashes."""

    hashes: NDArray[np.uint64]
    texts: Texts

    def find(self, word: str) -> int | None:
        """The number of a word; None if it is not there."""
        wanted = word_hash(word)
        number = int(np.searchsorted(self.hashes, np.uint64(wanted)))
        while number < len(self.hashes) and int(self.hashes[number]) == wanted:
            if self.texts[number] == word:
                return number
            number += 1
        return None


def word_hash(word: str) -> int:
    """A number by which words are ordered and found, the same everywhere: the first of SHA-256."""
    return int.from_bytes(hashlib.sha256(word.encode(errors="surrogatepass")).digest()[:8], "big")


def digest(*parts: object) -> str:
    """A short text that stands for some parts: other parts, another text."""
    return hashlib.sha256("\0".join(map(str, parts)).encode(errors="surrogatepass")).hexdigest()[
        :16
    ]


def span(ends: NDArray[np.int64], number: int) -> tuple[int, int]:
    """Where the items of one row begin and end, given where each row ends."""
    return (int(ends[number - 1]) if number else 0), int(ends[number])


def last(ends: NDArray[np.int64]) -> int:
    """How many items there are in all rows."""
    return int(ends[-1]) if len(ends) else 0


def cache_folder() -> Path:
    """Where stores are kept for all of a user's projects: what `PURPORT_CACHE` names, if set."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(os.environ.get("PURPORT_CACHE") or Path(cache) / "purport")


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
