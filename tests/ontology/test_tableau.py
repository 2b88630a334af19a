"""What the tableau must rule out, one example for each kind of expression and axiom."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from purport.model.class_expression import And, ClassExpression, Inverse, Named, Not
from purport.model.language.parse import parse_class
from purport.model.units import Quantity
from purport.ontology.axioms import (
    NOTHING,
    THING,
    Axiom,
    Axioms,
    Characteristic,
    ClassAssertion,
    DifferentIndividuals,
    DisjointClasses,
    DisjointProperties,
    Domain,
    EquivalentClasses,
    InverseProperties,
    PropertyAssertion,
    PropertyChain,
    PropertyDenial,
    PropertyIs,
    Range,
    SameIndividuals,
    SubClass,
    SubProperty,
)
from purport.ontology.el_profile import is_beyond_el
from purport.ontology.owl.reading import read_ontology
from purport.ontology.tableaux.tableau import Tableau

ONTOLOGIES = Path(__file__).parents[1] / "ontologies"
XSD = {"xsd": "http://www.w3.org/2001/XMLSchema#"}
R, S, T, P = (Named(name) for name in "rstp")


def written(text: str) -> ClassExpression:
    return parse_class(text, prefixes=XSD)


def ontology(*said: Axiom) -> Axioms:
    names = frozenset("ABCDE"), frozenset("rst"), frozenset("p"), frozenset("xyz")
    return Axioms(said, *names, prefixes={"ex": "http://example.org/"})


def below(narrower: str, wider: str) -> SubClass:
    return SubClass(written(narrower), written(wider))


def alike(*texts: str) -> EquivalentClasses:
    return EquivalentClasses(tuple(map(written, texts)))


def apart(*texts: str) -> DisjointClasses:
    return DisjointClasses(tuple(map(written, texts)))


def is_(property_: Named, characteristic: str) -> PropertyIs:
    return PropertyIs(property_, Characteristic(characteristic))


FUNCTIONAL = is_(R, "functional")
INVERSE_FUNCTIONAL = is_(R, "inverse functional")
DIFFERENT = DifferentIndividuals(("x", "y", "z"))
CONTRADICTIONS: list[tuple[str, list[Axiom]]] = [
    # and, or, not
    ("A and not A", []),
    ("(A or B) and not A and not B", []),
    ("A and B", [apart("A", "B")]),
    ("A and B", [below("A", "not B")]),
    ("A", [below("A", "B"), below("B", "C"), below("A", "not C")]),
    ("A", [below("A", "B or C"), below("B", "D"), below("C", "D"), below("A", "not D")]),
    ("not A and not B", [alike("A", "not B")]),
    ("D", [below("D", "A and not (B or C)"), alike("A", "B or C")]),
    # some, only
    ("r some A and r only not A", []),
    ("r some (A and s some B) and r only (s only not B)", []),
    ("r some A and s only not A", [SubProperty(R, S)]),
    ("A and r some B", [below("r some B", "C"), apart("A", "C")]),
    ("A", [below("A", "r some B"), below("B", "inverse r only not A")]),
    ("A and not B", [alike("B", "r only C"), below("A", "r only (C and D)")]),
    ("A", [alike("A", "r some A and r only not A")]),
    ("E", [alike("E", "A and r some (B or C)"), apart("E", "A"), below("A", "r some B")]),
    # properties read backwards
    ("A and r some (s only not A)", [InverseProperties(R, S)]),
    ("A and r some (r only not A)", [is_(R, "symmetric")]),
    ("A and r some (inverse s only not A)", [SubProperty(R, S)]),
    # paths
    ("r some (r some A) and r only not A", [is_(R, "transitive")]),
    ("r some (s some A) and s only not A", [is_(S, "transitive"), SubProperty(R, S)]),
    ("r some (s some A) and t only not A", [PropertyChain((R, S), T)]),
    ("t some (s some (s some A)) and t only not A", [PropertyChain((T, S), T)]),
    ("s some (s some (t some A)) and t only not A", [PropertyChain((S, T), T)]),
    ("A and r some (s some B)", [PropertyChain((R, S), T), Domain(T, written("not A"))]),
    ("r some (s some B)", [PropertyChain((R, S), T), Range(T, written("not B"))]),
    ("r some (s some B) and A", [PropertyChain((R, S), T), below("t some B", "not A")]),
    ("B and inverse s some (inverse r some (t only not B))", [PropertyChain((R, S), T)]),
    # domains, ranges
    ("A and r some B", [Domain(R, written("C")), apart("A", "C")]),
    ("r some B", [Range(R, written("C")), apart("B", "C")]),
    ("r some B", [Range(S, written("C")), apart("B", "C"), SubProperty(R, S)]),
    # counts
    ("r min 3 and r max 2", []),
    ("r min 2 A and r max 1", []),
    ("r some A and r some B and r max 1", [apart("A", "B")]),
    ("r some A and r some B", [apart("A", "B"), FUNCTIONAL]),
    ("r some A and s some not A", [FUNCTIONAL, SubProperty(S, R)]),
    ("r exactly 2 A and r max 1 A", []),
    ("r some (A and B) and r some (A and not B) and r max 1 A", []),
    ("r min 2 A and r min 2 not A and r max 3", []),
    (
        "r some A and r some B and r some C and r max 2",
        [apart("A", "B"), apart("A", "C"), apart("B", "C")],
    ),
    ("A and r some (inverse r some not A)", [INVERSE_FUNCTIONAL]),
    ("A and inverse r some (r some not A)", [FUNCTIONAL]),
    ("A and r some (inverse r some not A and inverse r max 1)", []),
    ("r min 5 and r max 4", []),
    ("r exactly 0 and r some A", []),
    # a node that looks like its parent, but whose own parent looks different
    ("not C and inverse r some D and inverse s only (inverse r some D)", [
        FUNCTIONAL, SubProperty(R, S), is_(S, "transitive"), alike("D", "C and r some not C"),
    ]),
    # itself
    ("r Self and A and r only not A", []),
    ("r Self and not (r Self)", []),
    ("r Self", [is_(R, "irreflexive")]),
    ("r only A and not A", [is_(R, "reflexive")]),
    ("r Self", [is_(R, "asymmetric")]),
    # properties that exclude each other
    ("r value x and s value x", [DisjointProperties((R, S))]),
    ("r some A and s max 0", [SubProperty(R, S)]),
    ("r some A and t max 1 and s some B", [
        SubProperty(R, T), SubProperty(S, T), DisjointProperties((R, S)),
    ]),
    ("{x} and r some ({y} and r value x)", [is_(R, "asymmetric")]),
    # individuals
    ("{x} and {y}", [DIFFERENT]),
    ("{x} and A", [ClassAssertion("x", written("not A"))]),
    ("{x} and not {y}", [SameIndividuals(("x", "y"))]),
    ("{x, y} and A", [
        ClassAssertion("x", written("not A")), ClassAssertion("y", written("B")), apart("A", "B"),
    ]),
    ("{x} and r only A", [
        PropertyAssertion("x", "r", Named("y")), ClassAssertion("y", written("not A")),
    ]),
    ("{x} and r value y", [PropertyDenial("x", "r", Named("y"))]),
    ("r value x and r value y and r max 1", [DIFFERENT]),
    ("r some {x} and r only {y}", [DIFFERENT]),
    ("r min 3 {x, y}", []),
    ("r value x and s value x", [
        ClassAssertion("x", written("inverse r only A and inverse s only not A")),
    ]),
    ("A", [below("A", "r value x"), ClassAssertion("x", written("inverse r only not A"))]),
    # data
    ("p some xsd:integer[> 5] and p only xsd:integer[< 6]", []),
    ("p some xsd:integer[> 5] and p some xsd:integer[< 5] and p max 1", []),
    ("p value 5 and p value 6", [is_(P, "functional")]),
    ("p some xsd:string", [Range(P, written("xsd:integer"))]),
    ("p min 3 xsd:integer[> 0, <= 2]", []),
    ("p min 3 xsd:boolean", []),
    ("p min 3 and p only xsd:boolean", []),
    ("p some xsd:integer and A", [Domain(P, written("B")), apart("A", "B")]),
    ("p some xsd:integer[>= 6] and not (p some xsd:integer[> 5])", []),
    ("{x} and p only xsd:integer[< 5]", [PropertyAssertion("x", "p", Quantity(7))]),
    ("A and not B", [below("A", "p value 7"), alike("B", "p some xsd:integer[>= 6]")]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "said"), CONTRADICTIONS)
def test_what_contradicts_itself_is_ruled_out(text: str, said: list[Axiom]) -> None:
    tableau = Tableau(ontology(*said))

    assert not tableau.is_satisfiable(written(text))
    assert tableau.clash


@pytest.mark.parametrize(("text", "said"), [one for one in CONTRADICTIONS if one[1]])
def test_without_its_axioms_an_example_is_possible(text: str, said: list[Axiom]) -> None:
    """So that each example shows what its axioms do, and not something else."""
    assert Tableau(ontology()).is_satisfiable(written(text))


@pytest.mark.parametrize(
    "said",
    [
        [below("A", "r some A")],
        [below("A", "r some B"), below("B", "inverse r some A and s some A")],
        [below("A", "r min 2 A"), is_(R, "transitive")],
        [SubClass(THING, written("r some A")), is_(R, "symmetric")],
        [below("A", "r some A and inverse r max 1 A"), INVERSE_FUNCTIONAL],
        [alike("A", "r some (B and s some A)"), alike("B", "inverse r some A")],
        [below("A", "r some A and r some not A")],
        [below("A", "r some A"), PropertyChain((R, S), R), PropertyChain((S, R), S)],
    ],
)
def test_what_goes_round_in_circles_comes_to_an_end(said: list[Axiom]) -> None:
    tableau = Tableau(ontology(*said))

    assert tableau.is_satisfiable(written("A and r some A"))
    assert not tableau.has_given_up


def test_what_the_bounds_cut_short_is_not_ruled_out() -> None:
    patient = Tableau(ontology())
    hasty = Tableau(ontology(), most_nodes=3)
    text = "r some A and r some B and r some (C and s min 3 A and s max 2)"

    assert not patient.is_satisfiable(written("r min 6 A and r max 5 and r some A"))
    assert not patient.is_satisfiable(written(text)) and not patient.has_given_up
    assert hasty.is_satisfiable(written("r min 4 A")) and hasty.has_given_up


def test_a_subclass_is_shown_by_ruling_out_a_member_outside() -> None:
    tableau = Tableau(ontology(alike("A", "r only B"), below("C", "r max 0")))

    assert tableau.subsumes(Named("A"), Named("C"))
    assert not tableau.subsumes(Named("C"), Named("A"))
    assert tableau.subsumes(THING, Named("A")) and tableau.subsumes(Named("A"), NOTHING)


@pytest.mark.parametrize(
    ("said", "clash"),
    [
        (
            [
                apart("A", "B"),
                ClassAssertion("http://example.org/x", written("A")),
                ClassAssertion("http://example.org/x", written("B")),
            ],
            "ex:x is in A and in B, which are disjoint",
        ),
        (
            [SameIndividuals(("x", "y")), DifferentIndividuals(("x", "y"))],
            "x is y and is not",
        ),
        (
            [
                FUNCTIONAL,
                DIFFERENT,
                PropertyAssertion("x", "r", Named("y")),
                PropertyAssertion("x", "r", Named("z")),
            ],
            "z is y and is not",
        ),
        (
            [ClassAssertion("x", written("r min 3 and r max 1"))],
            "x has r min 3 and r max 1",
        ),
        ([PropertyAssertion("x", "r", Named("x")), is_(R, "irreflexive")], "irreflexive"),
        (
            [PropertyAssertion("x", "p", Quantity(7)), Range(P, written("xsd:integer[< 5]"))],
            "the p of x is xsd:integer[< 5] and {7}, which no value is",
        ),
        (
            [
                PropertyAssertion("x", "r", Named("y")),
                PropertyAssertion("x", "s", Named("y")),
                DisjointProperties((R, S)),
            ],
            "x has one value of s and r, which are disjoint",
        ),
    ],
)
def test_an_ontology_that_contradicts_itself_tells_of_what(said: list[Axiom], clash: str) -> None:
    tableau = Tableau(ontology(*said))

    assert not tableau.is_consistent()
    assert clash in tableau.clash


def test_long_rows_of_individuals_are_followed_to_their_end() -> None:
    names = [f"i{number}" for number in range(3_000)]
    row = [PropertyAssertion(one, "r", Named(other)) for one, other in pairwise(names)]
    told = [ClassAssertion(names[0], written("r only A")), ClassAssertion(names[-1], written("B"))]

    tableau = Tableau(ontology(*row, *told, is_(R, "transitive")))

    assert tableau.is_consistent() and not tableau.has_given_up
    assert not Tableau(ontology(*row, *told, is_(R, "transitive"), apart("A", "B"))).is_consistent()


def test_classes_beyond_the_known_order_are_found() -> None:
    tableau = Tableau(
        ontology(
            alike("A", "B or C"),
            below("D", "A and not B"),
            alike("E", "r only B"),
            below("B", "r max 0"),
        )
    )

    above = tableau.classify_beyond({name: frozenset({name}) for name in "ABCDE"})

    assert above == {
        "A": {"A"},
        "B": {"A", "B", "E"},
        "C": {"A", "C"},
        "D": {"A", "C", "D"},
        "E": {"E"},
    }


def test_a_class_without_members_is_below_nothing() -> None:
    tableau = Tableau(ontology(below("A", "r some B and r only not B")))

    above = tableau.classify_beyond({"A": frozenset(), "B": frozenset()})

    assert above == {"A": {NOTHING.name}, "B": frozenset()}


def test_what_el_can_say_is_not_beyond_it() -> None:
    within = ontology(below("A", "r some B"), Domain(R, written("C")), is_(R, "transitive"))

    assert not is_beyond_el(within)


@pytest.mark.parametrize(
    "axiom",
    [
        below("A", "B or C"),
        below("A", "not B"),
        below("A", "r only B"),
        below("A", "r max 1"),
        below("A", "{x, y}"),
        below("A", "inverse r some B"),
        InverseProperties(R, S),
        FUNCTIONAL,
        Domain(Inverse(R), Named("A")),
    ],
)
def test_what_el_cannot_say_is_noticed(axiom: Axiom) -> None:
    assert is_beyond_el(ontology(axiom))


def test_pizza_is_classified_with_its_two_impossible_classes() -> None:
    axioms = read_ontology([ONTOLOGIES / "pizza.owl"])
    start = next(name for name in axioms.classes if name.endswith("#Pizza")).removesuffix("Pizza")
    tableau = Tableau(axioms)

    above = tableau.classify_beyond({name: frozenset() for name in axioms.classes})

    impossible = {name.removeprefix(start) for name in above if NOTHING.name in above[name]}
    assert impossible == {"CheeseyVegetableTopping", "IceCream"}
    margherita = {name.removeprefix(start) for name in above[start + "Margherita"]}
    assert {"CheeseyPizza", "VegetarianPizza", "VegetarianPizzaEquivalent1"} <= margherita
    assert not {"MeatyPizza", "SpicyPizza", "InterestingPizza"} & margherita
    assert start + "InterestingPizza" in above[start + "American"]
    assert tableau.is_consistent() and not tableau.has_given_up


def test_wine_is_consistent_and_found_below_what_its_values_imply() -> None:
    files = [ONTOLOGIES / "wine.rdf", ONTOLOGIES / "food.rdf"]
    axioms = read_ontology(files, ignores_missing_imports=True)
    start = next(name for name in axioms.classes if name.endswith("#Merlot"))[: -len("Merlot")]
    tableau = Tableau(axioms)
    ours = And((Named(start + "Merlot"), Not(Named(start + "DryRedWine"))))

    assert not tableau.is_satisfiable(ours)
    assert tableau.is_satisfiable(Named(start + "Merlot"))
    assert tableau.is_consistent() and not tableau.has_given_up
