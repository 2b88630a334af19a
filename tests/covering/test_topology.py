"""The tree that all brokers find alike, whatever they hear first."""

from hypothesis import given
from hypothesis import strategies as st

from purport.covering.topology import LinkState, Topology
from tests.strategies.overlays import Shape, meshes, trees


def said(shape: Shape, number: int = 1) -> list[LinkState]:
    """What the brokers of a mesh say of their links."""
    return [
        LinkState(str(one), number, tuple(map(str, shape.neighbours(one))))
        for one in range(shape.count)
    ]


def knowing(name: str, states: list[LinkState]) -> Topology:
    topology = Topology(name)
    for one in states:
        if one.broker == name:
            topology.set_near(one.near)
        else:
            topology.take(one)
    return topology


@given(st.one_of(trees(), meshes()), st.data())
def test_all_find_the_same_tree_that_leads_to_all(shape: Shape, data: st.DataObject) -> None:
    states = said(shape)
    topologies = [
        knowing(str(one), data.draw(st.permutations(states))) for one in range(shape.count)
    ]

    [tree] = {one.tree() for one in topologies}
    assert len(tree) == shape.count - 1
    assert tree <= {(str(a), str(b)) for a, b in shape.links}
    for one in topologies:
        assert set(one.reached) == {state.broker for state in states}
        assert one.used == {a if b == one.name else b for a, b in tree if one.name in (a, b)}


@given(meshes(), st.data())
def test_a_link_that_breaks_changes_one_other_at_the_most(
    shape: Shape, data: st.DataObject
) -> None:
    broken = data.draw(st.sampled_from(sorted(shape.links)))
    topology = knowing("0", said(shape))
    before = topology.tree()
    after = knowing("0", said(Shape(shape.count, shape.links - {broken}))).tree()

    assert len(before - after) <= 1 and len(after - before) <= 1
    if (str(broken[0]), str(broken[1])) not in before:
        assert after == before


def test_a_link_counts_when_both_ends_speak_of_it() -> None:
    topology = Topology("a")
    topology.set_near(["b"])
    assert not topology.used and not topology.reaches("b")

    assert topology.take(LinkState("b", 1, ("a",)))
    assert topology.used == {"b"} and topology.reaches("b")

    assert topology.take(LinkState("b", 2, ()))
    assert not topology.take(LinkState("b", 1, ("a",)))
    assert not topology.used and not topology.reaches("b")


def test_what_was_said_before_a_restart_is_contradicted() -> None:
    again = Topology("a")
    again.set_near(["c"])

    assert again.take(LinkState("a", 7, ("b", "c")))
    assert again.own == LinkState("a", 8, ("c",)) and again.contradictions == 1
    assert not again.take(LinkState("a", 7, ("b", "c"))) and not again.take(again.own)


def test_what_is_said_again_is_no_news() -> None:
    topology = Topology("a")
    assert topology.set_near(["b", "c"]) and topology.set_near(["c", "b"]) is None
    assert topology.take(LinkState("b", 1, ("a",)))
    assert not topology.take(LinkState("b", 1, ("a",)))


def test_whoever_is_linked_to_a_lost_broker_is_beyond_it_if_another_way_leads_there() -> None:
    topology = Topology("a")
    topology.set_near(["b", "d"])
    for state in (("b", "a", "c"), ("c", "b", "d"), ("d", "a", "c", "f"), ("f", "d")):
        topology.take(LinkState(state[0], 1, state[1:]))
    assert not topology.beyond("x")

    topology.set_near(["d"])
    topology.take(LinkState("c", 2, ("d",)))
    assert topology.beyond("b") == {"c"}

    topology.take(LinkState("d", 2, ("a", "f")))
    assert topology.beyond("b") == {"d"}  # beyond c, to which no way leads any more either


@given(trees(), st.data())
def test_in_a_tree_nobody_is_beyond_a_neighbour_that_is_lost(
    shape: Shape, data: st.DataObject
) -> None:
    lost = data.draw(st.sampled_from(shape.neighbours(0)))
    topology = knowing("0", said(shape))
    topology.set_near([str(one) for one in shape.neighbours(0) if one != lost])

    assert not topology.beyond(str(lost))
