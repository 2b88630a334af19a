"""Phrases compared word by word, in plain loops."""

from collections.abc import Callable, Sequence

Score = Callable[[str, str], float]
Guard = Callable[[str, str], bool]


def counterparts(
    words: Sequence[str], others: Sequence[str], score: Score, is_guarded: Guard
) -> list[float]:
    """How near the best counterpart of each word is; both functions have to be symmetric."""
    found = []
    for word in words:
        best = max(score(word, other) for other in others)
        guarded = any(is_guarded(word, other) for other in others)
        found.append(0.0 if guarded and best < 1 else best)
    return found


def weakest(left: Sequence[str], right: Sequence[str], score: Score, guard: Guard) -> float:
    """The weakest of all words' best counterparts."""
    ours = counterparts(left, right, score, guard)
    return min(ours + counterparts(right, left, score, guard))


def mean_both_ways(left: Sequence[str], right: Sequence[str], score: Score, guard: Guard) -> float:
    """The mean of the means of both phrases' best counterparts."""
    ours = counterparts(left, right, score, guard)
    theirs = counterparts(right, left, score, guard)
    return (sum(ours) / len(ours) + sum(theirs) / len(theirs)) / 2
