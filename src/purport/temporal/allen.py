"""Allen's thirteen relations between two intervals."""

from __future__ import annotations

from purport.model.subscription import AllenRelation


def allen_relation(first: tuple[int, int], second: tuple[int, int]) -> AllenRelation:
    """How one interval stands to another: exactly one relation holds, of instants too.

    >>> allen_relation((1, 3), (2, 5)).value, allen_relation((2, 2), (2, 5)).value
    ('overlaps', 'starts')
    """
    (start, end), (other_start, other_end) = first, second
    if end < other_start:
        return AllenRelation.BEFORE
    if other_end < start:
        return AllenRelation.AFTER
    if start == other_start:
        if end == other_end:
            return AllenRelation.EQUALS
        return AllenRelation.STARTS if end < other_end else AllenRelation.STARTED_BY
    if end == other_end:
        return AllenRelation.FINISHES if start > other_start else AllenRelation.FINISHED_BY
    if end == other_start:
        return AllenRelation.MEETS
    if other_end == start:
        return AllenRelation.MET_BY
    if start > other_start:
        return AllenRelation.DURING if end < other_end else AllenRelation.OVERLAPPED_BY
    return AllenRelation.CONTAINS if end > other_end else AllenRelation.OVERLAPS
