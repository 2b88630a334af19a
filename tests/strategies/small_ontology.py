"""A small ontology of drinks, and subscriptions and events about it."""

from functools import cache

from hypothesis import strategies as st

from purport.model import subscription as ast
from purport.model.class_expression import (
    And,
    ClassExpression,
    Facet,
    Named,
    Not,
    Restricted,
    Some,
)
from purport.model.comparison import Operator
from purport.model.language.parse import parse
from purport.model.rdf import XSD
from purport.model.term import Resource, Text
from purport.model.units import Quantity
from purport.ontology.axioms import (
    Axiom,
    Axioms,
    ClassAssertion,
    EquivalentClasses,
    PropertyAssertion,
    Range,
    SameIndividuals,
    SubClass,
    SubProperty,
)
from purport.ontology.ontology import Ontology
from purport.ontology.vocabulary import OWL
from tests.strategies.approximate import approximations, near_predicates, options

DRINKS = "http://example.org/drinks#"


def iri(name: str) -> str:
    return DRINKS + name


def named(name: str) -> Named:
    return Named(iri(name))


def _at_least(age: int) -> Restricted:
    return Restricted(Named(XSD + "integer"), (Facet(Operator.AT_LEAST, Quantity(age)),))


@cache
def drinks() -> Ontology:
    """Wines below drinks, two of which are known, with colours and ages."""
    axioms: list[Axiom] = [
        SubClass(named("Wine"), named("Drink")),
        SubClass(named("RedWine"), named("Wine")),
        SubClass(named("Merlot"), named("RedWine")),
        SubClass(named("WhiteWine"), named("Wine")),
        EquivalentClasses((named("Claret"), named("RedWine"))),
        EquivalentClasses(
            (named("OldWine"), And((named("Wine"), Some(named("hasAge"), _at_least(20)))))
        ),
        SubClass(named("Juice"), And((named("Drink"), Not(named("Wine"))))),
        SubProperty(named("hasMainColour"), named("hasColour")),
        Range(named("hasAge"), Named(XSD + "integer")),
        ClassAssertion(iri("Red"), named("Colour")),
        ClassAssertion(iri("White"), named("Colour")),
        SameIndividuals((iri("Scarlet"), iri("Red"))),
        ClassAssertion(iri("Chateau"), named("RedWine")),
        PropertyAssertion(iri("Chateau"), iri("hasMainColour"), named("Red")),
        PropertyAssertion(iri("Chateau"), iri("hasAge"), Quantity(12)),
        ClassAssertion(iri("Riesling"), named("WhiteWine")),
        PropertyAssertion(iri("Riesling"), iri("hasColour"), named("White")),
        PropertyAssertion(iri("Riesling"), iri("hasNote"), Text("dry")),
    ]
    classes = "Drink Wine RedWine Merlot WhiteWine Claret OldWine Juice Colour Maker"
    return Ontology.of_axioms(
        Axioms(
            tuple(axioms),
            frozenset(map(iri, classes.split())),
            frozenset(map(iri, ("hasColour", "hasMainColour", "hasMaker"))),
            frozenset(map(iri, ("hasAge", "hasNote"))),
            frozenset(map(iri, ("Red", "White", "Scarlet", "Chateau", "Riesling"))),
            prefixes={"drinks": DRINKS, "xsd": XSD, "owl": OWL},
        )
    )


EXPRESSIONS = [
    "Drink", "Wine", "RedWine", "Claret", "drinks:Merlot", "OldWine", "owl:Thing", "Colour",
    "(Wine and (hasColour value Red))", "(RedWine or WhiteWine)", "(not Wine)",
    "(Wine that hasAge only xsd:integer[<= 25])", "(hasAge some xsd:integer[> 10])",
    "(Drink and not RedWine)", "(hasMaker some Maker)", "(hasColour min 2)", "{Chateau, Red}",
    "(Juice or (not Drink))", "(Wine and RedWine)",
    "(hasMaker only Maker)", "(hasMaker min 2)", "(hasMaker some (Wine and (hasAge value 3)))",
    "xsd:integer[<= 25]", "xsd:string",
]  # fmt: skip
ATTRIBUTES = ["drink", "type", "note", "drink.type"]
WORDS = [
    "Chateau", "Riesling", "Merlot", "Claret", "Wine", "Juice", "OldWine", "drinks:RedWine", "Red",
    "Scarlet", "White", "dry", "sweet", iri("WhiteWine"), "12", "beer", "owl:Nothing",
]  # fmt: skip
attributes = st.builds(ast.AskedAttribute, st.sampled_from(ATTRIBUTES).map(Text), approximations)


def _expression(text: str) -> ClassExpression:
    [predicate] = parse(f"{{a isa {text}}}").predicates
    assert isinstance(predicate, ast.IsA)
    return predicate.expression


_READ = [_expression(text) for text in EXPRESSIONS]
expressions = st.sampled_from(_READ)
classes = st.sampled_from(_READ[:-2])  # the last ones are none
asked_words = st.builds(ast.AskedValue, st.sampled_from([*WORDS, "tag"]).map(Text), approximations)
exact_values = st.one_of(
    st.sampled_from(WORDS).map(Text), st.sampled_from([3, 12, 20, 12.0, 30]).map(Quantity)
).map(ast.AskedValue)
_colours = st.sampled_from(["hasColour", "hasMainColour"]).map(Named)
_notes = st.sampled_from(["hasAge", "hasNote"]).map(Named)
_known = [word for word in WORDS if drinks().names.find_individual(word)]
properties = st.one_of(_colours, _notes)
colour_values = st.one_of(
    st.sampled_from([*_known, "chateau"]).map(Text),
    st.sampled_from([iri("Green"), iri("Red")]).map(Resource),
    st.just(Quantity(3)),
).map(ast.AskedValue)
near_words = asked_words.filter(lambda one: one.approximation is not None)
equalities = st.sampled_from([Operator.EQUAL, Operator.NOT_EQUAL])
class_predicates = st.one_of(
    st.builds(ast.IsA, attributes, expressions),
    st.builds(ast.IsA, attributes, expressions),
    st.builds(ast.ClassOrder, attributes, st.sampled_from(ast.ClassRelation), classes),
    st.builds(ast.HasProperty, attributes, _notes, st.sampled_from(Operator), exact_values),
    st.builds(ast.HasProperty, attributes, _colours, st.sampled_from(Operator), colour_values),
    st.builds(ast.HasProperty, attributes, _notes, equalities, asked_words),
    st.builds(ast.HasProperty, attributes, _colours, equalities, near_words),
)
many_words = st.lists(asked_words, min_size=1, max_size=3).map(tuple)
bag_predicates = st.one_of(
    st.builds(ast.ContainsAll, attributes, many_words),
    st.builds(ast.Within, attributes, many_words),
)
subscriptions = st.builds(
    lambda predicates, chosen: ast.Subscription(ast.Conjunction(tuple(predicates)), chosen),
    st.lists(
        st.one_of(class_predicates, class_predicates, bag_predicates, near_predicates),
        min_size=1,
        max_size=3,
    ),
    options,
)
_told = st.one_of(st.sampled_from(WORDS), st.sampled_from([3, 12, 20, 24.5, 2**60]), st.booleans())
_values = st.one_of(_told, st.lists(_told, min_size=1, max_size=3))
_things = st.fixed_dictionaries(
    {},
    optional={
        "type": st.one_of(st.sampled_from(WORDS), st.lists(st.sampled_from(WORDS), max_size=2)),
        "hasAge": _told,
        "hasColour": st.sampled_from(WORDS),
        "hasMainColour": _values,
        "hasNote": _told,
        "hasMaker": st.one_of(
            _told,
            st.just({"type": "Maker"}),
            st.just({"hasAge": 3}),
            st.just([{"type": "Maker", "hasAge": 3}, {"type": "Wine", "hasAge": 12}]),
        ),
        "device": st.just("laptop"),
    },
)
_nested = st.one_of(_values, _things, st.lists(_things, min_size=2, max_size=3))
objects = st.one_of(
    _things,
    st.dictionaries(st.sampled_from(["drink", "note", "value"]), _nested),
    st.builds(lambda one, other: {**one, "drink": other}, _things, _nested),
)
