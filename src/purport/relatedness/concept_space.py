"""Concept spaces: what each word means, as weights over the documents of a corpus.

A space is a folder that any number of processes map into memory at once:

* `manifest.json`   version, sources, parameters, counts, checksums
* `word_hashes`     of each word, ascending: where a word is found
* `word_ends`, `word_text`         the words themselves, in the same order
* `row_ends`, `concepts`, `weights`    for each word a unit vector over its concepts, ascending
* `title_ends`, `title_text`       the concepts' titles
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import IO

import msgspec
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from purport.relatedness.array_store import (
    Arrays,
    Manifest,
    StoreError,
    StoreKind,
    Texts,
    Words,
    cache_folder,
    last,
    span,
    word_hash,
)


class Source(msgspec.Struct, frozen=True):
    """Where a part of a space came from."""

    name: str
    kind: str
    documents: int
    licence: str = "not stated"


class SpaceManifest(Manifest, frozen=True):
    """What is known of a space without looking at it."""

    name: str
    sources: tuple[Source, ...]
    parameters: dict[str, float]
    words: int
    concepts: int


SPACES = StoreKind(
    "concept space",
    1,
    SpaceManifest,
    {
        "word_hashes": np.uint64,
        "word_ends": np.int64,
        "word_text": np.uint8,
        "row_ends": np.int64,
        "concepts": np.int32,
        "weights": np.float16,
        "title_ends": np.int64,
        "title_text": np.uint8,
    },
)


_CACHED_WORDS = 200_000


@dataclass(frozen=True, slots=True)
class WordRow:
    """One word with its concepts, ascending, and a weight for each."""

    word: str
    concepts: NDArray[np.int32]
    weights: NDArray[np.float32]


class ConceptSpace:
    """An open space; nothing is read before it is asked for.

    `find(word)` is the number of a word (a stem), or None if it is not in the space.
    """

    def __init__(self, folder: Path, manifest: SpaceManifest, arrays: Arrays) -> None:
        self.folder = folder
        self.manifest = manifest
        self._words = Words(arrays["word_hashes"], Texts(arrays["word_ends"], arrays["word_text"]))
        self._titles = Texts(arrays["title_ends"], arrays["title_text"])
        self._row_ends = arrays["row_ends"]
        self._concepts = arrays["concepts"]
        self._weights = arrays["weights"]
        self.find = lru_cache(maxsize=_CACHED_WORDS)(self._words.find)

    @classmethod
    def open(cls, folder: Path) -> ConceptSpace:
        """Map a space into memory; `StoreError` says what is wrong with a folder that is none."""
        manifest, arrays = SPACES.open(folder)
        words, entries = manifest.words, last(arrays["row_ends"])
        sizes = {"word_hashes": words, "word_ends": words, "row_ends": words}
        sizes |= {"title_ends": manifest.concepts, "concepts": entries, "weights": entries}
        sizes |= {f"{what}_text": last(arrays[f"{what}_ends"]) for what in ("word", "title")}
        SPACES.check_sizes(folder, arrays, sizes)
        return cls(folder, manifest, arrays)

    def __reduce__(self) -> tuple[object, ...]:
        return ConceptSpace.open, (self.folder,)

    def row(self, number: int) -> WordRow:
        """What a word means."""
        start, end = span(self._row_ends, number)
        return WordRow(
            self._words.texts[number],
            self._checked(np.asarray(self._concepts[start:end])),
            np.asarray(self._weights[start:end], np.float32),
        )

    def rows(self, numbers: NDArray[np.int64]) -> sparse.csr_array:
        """What some words mean, as a matrix: a row for each word, a column for each concept."""
        spans = [span(self._row_ends, int(number)) for number in numbers]
        ends = np.cumsum([0, *(end - start for start, end in spans)])
        concepts = [self._concepts[start:end] for start, end in spans] or [np.empty(0, np.int32)]
        weights = [self._weights[start:end] for start, end in spans] or [np.empty(0, np.float16)]
        return sparse.csr_array(
            (
                np.concatenate(weights).astype(np.float64),
                self._checked(np.concatenate(concepts)),
                ends,
            ),
            shape=(len(numbers), self.manifest.concepts),
        )

    def _checked(self, concepts: NDArray[np.int32]) -> NDArray[np.int32]:
        """Numbers of concepts, which others take for places in memory."""
        if len(concepts) and not 0 <= concepts.min() <= concepts.max() < self.manifest.concepts:
            raise SPACES.damaged(self.folder, "there are concepts that it has not")
        return concepts

    def frequency(self, number: int) -> int:
        """How many concepts a word has."""
        start, end = span(self._row_ends, number)
        return end - start

    def title(self, concept: int) -> str:
        """The title of a concept."""
        return str(self._titles[concept])

    def verify(self) -> None:
        """Read everything and compare it with the checksums; `StoreError` if something changed."""
        SPACES.verify(self.folder, self.manifest)


def spaces_folder() -> Path:
    """Where a user's spaces are kept."""
    return cache_folder() / "spaces"


def default_space_folder() -> Path:
    """Where the default space is, once it has been made."""
    return spaces_folder() / f"default-{SPACES.version}"


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
    with SPACES.new(folder) as building:
        writer = SpaceWriter(building)
        for array in SPACES.arrays:
            writer._files[array] = (building / f"{array}.bin").open("wb")
        try:
            yield writer
        finally:
            for file in writer._files.values():
                file.close()
        words, concepts = writer.counts()
        if not words:
            raise StoreError("the corpus has no usable word: the space would be empty")
        manifest = SpaceManifest(
            SPACES.version,
            SPACES.checksums(building),
            name,
            tuple(sources),
            parameters,
            words,
            concepts,
        )
        SPACES.write_manifest(building, manifest)
