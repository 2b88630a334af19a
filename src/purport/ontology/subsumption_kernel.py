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

    Groups are numbered from above, so half of all pairs are decided by their numbers, and most
    others by the bit that the wider one would have to have left among the marks of the narrower
    one. False as soon as an index is out of range.
    """
    starts, items = lineages
    bits, marks = marked
    count = np.uint64(len(group_of))
    for at in range(len(answers)):
        first, second = np.uint64(pairs[0][at]), np.uint64(pairs[1][at])
        if first >= count or second >= count:
            return False
        wider, narrower = np.uint64(group_of[first]), np.uint64(group_of[second])
        is_marked = (marks[narrower] >> np.uint64(bits[wider])) & np.uint64(1)
        if is_marked & np.uint64(wider <= narrower):
            low, high = starts[narrower], starts[narrower + np.uint64(1)]
            while high - low > 1:
                middle = (low + high) >> 1
                if items[middle] <= group_of[first]:
                    low = middle
                else:
                    high = middle
            answers[at] = items[low] == group_of[first]
        else:
            answers[at] = False
    return True
