"""Who is above whom, for many pairs at once, in machine code."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from purport.compilation import compiled

Groups = NDArray[np.int32]
Places = NDArray[np.int64]
Marks = NDArray[np.uint64]
Answers = NDArray[np.bool_]


@compiled
def mark_lineages(starts: Places, items: Groups, marks: Marks) -> None:
    """One bit of 64 for each ancestor of a group, several of which may share one."""
    for group in range(len(marks)):
        mark = np.uint64(0)
        for place in range(starts[group], starts[group + 1]):
            mark |= np.uint64(1) << np.uint64(items[place] & 63)
        marks[group] = mark


@compiled
def find_subsumed(
    pairs: tuple[Places, Places],
    group_of: Groups,
    starts: Places,
    items: Groups,
    marks: Marks,
    answers: Answers,
) -> None:
    """Say of each pair of names whether the first is above the second, or its equivalent.

    Groups are numbered from above, so most pairs are decided by their numbers, and most others by
    the bit that the wider one would have to have left among the marks of the narrower one.
    """
    for at in range(len(answers)):
        wider, narrower = group_of[pairs[0][at]], group_of[pairs[1][at]]
        if wider >= narrower:
            answers[at] = wider == narrower
        elif marks[narrower] >> np.uint64(wider & 63) & np.uint64(1):
            low, high = starts[narrower], starts[narrower + 1]
            while low < high:
                middle = (low + high) >> 1
                if items[middle] < wider:
                    low = middle + 1
                else:
                    high = middle
            answers[at] = items[low] == wider
        else:
            answers[at] = False
