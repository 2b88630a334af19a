"""WordNet, compiled into arrays: what words mean, what kinds of things those are, how common.

* `word_*`       the words, and for each the synsets it stands for (`sense_*`): nouns before verbs,
                 adjectives and adverbs, the most common first
* `synset_*`     of each synset its part of speech, offset, words (`name_*`) and gloss (`gloss_*`)
* `hypernym_*`   the kinds that a synset is directly of; `ancestor_*` all of them and itself, with
                 `distances` in steps
* `antonym_*`    for each word its opposites, and `derivation_*` words that are made from it, or it
                 from them (`organize`, `organization`)
* `is_name`      whether a word is most often a proper name
* `counts`       how often a synset or a hyponym of it was met (Resnik's way of counting)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from purport.relatedness.array_store import (
    Arrays,
    Manifest,
    StoreKind,
    Texts,
    Words,
    cache_folder,
    digest,
    last,
    span,
)
from purport.relatedness.wordnet_files import (
    PartOfSpeech,
    SynsetId,
    WordNetError,
    synset_counts,
)

Integers = NDArray[np.int32]
Synsets = NDArray[np.int64]
Values = NDArray[np.float64]
PARTS = tuple(PartOfSpeech)


class WordNetManifest(Manifest, frozen=True):
    """What is known of a compiled WordNet without looking at it."""

    words: int
    synsets: int
    licence: str
    totals: dict[str, float]


_TEXT = {"ends": np.int64, "text": np.uint8}
_LIST = {"ends": np.int64, "list": np.int32}
WORDNETS = StoreKind(
    "WordNet",
    2,
    WordNetManifest,
    {
        "word_hashes": np.uint64,
        **{f"word_{name}": kind for name, kind in _TEXT.items()},
        **{f"sense_{name}": kind for name, kind in _LIST.items()},
        **{f"antonym_{name}": kind for name, kind in _LIST.items()},
        **{f"derivation_{name}": kind for name, kind in _LIST.items()},
        "is_name": np.bool_,
        "synset_parts": np.uint8,
        "synset_offsets": np.int32,
        **{f"name_{name}": kind for name, kind in _TEXT.items()},
        **{f"gloss_{name}": kind for name, kind in _TEXT.items()},
        **{f"hypernym_{name}": kind for name, kind in _LIST.items()},
        **{f"ancestor_{name}": kind for name, kind in _LIST.items()},
        "distances": np.uint8,
        "counts": np.float64,
    },
)

_CACHED_WORDS = 200_000
_COLUMNS_AT_ONCE = 1024
_LONGEST_WORD = 4  # words that make one, as in `chief of state`

# How inflected forms end, and what the ending stands for, where the form itself is not in WordNet.
_ENDINGS = (
    ("ies", "y"), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"),
    ("men", "man"), ("es", "e"), ("es", ""), ("s", ""), ("ied", "y"), ("ed", "e"), ("ed", ""),
    ("ing", "e"), ("ing", ""), ("er", ""), ("est", ""), ("er", "e"), ("est", "e"),
)  # fmt: skip


_VERB_ENDINGS = tuple(pair for pair in _ENDINGS if pair[0] in ("ied", "ed", "ing"))


@dataclass(frozen=True, slots=True)
class WordNetPath:
    """How one synset is reached from another: up to what both are kinds of, and down again."""

    up: tuple[str, ...]
    shared: str
    down: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.up) + len(self.down)

    def __str__(self) -> str:
        return " > ".join((*self.up, self.shared)) + "".join(f" < {name}" for name in self.down)


class WordNet:
    """A compiled WordNet; nothing is read before it is asked for."""

    def __init__(
        self, folder: Path, manifest: WordNetManifest, arrays: Arrays, content: Path | None = None
    ) -> None:
        self.folder = folder
        self.manifest = manifest
        self._arrays = arrays
        self._content_path = content
        self._words = Words(arrays["word_hashes"], Texts(arrays["word_ends"], arrays["word_text"]))
        self._names = Texts(arrays["name_ends"], arrays["name_text"])
        self._glosses = Texts(arrays["gloss_ends"], arrays["gloss_text"])
        counts, totals = arrays["counts"], manifest.totals
        if content is not None:
            counts, totals = self._counts_in(content)
        self.content = _information_content(counts, arrays["synset_parts"], totals)
        self.senses = lru_cache(maxsize=_CACHED_WORDS)(self._found_senses)
        self._found = lru_cache(maxsize=_CACHED_WORDS)(self._words.find)

    @classmethod
    def open(cls, folder: Path, content: Path | None = None) -> WordNet:
        """Map a compiled WordNet into memory; counts in a file of their own replace its own."""
        manifest, arrays = WORDNETS.open(folder)
        words, number = manifest.words, manifest.synsets
        sizes = dict.fromkeys(("word_hashes", "sense_ends", "is_name"), words)
        sizes |= {"antonym_ends": words, "derivation_ends": words}
        sizes |= {"synset_parts": number, "synset_offsets": number, "counts": number}
        sizes |= {f"{what}_ends": number for what in ("name", "gloss", "hypernym", "ancestor")}
        texts = ("word", "name", "gloss")
        lists = ("sense", "antonym", "derivation", "hypernym", "ancestor")
        sizes |= {f"{what}_text": last(arrays[f"{what}_ends"]) for what in texts}
        sizes |= {f"{what}_list": last(arrays[f"{what}_ends"]) for what in lists}
        sizes["distances"] = last(arrays["ancestor_ends"])
        WORDNETS.check_sizes(folder, arrays, sizes)
        return cls(folder, manifest, arrays, content)

    @property
    def identity(self) -> str:
        """What tells this WordNet, with its counts, from another."""
        return digest(self.manifest.identity, self.content.tobytes().hex())

    def __reduce__(self) -> tuple[object, ...]:
        return WordNet.open, (self.folder, self._content_path)

    def words(self) -> Iterator[str]:
        """Every word, in no particular order."""
        return iter(self._words.texts)

    def _found_senses(self, word: str) -> tuple[int, ...]:
        """The synsets that a word, or what it is an inflected form of, stands for."""
        number = self.find(word)
        return () if number is None else tuple(self._list("sense", number).tolist())

    def find(self, word: str) -> int | None:
        """The number of a word in its own form or, failing that, without an ending."""
        number = self._found(word)
        if number is not None or " " in word:
            return number
        found = (self._found(base) for base in _bases(word, _ENDINGS))
        return next((number for number in found if number is not None), None)

    def forms(self, word: str) -> frozenset[int]:
        """The numbers of a word and of what it is an inflected form of, as far as it is known."""
        own = self._found(word)
        endings = _ENDINGS if own is None else _VERB_ENDINGS
        bases = (self._found(base) for base in _bases(word, endings))
        return frozenset(number for number in (own, *bases) if number is not None)

    def family(self, word: str) -> frozenset[int]:
        """The forms of a word, and the words made from them, or they from those."""
        forms = self.forms(word)
        return forms.union(*(self._list("derivation", number).tolist() for number in forms))

    def antonyms(self, word: str) -> frozenset[int]:
        """The numbers of the words that WordNet has as opposites of a word or its base form."""
        forms = self.forms(word)
        return frozenset().union(*(self._list("antonym", number).tolist() for number in forms))

    def is_name(self, word: str) -> bool:
        """Whether a word is most often a proper name, e.g. `spain` or `monday`."""
        number = self.find(word)
        return number is not None and bool(self._arrays["is_name"][number])

    def part(self, synset: int) -> PartOfSpeech:
        """What kind of word a synset is made of."""
        return PARTS[int(self._arrays["synset_parts"][synset])]

    def offset(self, synset: int) -> int:
        """Where a synset stands in WordNet's own files."""
        return int(self._arrays["synset_offsets"][synset])

    def name(self, synset: int) -> str:
        """The words of a synset."""
        return str(self._names[synset])

    def lemmas(self, synset: int) -> tuple[str, ...]:
        """The words of a synset one by one, in small letters; WordNet has none with a comma."""
        return tuple(self.name(synset).lower().split(", "))

    def gloss(self, synset: int) -> str:
        """What a synset means."""
        return str(self._glosses[synset])

    def hypernyms(self, synset: int) -> Integers:
        """The kinds that a synset is directly of."""
        return self._list("hypernym", synset)

    def hyponyms(self, synset: int) -> Integers:
        """The kinds that there are of a synset directly, ascending."""
        kinds, lower = self._hyponyms
        start, end = np.searchsorted(kinds, [synset, synset + 1])
        return lower[start:end]

    def ancestors(self, synset: int) -> tuple[Integers, NDArray[np.uint8]]:
        """A synset and all that it is a kind of, with the fewest steps to each."""
        start, end = span(self._arrays["ancestor_ends"], synset)
        return (
            np.asarray(self._arrays["ancestor_list"][start:end]),
            np.asarray(self._arrays["distances"][start:end]),
        )

    def first_sense(self, word: str, part: PartOfSpeech) -> int | None:
        """The most common synset of a word in a part of speech."""
        return next((one for one in self.senses(word) if self.part(one) is part), None)

    def most_common(self, left: str, right: str) -> tuple[int, int] | None:
        """The most common synsets of two words in the first part of speech that both have."""
        for part in PARTS:
            ours, theirs = self.first_sense(left, part), self.first_sense(right, part)
            if ours is not None and theirs is not None:
                return ours, theirs
        return None

    def merged(self, phrase: tuple[str, ...]) -> tuple[str, ...]:
        """A phrase whose words are taken together where WordNet has them as one, longest first."""
        words: list[str] = []
        at = 0
        while at < len(phrase):
            for size in range(min(_LONGEST_WORD, len(phrase) - at), 0, -1):
                word = " ".join(phrase[at : at + size])
                if size == 1 or self._found(word) is not None:
                    words.append(word)
                    at += size
                    break
        return tuple(words)

    def shared_content(self, left: Synsets, right: Synsets) -> Values:
        """For each pair, the information content of the most specific kind that both are of."""
        shared = np.zeros((len(left), len(right)))
        for columns in _blocks(len(right)):
            kinds = _Kinds(self, right[columns], lambda every, _: self.content[every], 0.0)
            for row, synset in enumerate(left):
                shared[row, columns] = kinds.rows(synset)[0].max(axis=0, initial=0.0)
        return shared

    def steps(self, left: Synsets, right: Synsets) -> Values:
        """For each pair, the fewest steps from one to the other over a kind; or else infinity."""
        steps = np.full((len(left), len(right)), np.inf)
        for columns in _blocks(len(right)):
            kinds = _Kinds(self, right[columns], lambda _, distances: distances, np.inf)
            for row, synset in enumerate(left):
                away, far = kinds.rows(synset)
                steps[row, columns] = (away + far[:, None]).min(axis=0, initial=np.inf)
        return steps

    def path(self, left: int, right: int) -> WordNetPath | None:
        """The shortest path between two synsets; of equally short ones, over the rarest kind."""
        kinds, far = self.ancestors(left)
        others, away = self.ancestors(right)
        shared, ours, theirs = np.intersect1d(kinds, others, True, True)
        if not len(shared):
            return None
        order = np.lexsort((-self.content[shared], far[ours].astype(int) + away[theirs]))
        top = int(shared[order[0]])
        up, down = self._way_up(left, top), self._way_up(right, top)
        return WordNetPath(
            tuple(self.name(synset) for synset in up),
            self.name(top),
            tuple(self.name(synset) for synset in reversed(down)),
        )

    def count_lines(self, words: NDArray[np.int64], times: Values) -> Iterator[str]:
        """The lines of a file of counts, from how often some words were met."""
        own = np.ones(self.manifest.synsets)
        for word, met in zip(words.tolist(), times.tolist(), strict=True):
            senses = self._list("sense", word)
            parts = self._arrays["synset_parts"][senses]
            for part in np.unique(parts):
                alike = senses[parts == part]
                own[alike] += met / len(alike)
        ends = self._arrays["ancestor_ends"]
        counts = np.bincount(
            self._arrays["ancestor_list"], np.repeat(own, np.diff(ends, prepend=0)), len(ends)
        )
        yield "wnver::3.0"
        for synset in range(self.manifest.synsets):
            part = self.part(synset)
            if part in (PartOfSpeech.NOUN, PartOfSpeech.VERB):
                root = "" if len(self.hypernyms(synset)) else " ROOT"
                yield f"{self.offset(synset)}{part} {counts[synset]:.6f}{root}"

    def _way_up(self, synset: int, top: int) -> list[int]:
        """The synsets from one to a kind of it, on a shortest way; the kind itself left out."""
        way = []
        while synset != top:
            way.append(synset)
            synset = min(self.hypernyms(synset).tolist(), key=lambda kind: self._far(kind, top))
        return way

    def _far(self, synset: int, kind: int) -> float:
        kinds, distances = self.ancestors(synset)
        [at] = np.nonzero(kinds == kind)
        return float(distances[at[0]]) if len(at) else np.inf

    def _list(self, what: str, number: int) -> Integers:
        start, end = span(self._arrays[f"{what}_ends"], number)
        return np.asarray(self._arrays[f"{what}_list"][start:end])

    @cached_property
    def _hyponyms(self) -> tuple[Integers, Integers]:
        """The hypernyms in ascending order, and beside each what it is the hypernym of."""
        kinds, ends = self._arrays["hypernym_list"], self._arrays["hypernym_ends"]
        lower = np.repeat(np.arange(len(ends), dtype=np.int32), np.diff(ends, prepend=0))
        order = np.argsort(kinds, kind="stable")
        return kinds[order], lower[order]

    def _counts_in(self, path: Path) -> tuple[Values, dict[str, float]]:
        parts, offsets = self._arrays["synset_parts"], self._arrays["synset_offsets"]
        numbers = {
            SynsetId(PARTS[part], int(offset)): number
            for number, (part, offset) in enumerate(zip(parts, offsets, strict=True))
        }
        return read_counts(path, numbers)


class _Kinds:
    """What some synsets are kinds of, as a table: a row for each kind, a column for each synset."""

    def __init__(
        self,
        wordnet: WordNet,
        synsets: Synsets,
        values: Callable[[Integers, NDArray[np.uint8]], NDArray[Any]],
        missing: float,
    ) -> None:
        self._wordnet = wordnet
        every = [wordnet.ancestors(synset) for synset in synsets]
        kinds = [kind for kind, _ in every] or [np.empty(0, np.int32)]
        self._kinds, places = np.unique(np.concatenate(kinds), return_inverse=True)
        self._table = np.full((len(self._kinds), len(synsets)), missing)
        columns = np.repeat(np.arange(len(synsets)), [len(kind) for kind, _ in every])
        if len(columns):
            self._table[places, columns] = np.concatenate([values(*one) for one in every])

    def rows(self, synset: int) -> tuple[Values, NDArray[np.uint8]]:
        """The rows of the kinds that another synset is of, and its distances to them."""
        kinds, distances = self._wordnet.ancestors(synset)
        at = np.searchsorted(self._kinds, kinds)
        is_there = at < len(self._kinds)
        is_there[is_there] = self._kinds[at[is_there]] == kinds[is_there]
        return self._table[at[is_there]], distances[is_there]


def _bases(word: str, endings: Iterable[tuple[str, str]]) -> Iterator[str]:
    """What a word may be an inflected form of, by its ending."""
    for ending, stem in endings:
        if word.endswith(ending) and len(word) > len(ending) + 1:
            yield word.removesuffix(ending) + stem


def _blocks(size: int) -> Iterator[slice]:
    """A range in pieces, so that tables over them stay small."""
    return (slice(start, start + _COLUMNS_AT_ONCE) for start in range(0, size, _COLUMNS_AT_ONCE))


def wordnet_folder() -> Path:
    """Where the compiled WordNet is, once it has been made."""
    return cache_folder() / f"wordnet-{WORDNETS.version}"


def read_counts(path: Path, numbers: dict[SynsetId, int]) -> tuple[Values, dict[str, float]]:
    """The counts of numbered synsets in a file, and those of the roots by part of speech."""
    counts = np.zeros(len(numbers))
    totals: dict[str, float] = {}
    for entry in synset_counts(path):
        if entry.synset not in numbers:
            raise WordNetError(
                f"{path}: {entry.synset.offset}{entry.synset.part} is not in this WordNet: "
                "the counts belong to another version"
            )
        counts[numbers[entry.synset]] = entry.count
        if entry.is_root:
            part = str(entry.synset.part)
            totals[part] = totals.get(part, 0.0) + entry.count
    if not all(totals.get(part, 0.0) > 0 for part in (PartOfSpeech.NOUN, PartOfSpeech.VERB)):
        raise WordNetError(f"{path}: expected counts of nouns and verbs, with lines marked ROOT")
    return counts, totals


def _information_content(
    counts: Values, parts: NDArray[np.uint8], totals: dict[str, float]
) -> Values:
    """-ln p of each synset; infinite where nothing was counted."""
    total = np.array([totals.get(part, 0.0) for part in PARTS])[parts]
    content: Values = np.full(len(counts), np.inf)
    is_counted = (counts > 0) & (total > 0)
    content[is_counted] = np.log(total[is_counted] / counts[is_counted])
    return content
