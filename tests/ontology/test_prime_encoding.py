"""Divisibility is the order of names, and changes touch only what they must."""

from collections.abc import Mapping
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from purport.ontology.codes.prime_assignment import Objective
from purport.ontology.codes.prime_encoding import Encoding, random_assignment
from purport.ontology.codes.primes import is_prime
from purport.ontology.errors import OntologyError, UnknownName
from purport.ontology.hierarchy import Hierarchy

NAMES = st.sampled_from("ABCDEFGHIJ")
TOLD = st.dictionaries(NAMES, st.lists(NAMES, max_size=4), min_size=1, max_size=10)
FIGURE_3 = {"B": ["A"], "C": ["B"], "E": ["A", "D"]}


def _is_agreed(encoding: Encoding, order: Hierarchy) -> bool:
    return all(
        encoding.subsumes(one, other)
        == order.subsumes(one, other)
        == _divides(encoding.gene(one), encoding.code(other))
        for one, other in product(order.names, repeat=2)
    )


def _divides(gene: int, code: int) -> bool:
    return code % gene == 0 if gene else code == 0


def _is_ordered(encoding: Encoding, order: Hierarchy) -> bool:
    return all(
        encoding.gene(one) < encoding.gene(name) or name in order.unsatisfiable
        for name in order.names
        for one in order.ancestors(name)
    )


@given(TOLD, st.sets(NAMES, max_size=1), st.sampled_from(Objective))
def test_divisibility_is_the_order_of_names(
    above: Mapping[str, list[str]], empty: set[str], objective: Objective
) -> None:
    order = Hierarchy.of(above, empty)

    encoding = Encoding.of(order, objective)

    assert _is_agreed(encoding, order)
    assert _is_ordered(encoding, order)
    assert encoding.hierarchy() == order
    assert all(is_prime(gene) for gene in encoding.genes.values() if gene)


@given(TOLD, st.integers(0, 9))
def test_just_any_primes_tell_the_same_at_no_fewer_bits(
    above: Mapping[str, list[str]], seed: int
) -> None:
    order = Hierarchy.of(above)

    shuffled = random_assignment(order, seed)

    assert _is_agreed(shuffled, order)
    assert shuffled.hierarchy() == order
    fewest = Encoding.of(order).figures
    assert fewest.total_bits <= shuffled.figures.total_bits + fewest.count  # each is rounded up


@given(TOLD, st.data())
def test_a_new_leaf_changes_no_code(above: Mapping[str, list[str]], data: st.DataObject) -> None:
    order = Hierarchy.of(above)
    encoding = Encoding.of(order)
    parents = data.draw(st.lists(st.sampled_from(order.names), max_size=3))

    grown = encoding.add_leaf("leaf", parents)

    assert grown.codes == {**encoding.codes, "leaf": grown.code("leaf")}
    assert grown.hierarchy() == Hierarchy.of({**above, "leaf": parents})
    assert _is_ordered(grown, grown.hierarchy())


@given(TOLD, st.data())
def test_a_new_superclass_changes_the_codes_below_it(
    above: Mapping[str, list[str]], data: st.DataObject
) -> None:
    order = Hierarchy.of(above)
    encoding = Encoding.of(order)
    if data.draw(st.booleans()):  # leaves a gap among the primes
        encoding = encoding.add_leaf("gap").add_leaf("late").part([*order.names, "late"])
    some = st.lists(st.sampled_from(tuple(encoding)), max_size=3)
    children, parents = data.draw(some.filter(bool)), data.draw(some)
    expected = {
        name: {*above.get(name, ()), *(["new"] if name in children else [])} for name in encoding
    }
    wanted = Hierarchy.of({**expected, "new": parents})

    if len(wanted.groups) <= len(encoding.hierarchy().groups):
        with pytest.raises(OntologyError, match="would be its own ancestor"):
            encoding.add_superclass("new", children, parents)
        return
    changed = encoding.add_superclass("new", children, parents)

    assert changed.hierarchy() == wanted
    assert _is_ordered(changed, wanted)
    assert _is_agreed(changed, wanted)
    recoded = {name for name in encoding if changed.code(name) != encoding.code(name)}
    assert recoded == wanted.descendants("new")


def test_a_spare_prime_between_parent_and_child_is_taken() -> None:
    encoding = Encoding({"A": 2, "B": 7}, {"A": 2, "B": 14})

    changed = encoding.add_superclass("new", ["B"], ["A"])

    assert changed.genes == {"A": 2, "new": 3, "B": 7}
    assert changed.codes == {"A": 2, "new": 6, "B": 42}


def test_without_a_spare_prime_those_below_get_new_genes() -> None:
    encoding = Encoding.of(Hierarchy.of(FIGURE_3))

    changed = encoding.add_superclass("new", ["A"])

    assert changed.gene("A") > changed.gene("new") == 13
    assert changed.code("D") == encoding.code("D")


def test_a_hierarchy_as_in_the_paper() -> None:
    encoding = Encoding.of(Hierarchy.of(FIGURE_3))

    assert encoding.code("A") == encoding.gene("A") == 2
    assert encoding.code("C") == encoding.gene("A") * encoding.gene("B") * encoding.gene("C")
    assert encoding.code("E") == encoding.gene("A") * encoding.gene("D") * encoding.gene("E")
    assert encoding.figures.total_bits <= sum(map(int.bit_length, (2, 6, 30, 7, 154)))


def test_equivalent_names_share_gene_and_code() -> None:
    encoding = Encoding.of(Hierarchy.of({"Car": ["Automobile"], "Automobile": ["Car"]}))

    assert encoding.genes == {"Automobile": 2, "Car": 2}
    assert encoding.figures.count == 1


def test_the_longest_code_can_be_kept_short() -> None:
    wide = {f"w{number}": ["top"] for number in range(400)}
    deep = {f"d{number:02}": [f"d{number - 1:02}"] for number in range(1, 30)}
    order = Hierarchy.of(
        {**wide, **deep, **{f"x{one}{two}": [one] for one in wide for two in "ab"}}
    )

    shortest = Encoding.of(order, Objective.LONGEST).figures
    fewest = Encoding.of(order, Objective.TOTAL).figures

    assert shortest.longest_bits < 0.9 * fewest.longest_bits
    assert shortest.total_bits > fewest.total_bits


def test_codes_of_leaves_fill_their_bits() -> None:
    order = Hierarchy.of({f"{number}": [f"{number % 40}"] for number in range(40, 1_000)})
    encoding = Encoding.of(order)
    genes = sorted(encoding.gene(name) for name in order.names if not order.children(name))
    leaves = sorted(name for name in order.names if not order.children(name))

    plain = sum(
        (encoding.code(name) // encoding.gene(name) * gene).bit_length()
        for name, gene in zip(leaves, genes, strict=True)
    )

    assert sum(encoding.code(name).bit_length() for name in leaves) < plain - 0.3 * len(leaves)


def test_part_of_an_encoding_still_tells_the_order() -> None:
    encoding = Encoding.of(Hierarchy.of({"B": ["A"], "C": ["B"], "D": ["C"]}))

    part = encoding.part(["D", "B"])

    assert part.subsumes("B", "D")
    assert not part.subsumes("D", "B")
    assert part.hierarchy().parents("D") == {"B"}


def test_a_new_name_in_a_part_takes_no_gene_of_what_is_left_out() -> None:
    part = Encoding({"A": 2, "D": 7}, {"A": 2, "D": 2 * 3 * 7})
    shuffled = Encoding({"A": 3, "D": 2}, {"A": 3, "D": 2 * 3 * 5}, is_ordered=False)

    assert part.add_superclass("new", ["D"], ["A"]).gene("new") == 5
    assert shuffled.add_leaf("new").gene("new") == 7


def test_most_pairs_need_no_division() -> None:
    order = Hierarchy.of({f"{number}": [f"{number // 3}"] for number in range(1, 500)})
    encoding = Encoding.of(order)

    needed = sum(encoding.needs_division(*pair) for pair in product(order.names, repeat=2))

    assert needed < 0.1 * len(order) ** 2


def test_names_that_cannot_be_added() -> None:
    encoding = Encoding.of(Hierarchy.of({"B": ["A"]}))

    with pytest.raises(OntologyError, match="C would be its own ancestor"):
        encoding.add_leaf("C", ["C"])
    with pytest.raises(OntologyError, match="B has a gene already"):
        encoding.add_leaf("B", ["A"])
    with pytest.raises(OntologyError, match="A would be its own ancestor: C is below B"):
        encoding.add_superclass("C", ["A"], ["B"])
    with pytest.raises(OntologyError, match="above no other"):
        encoding.add_superclass("C", [])
    with pytest.raises(UnknownName, match="X"):
        encoding.add_leaf("C", ["X"])
    with pytest.raises(UnknownName, match="X"):
        encoding.gene("X")
