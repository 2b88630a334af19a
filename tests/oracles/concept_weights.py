"""The weights of explicit semantic analysis, straight from the formula."""

from collections import Counter
from collections.abc import Sequence
from math import log, sqrt

from purport.relatedness.stems import stems_of_text


def unit_vectors(
    documents: Sequence[tuple[str, str]], concepts_per_word: int
) -> dict[str, dict[int, float]]:
    """For each word its vector over the documents (title, text), pruned and of length 1."""
    counts = [Counter(stems_of_text(f"{title} {text}")) for title, text in documents]
    counts = [found if len(found) >= 2 else Counter() for found in counts]
    frequency = Counter(word for found in counts for word in found)
    vectors: dict[str, dict[int, float]] = {}
    for concept, found in enumerate(counts):
        raw = {
            word: (1 + log(count)) * log(len(documents) / frequency[word])
            for word, count in found.items()
        }
        length = sqrt(sum(weight**2 for weight in raw.values()))
        for word, weight in raw.items():
            if weight > 0:
                vectors.setdefault(word, {})[concept] = weight / sqrt(length)
    return {word: _unit(_strongest(vector, concepts_per_word)) for word, vector in vectors.items()}


def _strongest(vector: dict[int, float], most: int) -> dict[int, float]:
    ranked = sorted(vector.items(), key=lambda pair: (-pair[1], pair[0]))
    return dict(sorted(ranked[:most]))


def _unit(vector: dict[int, float]) -> dict[int, float]:
    length = sqrt(sum(weight**2 for weight in vector.values()))
    return {concept: weight / length for concept, weight in vector.items()}
