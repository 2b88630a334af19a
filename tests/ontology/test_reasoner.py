"""What a reasoner says against worlds in which the axioms hold."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import assume, given, reject, settings
from hypothesis import strategies as st

from purport.model.class_expression import (
    And,
    Bound,
    Cardinality,
    ClassExpression,
    Facet,
    HasValue,
    Named,
    Not,
    Or,
    Restricted,
    Some,
)
from purport.model.comparison import Operator
from purport.model.rdf import XSD
from purport.model.units import Quantity
from purport.ontology import reasoner as reasoning
from purport.ontology.axioms import (
    NOTHING,
    THING,
    Axiom,
    Axioms,
    Characteristic,
    ClassAssertion,
    DisjointClasses,
    Domain,
    EquivalentClasses,
    InverseProperties,
    PropertyAssertion,
    PropertyChain,
    PropertyIs,
    Range,
    SubClass,
    SubProperty,
)
from purport.ontology.el_profile import is_beyond_el
from purport.ontology.errors import OntologyError
from purport.ontology.property_order import PropertyOrder
from purport.ontology.reasoner import Reasoner
from purport.ontology.saturation.model import Model
from purport.ontology.saturation.rules import BOTTOM
from tests.oracles.interpretation import Interpretation
from tests.strategies.ontologies import (
    CLASSES,
    INDIVIDUALS,
    INTEGER,
    PROPERTIES,
    axioms,
    el_expressions,
    el_ontologies,
    expressions,
    interpretations,
    ontologies,
    ontology,
)


def named(letter: str) -> Named:
    return Named(f"urn:{letter}")


def integers(*facets: tuple[Operator, int]) -> Restricted:
    limits = tuple(Facet(operator, Quantity(number)) for operator, number in facets)
    return Restricted(INTEGER, limits)


@given(interpretations(), st.lists(axioms, max_size=6), expressions, expressions)
@settings(max_examples=400, deadline=None)
def test_what_is_said_holds_in_every_world(
    world: Interpretation, said: list[Axiom], wider: ClassExpression, narrower: ClassExpression
) -> None:
    reasoner = Reasoner(ontology(*filter(world.satisfies, said)))
    if reasoner.subsumes(wider, narrower):
        assert world.members(narrower) <= world.members(wider)


def world_of(model: Model) -> Interpretation:
    """A saturated model as a world: its elements, but for those that cannot be."""
    rules = model.rules
    live = [one for one in range(len(model.concepts)) if BOTTOM not in model.concepts[one]]
    place = {element: number for number, element in enumerate(live)}
    roles = {number: role for role, number in rules.roles.items()}
    pairs: dict[str, set[tuple[int, int]]] = {name: set() for name in PROPERTIES}
    for element in live:
        for role, others in model.forward[element].items():
            for wider in rules.role_above[role]:
                match roles[wider]:
                    case (name, False) if name in pairs:
                        pairs[name] |= {
                            (place[element], place[other]) for other in others if other in place
                        }
    return Interpretation(
        range(len(live)),
        {
            name: frozenset(place[one] for one in live if rules.names[name] in model.concepts[one])
            for name in CLASSES
        },
        {name: frozenset(found) for name, found in pairs.items()},
        {name: place[model.element(rules.individuals[name])] for name in INDIVIDUALS},
    )


@given(el_ontologies, el_expressions, el_expressions)
@settings(max_examples=400, deadline=None)
def test_in_el_what_is_not_said_fails_in_some_world(
    axioms: Axioms, wider: ClassExpression, narrower: ClassExpression
) -> None:
    """The model that answers is a world of the axioms, and shows what does not follow."""
    assume("HasValue" not in repr((wider, narrower)))  # one element may have to be two
    assume(not is_beyond_el(axioms))
    try:
        reasoner = Reasoner(axioms)
    except OntologyError:
        reject()
    model, element = reasoner._element_of(narrower)
    world = world_of(model)
    assert all(map(world.satisfies, axioms.axioms))
    if not reasoner.subsumes(wider, narrower):
        place = sum(BOTTOM not in model.concepts[one] for one in range(element))
        assert place in world.members(narrower)
        assert place not in world.members(wider)


@given(ontologies)
@settings(max_examples=100, deadline=None)
def test_a_reasoner_survives_pickling(axioms: Axioms) -> None:
    try:
        reasoner = Reasoner(axioms)
    except OntologyError:
        return
    again = pickle.loads(pickle.dumps(reasoner))
    assert again.classes == reasoner.classes


AIRCRAFT = ontology(
    EquivalentClasses((named("A"), And((named("B"), Some(named("r"), THING))))),
    SubClass(named("C"), named("B")),
)


def test_an_aircraft_is_a_vehicle_that_has_wings() -> None:
    reasoner = Reasoner(AIRCRAFT)
    assert reasoner.subsumes(named("A"), And((named("C"), Some(named("r"), named("D")))))
    assert not reasoner.subsumes(named("A"), named("C"))


def test_cycles_collapse() -> None:
    axioms = [SubClass(named(one), named(other)) for one, other in ("AB", "BC", "CA", "DA")]
    order = Reasoner(ontology(*axioms)).classes
    assert order.equivalents("urn:A") == {"urn:A", "urn:B", "urn:C"}
    assert order.subsumes("urn:B", "urn:D")
    assert not order.subsumes("urn:D", "urn:B")


def test_what_is_disjoint_has_nothing_in_common() -> None:
    axioms = (
        DisjointClasses((named("A"), named("B"))),
        SubClass(named("C"), named("A")),
        SubClass(named("C"), named("B")),
        SubClass(named("D"), Some(named("r"), named("C"))),
    )
    reasoner = Reasoner(ontology(*axioms))
    assert reasoner.classes.unsatisfiable == {"urn:C", "urn:D"}
    assert reasoner.subsumes(NOTHING, And((named("A"), named("B"))))


def test_what_needs_what_cannot_be_cannot_be() -> None:
    axioms = (
        SubClass(named("A"), Some(named("r"), named("B"))),
        SubClass(named("B"), Some(named("r"), named("C"))),
        SubClass(named("C"), Some(named("r"), named("D"))),
        SubClass(named("D"), named("C")),
        DisjointClasses((named("C"), named("D"))),
    )
    assert Reasoner(ontology(*axioms)).classes.unsatisfiable == set(CLASSES)


def test_what_only_the_tableau_finds_is_in_the_order_of_classes() -> None:
    axioms = (
        SubClass(named("A"), Or((named("B"), named("C")))),
        SubClass(named("B"), named("D")),
        SubClass(named("C"), named("D")),
    )
    reasoner = Reasoner(ontology(*axioms))
    assert reasoner.classes.parents("urn:A") == {"urn:D"}
    assert reasoner.types_shown("urn:i") == frozenset()
    assert pickle.loads(pickle.dumps(reasoner)).classes == reasoner.classes


def test_what_is_remembered_of_questions_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reasoning, "MOST_CONCEPTS", 50)
    asked = Reasoner(ontology(SubClass(named("A"), Or((named("B"), named("C"))))))
    for count in range(1, 60):
        assert not asked.subsumes(Cardinality(named("r"), Bound.MIN, count), named("A"))
    assert asked.tableau.growth < 60


def test_domains_and_ranges() -> None:
    axioms = (
        SubProperty(named("s"), named("r")),
        Domain(named("r"), named("A")),
        Range(named("r"), named("B")),
        SubClass(named("C"), Some(named("s"), named("D"))),
    )
    reasoner = Reasoner(ontology(*axioms))
    assert reasoner.subsumes(named("A"), named("C"))
    assert reasoner.subsumes(Some(named("r"), And((named("B"), named("D")))), named("C"))
    assert not reasoner.subsumes(named("B"), named("D"))


def test_numeric_facets() -> None:
    minor = EquivalentClasses(
        (named("A"), And((named("B"), Some(named("p"), integers((Operator.LESS, 18))))))
    )
    reasoner = Reasoner(ontology(minor))
    child = And((named("B"), Some(named("p"), integers((Operator.AT_MOST, 17)))))
    adult = And((named("B"), Some(named("p"), integers((Operator.AT_LEAST, 18)))))
    assert reasoner.subsumes(named("A"), child)
    assert not reasoner.subsumes(named("A"), adult)
    assert reasoner.subsumes(named("A"), And((named("B"), HasValue(named("p"), Quantity(3)))))
    nothing = Some(named("p"), integers((Operator.GREATER, 3), (Operator.LESS, 4)))
    assert reasoner.subsumes(NOTHING, nothing)


def test_a_value_is_within_the_range_of_its_property() -> None:
    axioms = ontology(Range(named("p"), INTEGER))
    above = Restricted(Named(XSD + "decimal"), (Facet(Operator.GREATER, Quantity(3)),))
    assert not is_beyond_el(axioms)
    reasoner = Reasoner(axioms)
    from_four = Some(named("p"), integers((Operator.AT_LEAST, 4)))
    assert reasoner.subsumes(from_four, Some(named("p"), above))
    assert reasoner.subsumes(NOTHING, Some(named("p"), Named(XSD + "string")))


def test_transitive_values_of_individuals() -> None:
    axioms = (
        PropertyIs(named("r"), Characteristic.TRANSITIVE),
        PropertyAssertion("urn:i", "urn:r", named("j")),
        EquivalentClasses((named("A"), And((named("B"), HasValue(named("r"), named("j")))))),
    )
    reasoner = Reasoner(ontology(*axioms))
    assert reasoner.subsumes(named("A"), And((named("B"), HasValue(named("r"), named("i")))))


def test_properties_read_backwards() -> None:
    axioms = (
        InverseProperties(named("r"), named("s")),
        SubProperty(named("s"), named("t")),
        PropertyIs(named("t"), Characteristic.SYMMETRIC),
    )
    order = PropertyOrder(ontology(*axioms))
    assert set(order.named_above("urn:r")) == {"urn:r", "urn:t"}


@pytest.mark.parametrize(
    "axioms",
    [
        (ClassAssertion("urn:i", NOTHING),),
        (SubClass(THING, NOTHING),),
        (
            ClassAssertion("urn:i", named("A")),
            ClassAssertion("urn:i", Not(named("A"))),
        ),
    ],
)
def test_a_contradiction_is_told(axioms: tuple[Axiom, ...]) -> None:
    with pytest.raises(OntologyError, match="contradicts itself"):
        Reasoner(ontology(*axioms))


def test_a_range_over_a_chain_goes_beyond_el_and_is_found_all_the_same() -> None:
    axioms = ontology(
        PropertyChain((named("s"), named("s")), named("r")),
        Range(named("r"), named("A")),
        SubClass(named("B"), Some(named("s"), Some(named("s"), named("C")))),
    )
    assert is_beyond_el(axioms)
    assert Reasoner(axioms).subsumes(Some(named("r"), And((named("A"), named("C")))), named("B"))


def test_an_or_is_wider_than_its_parts_and_narrower_than_what_holds_all() -> None:
    reasoner = Reasoner(
        ontology(SubClass(named("A"), named("C")), SubClass(named("B"), named("C")))
    )
    either = Or((named("A"), named("B")))
    assert reasoner.subsumes(either, named("B"))
    assert reasoner.subsumes(named("C"), either)
    assert not reasoner.subsumes(either, named("C"))
