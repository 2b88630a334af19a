"""The files of Princeton's WordNet (3.x), read as they are distributed.

Format: wndb(5WN). A data file has a line for each synset: its offset, the words in it, pointers to
other synsets, and behind `|` the gloss. An index file has a line for each word: the offsets of its
synsets, the most common first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from purport.errors import InvalidInput, UnusablePath


class PartOfSpeech(StrEnum):
    """What kind of word a synset is made of."""

    NOUN = "n"
    VERB = "v"
    ADJECTIVE = "a"
    ADVERB = "r"


_FILES = {
    PartOfSpeech.NOUN: "noun",
    PartOfSpeech.VERB: "verb",
    PartOfSpeech.ADJECTIVE: "adj",
    PartOfSpeech.ADVERB: "adv",
}
HYPERNYMS = ("@", "@i")
HYPONYMS = ("~", "~i")
ANTONYM = "!"
DERIVATION = "+"


class WordNetError(InvalidInput):
    """A file is not one of WordNet's."""


@dataclass(frozen=True, slots=True)
class SynsetId:
    """A synset's name: its part of speech and its offset, e.g. n 02958343 (car)."""

    part: PartOfSpeech
    offset: int


@dataclass(frozen=True, slots=True)
class Pointer:
    """A relation to another synset, by WordNet's symbol: `@` to a hypernym, `~` to a hyponym.

    `source_word` and `target_word` count from 1 where the relation is one of words, as `!` is.
    """

    symbol: str
    target: SynsetId
    source_word: int = 0
    target_word: int = 0


@dataclass(frozen=True, slots=True)
class Synset:
    """Words that mean one thing, what that is, and how it stands to others."""

    id: SynsetId
    words: tuple[str, ...]
    gloss: str
    pointers: tuple[Pointer, ...]


def is_wordnet_folder(folder: Path) -> bool:
    """Whether a folder holds WordNet's data files (the noun file may be cut in two)."""
    return (folder / "data.verb").is_file() and (
        (folder / "data.noun").is_file() or (folder / "data.noun1").is_file()
    )


def synsets(folder: Path) -> Iterator[Synset]:
    """Every synset in a folder of data files."""
    for part, name in _FILES.items():
        for path in _data_files(folder, name):
            yield from _synsets_in(path, part)


def _data_files(folder: Path, name: str) -> list[Path]:
    whole = folder / f"data.{name}"
    pieces = [folder / f"data.{name}1", folder / f"data.{name}2"]
    return pieces if not whole.is_file() and pieces[0].is_file() else [whole]


def _synsets_in(path: Path, part: PartOfSpeech) -> Iterator[Synset]:
    for number, line in _lines(path):
        yield _synset(line, part, path, number)


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a file with their numbers, without the licence at its head."""
    try:
        with path.open(encoding="latin-1") as file:
            for number, line in enumerate(file, 1):
                if line.strip() and not line.startswith("  "):
                    yield number, line
    except OSError as error:
        raise UnusablePath(path, error.strerror or str(error)) from None


def _synset(line: str, part: PartOfSpeech, path: Path, number: int) -> Synset:
    data, _, gloss = line.partition("|")
    fields = data.split()
    try:
        count = int(fields[3], 16)
        words = tuple(fields[4 + 2 * i].partition("(")[0].replace("_", " ") for i in range(count))
        start = 4 + 2 * count
        pointers = tuple(
            _pointer(fields[start + 1 + 4 * i : start + 5 + 4 * i])
            for i in range(int(fields[start]))
        )
        return Synset(SynsetId(part, int(fields[0])), words, gloss.strip(), pointers)
    except (IndexError, ValueError):
        raise WordNetError(f"{path}, line {number}: not a line of WordNet's data") from None


def _pointer(fields: list[str]) -> Pointer:
    symbol, offset, part, words = fields
    target = SynsetId(PartOfSpeech("a" if part == "s" else part), int(offset))
    return Pointer(symbol, target, int(words[:2], 16), int(words[2:], 16))


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """A word with its synsets in one part of speech, the most common first."""

    word: str
    synsets: tuple[SynsetId, ...]


def index_entries(folder: Path) -> Iterator[IndexEntry]:
    """Every word of the index files in a folder, part of speech by part of speech."""
    for part, name in _FILES.items():
        path = folder / f"index.{name}"
        for number, line in _lines(path):
            fields = line.split()
            try:
                offsets = fields[-int(fields[2]) :]
                entry = tuple(SynsetId(part, int(offset)) for offset in offsets)
            except (IndexError, ValueError):
                raise WordNetError(
                    f"{path}, line {number}: not a line of WordNet's index"
                ) from None
            yield IndexEntry(fields[0].replace("_", " "), entry)


@dataclass(frozen=True, slots=True)
class SynsetCount:
    """How often a synset was met in a corpus, itself or by one of its hyponyms."""

    synset: SynsetId
    count: float
    is_root: bool


def synset_counts(path: Path) -> Iterator[SynsetCount]:
    """The counts in a file of information content: `1740n 507906.36 ROOT` on each line."""
    for number, line in _lines(path):
        if number == 1 and line.startswith("wnver"):
            continue
        fields = line.split()
        try:
            synset = SynsetId(PartOfSpeech(fields[0][-1]), int(fields[0][:-1]))
            count = float(fields[1])
            if not 0 <= count < float("inf"):
                raise ValueError(count)
        except (IndexError, ValueError):
            raise WordNetError(
                f"{path}, line {number}: expected a synset and a count, as in `1740n 507906.36`"
            ) from None
        yield SynsetCount(synset, count, fields[2:] == ["ROOT"])


def extended_glosses(folder: Path) -> Iterator[tuple[str, str]]:
    """A title and a document for each synset.

    The document holds the synset's words and gloss, those of its hypernyms and hyponyms, and the
    words of whatever else it points to.
    """
    every = {synset.id: synset for synset in synsets(folder)}
    for synset in every.values():
        parts = [" ".join(synset.words), synset.gloss]
        for pointer in synset.pointers:
            other = every.get(pointer.target)
            if other is None:
                raise WordNetError(f"{folder}: {synset.id} points to {pointer.target}: not there")
            parts.append(" ".join(other.words))
            if pointer.symbol in HYPERNYMS or pointer.symbol in HYPONYMS:
                parts.append(other.gloss)
        yield ", ".join(synset.words), " ".join(parts)
