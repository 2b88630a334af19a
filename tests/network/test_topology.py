"""Fields: who is where, and who is linked to whom."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from purport.errors import InvalidInput, UnusablePath
from purport.network.errors import ScenarioError
from purport.network.field_file import read_field
from purport.network.scenario import Field, Wiring
from purport.network.topology import components, placed
from tests.oracles.plain_wiring import plain_wiring

SEEDS = st.integers(0, 10_000)


def all_up(nodes: int) -> np.ndarray:
    return np.ones(nodes, np.bool_)


def linked(chosen: dict[int, list[int | None]]) -> list[tuple[int, int]]:
    return sorted(
        {(one, node) for node, picks in chosen.items() for one in picks if one is not None}
    )


@given(
    st.integers(2, 25),
    st.lists(st.sampled_from([0.0, 1.0, 5.0, 40.0]), min_size=1, max_size=3, unique=True),
    st.lists(st.integers(0, 24), max_size=8),
    SEEDS,
)
def test_nodes_are_wired_as_in_the_paper_and_choose_again_whom_they_have_lost(
    nodes: int, weights: list[float], dying: list[int], seed: int
) -> None:
    field = Field(nodes=nodes, side_m=50.0, weights=tuple(weights))
    positions, topology = placed(field, math.inf, np.random.default_rng(seed))
    places = [(x, y) for x, y in (positions / 50.0).tolist()]
    chosen = plain_wiring(places, weights, {}, range(nodes))

    nobody, up = np.zeros(nodes, np.bool_), all_up(nodes)

    assert positions[0].tolist() == [25.0, 25.0]
    assert topology.links(positions, up, nobody).tolist() == list(map(list, linked(chosen)))
    for node in dying:
        if node < nodes and up.sum() > 1:
            up[node] = False
            present = np.flatnonzero(up).tolist()
            kept = {one: [x if x in present else None for x in chosen[one]] for one in present}
            chosen = plain_wiring(places, weights, kept, present)
            pairs = topology.links(positions, up, nobody)
            assert pairs.tolist() == list(map(list, linked(chosen)))
            assert len({int(components(nodes, pairs)[one]) for one in present}) == 1


@given(st.integers(2, 60))
def test_a_grid_links_neighbours_in_rows_and_columns(nodes: int) -> None:
    field = Field(Wiring.GRID, nodes=nodes, side_m=100.0)

    positions, topology = placed(field, math.inf, np.random.default_rng(1))
    pairs = topology.links(positions, all_up(nodes), all_up(nodes))

    across = math.ceil(math.sqrt(nodes))
    expected = [
        [one, other]
        for one in range(nodes)
        for other in range(one + 1, nodes)
        if (other - one == 1 and other % across) or other - one == across
    ]
    assert sorted(pairs.tolist()) == sorted(expected)


@given(st.integers(2, 40), st.floats(30.0, 150.0), SEEDS)
def test_a_geometric_field_links_all_that_are_near(nodes: int, link_m: float, seed: int) -> None:
    field = Field(Wiring.GEOMETRIC, nodes=nodes, side_m=60.0, link_m=link_m)

    try:
        positions, topology = placed(field, math.inf, np.random.default_rng(seed))
    except ScenarioError:
        return  # not all are connected
    pairs = {tuple(one) for one in topology.links(positions, all_up(nodes), all_up(nodes)).tolist()}

    assert pairs == {
        (one, other)
        for one in range(nodes)
        for other in range(one + 1, nodes)
        if math.dist(positions[one], positions[other]) <= link_m
    }


def test_a_field_that_is_not_connected_is_refused_with_what_may_help() -> None:
    field = Field(Wiring.GEOMETRIC, nodes=100, side_m=1000.0, link_m=50.0)

    with pytest.raises(
        ScenarioError, match=r"field: .*connected.* 100 leave \d+ apart.*link_m = 50"
    ):
        placed(field, math.inf, np.random.default_rng(1))
    with pytest.raises(ScenarioError, match=r"radio\.range_m than 3"):
        placed(Field(nodes=100, side_m=1000.0), 3.0, np.random.default_rng(1))


FILE = """# three rooms
node hall 0 0
node kitchen 3.5 0   # warm
node attic 0 -4

link kitchen hall
link hall attic
"""


def test_a_field_comes_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "house.field"
    path.write_text(FILE)

    positions, topology = placed(Field(Wiring.FILE, file=path), math.inf, np.random.default_rng(1))

    assert positions.tolist() == [[0, 0], [3.5, 0], [0, -4]]
    up = all_up(3)
    assert topology.links(positions, up, up).tolist() == [[0, 1], [0, 2]]
    up[1] = False
    assert topology.links(positions, up, up).tolist() == [[0, 2]]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("node attic 1", "line 8: expected `node NAME X Y`"),
        ("node attic 1 2", "line 8: there is a node 'attic' already"),
        ("node cellar 1 deep", "line 8: expected metres, got 'deep'"),
        ("node cellar 1 nan", "line 8: expected metres, got 'nan'"),
        ("node cellar 1e300 0", "line 8: expected metres, at most 1e6, got '1e300'"),
        ("node cellar 0 -inf", "line 8: expected metres, at most 1e6, got '-inf'"),
        ("link attic cellar", "line 8: no node 'cellar'"),
        ("link attic attic", "line 8: expected two nodes"),
        ("door attic hall", "line 8: expected"),
    ],
)
def test_a_line_that_is_wrong_is_told_with_its_number(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "house.field"
    path.write_text(FILE + line + "\n")

    with pytest.raises(InvalidInput) as raised:
        read_field(path)

    assert said in str(raised.value) and str(path) in str(raised.value)


def test_a_file_whose_nodes_are_not_all_linked_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "house.field"
    path.write_text(FILE + "node shed 9 9\n")

    with pytest.raises(ScenarioError, match=r"leave 1 apart \(add links to .*house\.field\)"):
        placed(Field(Wiring.FILE, file=path), math.inf, np.random.default_rng(1))


def test_a_file_with_too_little_or_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "house.field"
    path.write_text("node hall 0 0\n")

    with pytest.raises(InvalidInput, match="expected 2 nodes or more, got 1"):
        read_field(path)
    with pytest.raises(UnusablePath):
        read_field(tmp_path / "none")
