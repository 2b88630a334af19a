"""Concept spaces: what each word means, as weights over the documents of a corpus.

A space is a folder that any number of processes map into memory at once:

* `manifest.json`   version, sources, parameters, counts, checksums
* `word_hashes`     of each word, ascending: where a word is found
* `word_ends`, `word_text`         the words themselves, in the same order
* `row_ends`, `concepts`, `weights`    for each word a unit vector over its concepts, ascending
* `title_ends`, `title_text`       the concepts' titles
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from purport.errors import InvalidInput, UnusablePath

VERSION = 1
_MANIFEST = "manifest.json"
_ARRAYS = {
    "word_hashes": np.uint64,
    "word_ends": np.int64,
    "word_text": np.uint8,
    "row_ends": np.int64,
    "concepts": np.int32,
    "weights": np.float16,
    "title_ends": np.int64,
    "title_text": np.uint8,
}


class Source(msgspec.Struct, frozen=True):
    """Where a part of a space came from."""

    name: str
    kind: str
    documents: int
    licence: str = "not stated"


class Manifest(msgspec.Struct, frozen=True):
    """What is known of a space without looking at it."""

    version: int
    name: str
    sources: tuple[Source, ...]
    parameters: dict[str, float]
    words: int
    concepts: int
    checksums: dict[str, str]


@dataclass(frozen=True, slots=True)
class WordRow:
    """One word with its concepts, ascending, and a weight for each."""

    word: str
    concepts: NDArray[np.int32]
    weights: NDArray[np.float32]


class SpaceError(InvalidInput):
    """A folder is not a concept space that this version can open."""


class ConceptSpace:
    """An open space; nothing is read before it is asked for."""

    def __init__(self, folder: Path, manifest: Manifest, arrays: dict[str, NDArray[Any]]) -> None:
        self.folder = folder
        self.manifest = manifest
        self._arrays = arrays

    @classmethod
    def open(cls, folder: Path) -> ConceptSpace:
        """Map a space into memory; `SpaceError` says what is wrong with a folder that is none."""
        manifest = _read_manifest(folder)
        arrays = {}
        for name, kind in _ARRAYS.items():
            path = folder / f"{name}.bin"
            try:
                is_empty = path.stat().st_size == 0
                arrays[name] = np.empty(0, kind) if is_empty else np.memmap(path, kind, mode="r")
            except (OSError, ValueError) as error:
                raise SpaceError(f"{folder}: the space is damaged: {name}: {error}") from None
        space = cls(folder, manifest, arrays)
        space._check_sizes()
        return space

    def __reduce__(self) -> tuple[object, ...]:
        return ConceptSpace.open, (self.folder,)

    def find(self, word: str) -> int | None:
        """The number of a word (a stem); None if it is not in the space."""
        hashes = self._arrays["word_hashes"]
        wanted = word_hash(word)
        number = int(np.searchsorted(hashes, np.uint64(wanted)))
        while number < len(hashes) and int(hashes[number]) == wanted:
            if self._text("word", number) == word:
                return number
            number += 1
        return None

    def row(self, number: int) -> WordRow:
        """What a word means."""
        start, end = _span(self._arrays["row_ends"], number)
        return WordRow(
            self._text("word", number),
            np.asarray(self._arrays["concepts"][start:end]),
            np.asarray(self._arrays["weights"][start:end], np.float32),
        )

    def title(self, concept: int) -> str:
        """The title of a concept."""
        return self._text("title", concept)

    def verify(self) -> None:
        """Read everything and compare it with the checksums; `SpaceError` if something changed."""
        for name, checksum in self.manifest.checksums.items():
            with (self.folder / f"{name}.bin").open("rb") as file:
                if hashlib.file_digest(file, "sha256").hexdigest() != checksum:
                    raise SpaceError(f"{self.folder}: the space is damaged: {name} has changed")

    def _text(self, what: str, number: int) -> str:
        start, end = _span(self._arrays[f"{what}_ends"], number)
        return bytes(self._arrays[f"{what}_text"][start:end]).decode()

    def _check_sizes(self) -> None:
        words, concepts = self.manifest.words, self.manifest.concepts
        expected = {"word_hashes": words, "word_ends": words, "row_ends": words}
        expected["title_ends"] = concepts
        for what, of in (("word_text", "word_ends"), ("title_text", "title_ends")):
            expected[what] = _last(self._arrays[of])
        expected["concepts"] = expected["weights"] = _last(self._arrays["row_ends"])
        for name, size in expected.items():
            if len(self._arrays[name]) != size:
                raise SpaceError(
                    f"{self.folder}: the space is damaged: {name} holds "
                    f"{len(self._arrays[name])} of {size}"
                )


def spaces_folder() -> Path:
    """Where spaces are kept for all of a user's projects: in `PURPORT_CACHE`, or the cache."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(os.environ.get("PURPORT_CACHE") or Path(cache) / "purport") / "spaces"


def default_space_folder() -> Path:
    """Where the default space is, once it has been made."""
    return spaces_folder() / f"default-{VERSION}"


def word_hash(word: str) -> int:
    """A number by which words are ordered and found, the same everywhere: the first of SHA-256."""
    return int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "big")


@dataclass(slots=True)
class SpaceWriter:
    """Writes a space, word by word; it appears in its place only when all of it is there."""

    folder: Path
    _files: dict[str, IO[bytes]] = field(default_factory=dict)
    _ends: dict[str, int] = field(default_factory=dict)
    _counts: dict[str, int] = field(default_factory=dict)
    _last_hash: int = -1

    def add_words(self, rows: Iterable[WordRow]) -> None:
        """Append words, which have to come in the order of their hashes."""
        for row in rows:
            number = word_hash(row.word)
            if number < self._last_hash:
                raise ValueError("words must come in the order of their hashes")
            self._last_hash = number
            self._files["word_hashes"].write(np.uint64(number).tobytes())
            self._add_text("word", row.word)
            self._files["concepts"].write(row.concepts.astype(np.int32).tobytes())
            self._files["weights"].write(row.weights.astype(np.float16).tobytes())
            self._add_end("row", len(row.concepts))

    def add_titles(self, titles: Iterable[str]) -> None:
        """Append the titles of concepts, in the order of their numbers."""
        for title in titles:
            self._add_text("title", title)

    def _add_text(self, what: str, text: str) -> None:
        data = text.encode()
        self._files[f"{what}_text"].write(data)
        self._add_end(what, len(data))

    def _add_end(self, what: str, size: int) -> None:
        self._ends[what] = self._ends.get(what, 0) + size
        self._counts[what] = self._counts.get(what, 0) + 1
        self._files[f"{what}_ends"].write(np.int64(self._ends[what]).tobytes())

    def counts(self) -> tuple[int, int]:
        """How many words and concepts have been written."""
        return self._counts.get("word", 0), self._counts.get("title", 0)


@contextmanager
def new_space(
    folder: Path, *, name: str, sources: Sequence[Source], parameters: dict[str, float]
) -> Iterator[SpaceWriter]:
    """A writer for a space that takes the place of an older one at `folder` when all went well."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        building = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    except OSError as error:
        raise UnusablePath(folder, error.strerror or str(error)) from None
    try:
        writer = SpaceWriter(building)
        for array in _ARRAYS:
            writer._files[array] = (building / f"{array}.bin").open("wb")
        try:
            yield writer
        finally:
            for file in writer._files.values():
                file.close()
        _finish(building, writer, name, sources, parameters)
        _put_in_place(building, folder)
    finally:
        shutil.rmtree(building, ignore_errors=True)


def _finish(
    building: Path,
    writer: SpaceWriter,
    name: str,
    sources: Sequence[Source],
    parameters: dict[str, float],
) -> None:
    words, concepts = writer.counts()
    if not words:
        raise SpaceError("the corpus has no usable word: the space would be empty")
    checksums = {}
    for array in _ARRAYS:
        with (building / f"{array}.bin").open("rb") as file:
            checksums[array] = hashlib.file_digest(file, "sha256").hexdigest()
    manifest = Manifest(VERSION, name, tuple(sources), parameters, words, concepts, checksums)
    text = msgspec.json.format(msgspec.json.encode(manifest), indent=2)
    (building / _MANIFEST).write_bytes(text)


def _put_in_place(building: Path, folder: Path) -> None:
    """Move a finished space to its name; an older one there gives way."""
    building.chmod(0o755)
    old = folder.with_name(f".{folder.name}-old-{os.getpid()}")
    if folder.exists():
        if not (folder / _MANIFEST).is_file() and any(folder.iterdir()):
            raise UnusablePath(folder, "there is something here that is not a concept space")
        folder.rename(old)
    building.rename(folder)
    shutil.rmtree(old, ignore_errors=True)


def _read_manifest(folder: Path) -> Manifest:
    path = folder / _MANIFEST
    try:
        text = path.read_bytes()
    except OSError as error:
        reason = error.strerror or str(error)
        raise SpaceError(f"{folder} is not a concept space: {_MANIFEST}: {reason}") from None
    try:
        version = msgspec.json.decode(text, type=dict[str, Any]).get("version")
        if version != VERSION:
            raise SpaceError(f"{folder} is of version {version}; this Purport opens {VERSION}")
        return msgspec.json.decode(text, type=Manifest)
    except msgspec.MsgspecError as error:
        raise SpaceError(f"{folder}: the manifest is damaged: {error}") from None


def _span(ends: NDArray[np.int64], number: int) -> tuple[int, int]:
    return (int(ends[number - 1]) if number else 0), int(ends[number])


def _last(ends: NDArray[np.int64]) -> int:
    return int(ends[-1]) if len(ends) else 0
