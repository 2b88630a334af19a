"""WordNet's own files made into the arrays that `wordnet.py` opens."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from purport.relatedness.array_store import Texts, word_hash
from purport.relatedness.wordnet import PARTS, WORDNETS, WordNet, WordNetManifest, read_counts
from purport.relatedness.wordnet_files import (
    ANTONYM,
    DERIVATION,
    HYPERNYMS,
    Synset,
    SynsetId,
    WordNetError,
    index_entries,
    synsets,
)


def compile_wordnet(folder: Path, counts: Path, output: Path, licence: str) -> WordNet:
    """Compile WordNet's own files, and a file of counts, into a store."""
    every = list(synsets(folder))
    numbers = {synset.id: number for number, synset in enumerate(every)}
    senses: dict[str, list[int]] = {}
    for entry in index_entries(folder):
        try:
            senses.setdefault(entry.word, []).extend(numbers[one] for one in entry.synsets)
        except KeyError:
            raise WordNetError(
                f"{folder}: {entry.word!r} means a synset that is not there"
            ) from None
    words = sorted(senses, key=word_hash)
    hypernyms = [_targets(synset, numbers) for synset in every]
    ancestors = _closures(hypernyms)
    values, totals = read_counts(counts, numbers)
    with WORDNETS.new(output) as building:

        def write(name: str, items: Iterable[Any]) -> None:
            np.array(list(items), WORDNETS.arrays[name]).tofile(building / f"{name}.bin")

        def write_texts(name: str, texts: Sequence[str]) -> None:
            packed = Texts.of(texts)
            packed.ends.tofile(building / f"{name}_ends.bin")
            packed.text.tofile(building / f"{name}_text.bin")

        def write_lists(name: str, lists: Sequence[Sequence[int]]) -> None:
            write(f"{name}_ends", np.cumsum([len(one) for one in lists]))
            write(f"{name}_list", (number for one in lists for number in one))

        write("word_hashes", map(word_hash, words))
        write_texts("word", words)
        write_lists("sense", [senses[word] for word in words])
        write_lists("antonym", _linked(ANTONYM, every, words, numbers))
        write_lists("derivation", _linked(DERIVATION, every, words, numbers))
        write("is_name", (_is_name(word, every[senses[word][0]]) for word in words))
        write("synset_parts", (PARTS.index(synset.id.part) for synset in every))
        write("synset_offsets", (synset.id.offset for synset in every))
        write_texts("name", [", ".join(synset.words) for synset in every])
        write_texts("gloss", [synset.gloss for synset in every])
        write_lists("hypernym", hypernyms)
        write_lists("ancestor", [list(closure) for closure in ancestors])
        write("distances", (far for closure in ancestors for far in closure.values()))
        write("counts", values)
        checksums = WORDNETS.checksums(building)
        manifest = WordNetManifest(
            WORDNETS.version, checksums, len(words), len(every), licence, totals
        )
        WORDNETS.write_manifest(building, manifest)
    return WordNet.open(output)


def _targets(synset: Synset, numbers: dict[SynsetId, int]) -> list[int]:
    return [
        _number(pointer.target, synset, numbers)
        for pointer in synset.pointers
        if pointer.symbol in HYPERNYMS
    ]


def _closures(hypernyms: Sequence[Sequence[int]]) -> list[dict[int, int]]:
    """For each synset all that it is a kind of, ascending, with the fewest steps to it."""
    closures = []
    for synset in range(len(hypernyms)):
        far, front, steps = {synset: 0}, [synset], 0
        while front:
            steps += 1
            front = [kind for one in front for kind in hypernyms[one] if kind not in far]
            far |= dict.fromkeys(front, steps)
        closures.append(dict(sorted(far.items())))
    return closures


def _is_name(word: str, most_common: Synset) -> bool:
    """Whether WordNet writes a word like a name, e.g. `Spain`; `USA` could be any short form."""
    written = next((one for one in most_common.words if one.lower() == word), word)
    return written[0].isupper() and (len(written) < 2 or not written.isupper())


def _linked(
    symbol: str, every: Sequence[Synset], words: Sequence[str], numbers: dict[SynsetId, int]
) -> list[list[int]]:
    """For each word the words that a relation leads to."""
    places = {word: place for place, word in enumerate(words)}
    found: list[set[int]] = [set() for _ in words]
    for synset in every:
        for pointer in synset.pointers:
            if pointer.symbol == symbol and pointer.source_word and pointer.target_word:
                target = every[_number(pointer.target, synset, numbers)]
                try:
                    word = places[synset.words[pointer.source_word - 1].lower()]
                    other = places[target.words[pointer.target_word - 1].lower()]
                except (IndexError, KeyError):
                    raise WordNetError(
                        f"{synset.id.offset}{synset.id.part} speaks of a word that is not there"
                    ) from None
                found[word].add(other)
    return [sorted(others) for others in found]


def _number(target: SynsetId, source: Synset, numbers: dict[SynsetId, int]) -> int:
    if target not in numbers:
        raise WordNetError(
            f"{source.id.offset}{source.id.part} points to {target.offset}{target.part}: not there"
        )
    return numbers[target]
