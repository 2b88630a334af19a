"""Words one step away in WordNet: synonyms, and the words of kinds above and below."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from enum import StrEnum

from purport.relatedness.wordnet import WordNet


class Neighbour(StrEnum):
    """How a word stands to another, one step away."""

    SYNONYM = "synonyms"
    HYPERNYM = "hypernyms"
    HYPONYM = "hyponyms"


def neighbours(wordnet: WordNet, word: str, kinds: Collection[Neighbour]) -> tuple[str, ...]:
    """The words that stand so to a word in any of its senses, itself left out.

    Those of a more common sense come first; in one sense synonyms come before hypernyms, and
    hypernyms before hyponyms.
    """
    found = {
        lemma: None
        for sense in wordnet.senses(word)
        for kind in Neighbour
        if kind in kinds
        for synset in _synsets(wordnet, sense, kind)
        for lemma in wordnet.lemmas(synset)
    }
    return tuple(lemma for lemma in found if lemma != word)


def _synsets(wordnet: WordNet, sense: int, kind: Neighbour) -> Iterator[int]:
    match kind:
        case Neighbour.SYNONYM:
            yield sense
        case Neighbour.HYPERNYM:
            yield from wordnet.hypernyms(sense).tolist()
        case Neighbour.HYPONYM:
            yield from wordnet.hyponyms(sense).tolist()
