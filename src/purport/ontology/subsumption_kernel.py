"""Who is above whom, for many pairs at once, in machine code."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from purport.compilation import compiled

Groups = NDArray[np.int32]
Places = NDArray[np.int64]
Marks = NDArray[np.uint64]
Bits = NDArray[np.uint8]
Answers = NDArray[np.bool_]


@compiled
def mark_lineages(starts: Places, items: Groups, bits: Bits, marks: Marks) -> None:
    """Of each group the bits of its ancestors, of 64 that they share."""
    for group in range(len(marks)):
        mark = np.uint64(0)
        for place in range(starts[group], starts[group + 1]):
            mark |= np.uint64(1) << np.uint64(bits[items[place]])
        marks[group] = mark


@compiled
def find_subsumed(
    pairs: tuple[Places, Places],
    group_of: Groups,
    lineages: tuple[Places, Groups],
    marked: tuple[Bits, Marks],
    answers: Answers,
) -> bool:
    """Say of each pair of names whether the first is above the second, or its equivalent.

    False if an index is out of range.
    """
    if not _find_possible(pairs, group_of, marked, answers):
        return False
    for at in range(len(answers)):
        if answers[at]:
            wider, narrower = group_of[pairs[0][at]], group_of[pairs[1][at]]
            answers[at] = wider == narrower or _is_listed(wider, narrower, lineages)
    return True


@compiled
def _find_possible(
    pairs: tuple[Places, Places], group_of: Groups, marked: tuple[Bits, Marks], answers: Answers
) -> bool:
    """Rule most pairs out, without a branch that the processor could guess wrong.

    Groups are numbered from above, which decides half of all pairs; most others are decided by the
    bit that the wider one would have to have left among the marks of the narrower one.
    """
    bits, marks = marked
    count = np.uint64(len(group_of))
    for at in range(len(answers)):
        first, second = np.uint64(pairs[0][at]), np.uint64(pairs[1][at])
        if first >= count or second >= count:
            return False
        wider, narrower = np.uint64(group_of[first]), np.uint64(group_of[second])
        is_marked = (marks[narrower] >> np.uint64(bits[wider])) & np.uint64(1)
        answers[at] = (is_marked & np.uint64(wider <= narrower)) != 0
    return True


@compiled
def _is_listed(wider: int, narrower: int, lineages: tuple[Places, Groups]) -> bool:
    """Whether a group is in the lineage of another."""
    starts, items = lineages
    low, high = starts[narrower], starts[narrower + 1]
    while high - low > 1:
        middle = (low + high) >> 1
        if items[middle] <= wider:
            low = middle
        else:
            high = middle
    return bool(items[low] == wider)
