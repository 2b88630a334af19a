"""Boxes are below their parents and apart from each other, and lines run between boxes."""

from collections.abc import Mapping
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from purport.ontology.layered_layout import layered

GAP = 0.2


@st.composite
def graphs(draw: st.DrawFn) -> dict[int, list[int]]:
    count = draw(st.integers(1, 14))
    return {
        box: sorted(draw(st.sets(st.integers(0, box - 1), max_size=3))) if box else []
        for box in range(count)
    }


@given(graphs(), st.data())
def test_boxes_and_lines_have_room(parents: Mapping[int, list[int]], data: st.DataObject) -> None:
    sizes = {box: data.draw(st.floats(0.3, 4.0)) for box in parents}

    layout = layered(sizes, parents, GAP)

    for box, above in parents.items():
        assert all(layout.layer[one] < layout.layer[box] for one in above)
    assert sorted(line[:: len(line) - 1] for line in layout.lines) == sorted(
        (parent, box) for box, above in parents.items() for parent in above
    )
    for line in layout.lines:
        assert all(layout.layer[other] == layout.layer[one] + 1 for one, other in pairwise(line))
    for places in layout.layers:
        for one, other in pairwise(places):
            room = (sizes.get(one, 0.0) + sizes.get(other, 0.0)) / 2 + GAP
            assert layout.middle[other] - layout.middle[one] >= room - 1e-6
    assert min(layout.middle[box] - size / 2 for box, size in sizes.items()) >= -1e-6


def test_a_tree_has_no_crossings() -> None:
    parents = {0: [], **{box: [(box - 1) // 3] for box in range(1, 40)}}

    layout = layered(dict.fromkeys(parents, 1.0), parents, GAP)

    for one in layout.lines:
        for other in layout.lines:
            if layout.layer[one[0]] == layout.layer[other[0]]:
                tops = layout.middle[one[0]] - layout.middle[other[0]]
                ends = layout.middle[one[1]] - layout.middle[other[1]]
                assert tops * ends >= 0
