"""Every construct of OWL 2, as RDF and as functional syntax."""

from pathlib import Path

import pytest

from purport.model import class_expression as owl
from purport.model.comparison import Operator
from purport.model.term import Boolean, Term, Text
from purport.model.units import Quantity
from purport.ontology import axioms as told
from purport.ontology.axioms import Axioms, Characteristic
from purport.ontology.owl.reading import read_ontology
from tests.ontology.syntaxes import rewritten

TURTLE = """@prefix : <http://x.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix swrl: <http://www.w3.org/2003/11/swrl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:d a owl:DatatypeProperty .
"""
FUNCTIONAL = """Prefix(:=<http://x.org/>)
Prefix(xsd:=<http://www.w3.org/2001/XMLSchema#>)
Ontology(<http://x.org/o>
Declaration(Class(:A)) Declaration(Class(:B)) Declaration(Class(:C))
Declaration(ObjectProperty(:p)) Declaration(ObjectProperty(:q)) Declaration(DataProperty(:d))
Declaration(DataProperty(:e)) Declaration(NamedIndividual(:i)) Declaration(NamedIndividual(:j))
"""


def read(text: str, folder: Path) -> Axioms:
    """What an ontology in Turtle or in functional syntax says."""
    file = folder / "some.owl"
    file.write_text(text)
    return read_ontology([file])


def named(name: str) -> owl.Named:
    return owl.Named(f"http://x.org/{name}")


def xsd(name: str) -> owl.Named:
    return owl.Named(f"http://www.w3.org/2001/XMLSchema#{name}")


A, B, C, P, Q, D = map(named, "ABCpqd")


@pytest.mark.parametrize(
    ("turtle", "expected"),
    [
        ("[owl:onProperty :p; owl:someValuesFrom :B]", owl.Some(P, B)),
        ("[owl:onProperty :p; owl:allValuesFrom :B]", owl.Only(P, B)),
        ("[owl:onProperty [owl:inverseOf :p]; owl:someValuesFrom :B]", owl.Some(owl.Inverse(P), B)),
        ("[owl:onProperty :p; owl:hasValue :i]", owl.HasValue(P, named("i"))),
        ("[owl:onProperty :d; owl:hasValue 5]", owl.HasValue(D, Quantity(5))),
        ("[owl:onProperty :d; owl:hasValue true]", owl.HasValue(D, Boolean(True))),
        ("[owl:onProperty :d; owl:hasValue 'x'@en]", owl.HasValue(D, Text("x", "en"))),
        ("[owl:onProperty :p; owl:hasSelf true]", owl.HasSelf(P)),
        ("[owl:onProperty :p; owl:minCardinality 2]", owl.Cardinality(P, owl.Bound.MIN, 2)),
        (
            "[owl:onProperty :p; owl:maxQualifiedCardinality 2; owl:onClass :B]",
            owl.Cardinality(P, owl.Bound.MAX, 2, B),
        ),
        (
            "[owl:onProperty :p; owl:qualifiedCardinality 2; owl:onClass owl:Thing]",
            owl.Cardinality(P, owl.Bound.EXACTLY, 2),
        ),
        (
            "[owl:onProperty :d; owl:qualifiedCardinality 1; owl:onDataRange xsd:string]",
            owl.Cardinality(D, owl.Bound.EXACTLY, 1, xsd("string")),
        ),
        ("[owl:intersectionOf (:B :C)]", owl.And((B, C))),
        ("[owl:unionOf (:B [owl:complementOf :C])]", owl.Or((B, owl.Not(C)))),
        ("[owl:intersectionOf (:B)]", B),
        ("[owl:unionOf ()]", told.NOTHING),
        ("[owl:oneOf (:i :j)]", owl.OneOf((named("i"), named("j")))),
        (
            "[owl:onProperty :d; owl:someValuesFrom [a owl:DataRange; owl:oneOf (1 'x')]]",
            owl.Some(D, owl.OneOf((Quantity(1), Text("x")))),
        ),
        (
            "[owl:onProperty :d; owl:someValuesFrom [owl:onDatatype xsd:integer; "
            "owl:withRestrictions ([xsd:minInclusive 5] [xsd:maxExclusive 9])]]",
            owl.Some(
                D,
                owl.Restricted(
                    xsd("integer"),
                    (
                        owl.Facet(Operator.AT_LEAST, Quantity(5)),
                        owl.Facet(Operator.LESS, Quantity(9)),
                    ),
                ),
            ),
        ),
        (
            "[owl:onProperty :d; owl:someValuesFrom [owl:onDatatype xsd:string; "
            "owl:withRestrictions ([xsd:pattern 'a+'])]]",
            owl.Some(
                D,
                owl.Restricted(xsd("string"), (owl.Facet(owl.TextFacet.PATTERN, Text("a+")),)),
            ),
        ),
        (
            "[owl:onProperty :d; owl:allValuesFrom [owl:datatypeComplementOf xsd:string]]",
            owl.Only(D, owl.Not(xsd("string"))),
        ),
    ],
)
def test_class_expressions_in_rdf(
    turtle: str, expected: owl.ClassExpression, tmp_path: Path
) -> None:
    axioms = read(TURTLE + f":A rdfs:subClassOf {turtle} .", tmp_path)

    assert axioms.axioms == (told.SubClass(A, expected),)
    assert not axioms.ignored


@pytest.mark.parametrize(
    ("turtle", "expected"),
    [
        (":A owl:equivalentClass :B .", [told.EquivalentClasses((A, B))]),
        (":A owl:disjointWith :B .", [told.DisjointClasses((A, B))]),
        (
            "[] a owl:AllDisjointClasses; owl:members (:A :B :C) .",
            [told.DisjointClasses((A, B, C))],
        ),
        (
            ":A owl:disjointUnionOf (:B :C) .",
            [told.EquivalentClasses((A, owl.Or((B, C)))), told.DisjointClasses((B, C))],
        ),
        (":p rdfs:subPropertyOf :q .", [told.SubProperty(P, Q)]),
        (
            ":p owl:equivalentProperty :q .",
            [told.SubProperty(P, Q), told.SubProperty(Q, P)],
        ),
        (":p owl:inverseOf :q .", [told.InverseProperties(P, Q)]),
        (":p owl:propertyDisjointWith :q .", [told.DisjointProperties((P, Q))]),
        (
            "[] a owl:AllDisjointProperties; owl:members (:p :q) .",
            [told.DisjointProperties((P, Q))],
        ),
        (
            ":p owl:propertyChainAxiom (:q [owl:inverseOf :p]) .",
            [told.PropertyChain((Q, owl.Inverse(P)), P)],
        ),
        (":p rdfs:domain :A ; rdfs:range :B .", [told.Domain(P, A), told.Range(P, B)]),
        (":p a owl:TransitiveProperty .", [told.PropertyIs(P, Characteristic.TRANSITIVE)]),
        (":p a owl:FunctionalProperty .", [told.PropertyIs(P, Characteristic.FUNCTIONAL)]),
        (":i a :A .", [told.ClassAssertion("http://x.org/i", A)]),
        (
            ":i a [owl:complementOf :A] .",
            [told.ClassAssertion("http://x.org/i", owl.Not(A))],
        ),
        (":i owl:sameAs :j .", [told.SameIndividuals(("http://x.org/i", "http://x.org/j"))]),
        (
            "[] a owl:AllDifferent; owl:distinctMembers (:i :j) .",
            [told.DifferentIndividuals(("http://x.org/i", "http://x.org/j"))],
        ),
        (
            "[] a owl:NegativePropertyAssertion; owl:sourceIndividual :i; "
            "owl:assertionProperty :p; owl:targetIndividual :j .",
            [told.PropertyDenial("http://x.org/i", "http://x.org/p", named("j"))],
        ),
        (":i :d 5 .", [told.PropertyAssertion("http://x.org/i", "http://x.org/d", Quantity(5))]),
    ],
)
def test_axioms_in_rdf(turtle: str, expected: list[told.Axiom], tmp_path: Path) -> None:
    axioms = read(TURTLE + turtle, tmp_path)

    assert list(axioms.axioms) == expected
    assert not axioms.ignored


@pytest.mark.parametrize("syntax", ["owl", "ttl", "nt", "jsonld"])
def test_a_graph_says_what_the_axioms_say_that_it_was_made_of(syntax: str, tmp_path: Path) -> None:
    text = (
        FUNCTIONAL
        + """
    SubClassOf(:A ObjectIntersectionOf(:B ObjectSomeValuesFrom(ObjectInverseOf(:p) :C)))
    SubClassOf(:A ObjectUnionOf(ObjectComplementOf(:B) ObjectOneOf(:i :j)))
    SubClassOf(ObjectHasValue(:p :i) ObjectHasSelf(:q))
    SubClassOf(:B ObjectMinCardinality(2 :p)) SubClassOf(:B ObjectMaxCardinality(3 :p :C))
    SubClassOf(:B ObjectExactCardinality(1 :q :C)) SubClassOf(:B DataMinCardinality(1 :d))
    SubClassOf(:C DataSomeValuesFrom(:d DatatypeRestriction(xsd:integer
        xsd:minInclusive "5"^^xsd:integer xsd:maxExclusive "9"^^xsd:integer)))
    SubClassOf(:C DataAllValuesFrom(:e DataUnionOf(xsd:string DataOneOf("x" "1"^^xsd:integer))))
    SubClassOf(:C DataHasValue(:e "hello"@en))
    SubClassOf(:C DataMaxCardinality(1 :e xsd:string))
    EquivalentClasses(:A ObjectAllValuesFrom(:p :C)) DisjointClasses(:A :B)
    DisjointUnion(:A :B :C) SubObjectPropertyOf(:p :q) SubDataPropertyOf(:d :e)
    SubObjectPropertyOf(ObjectPropertyChain(:p :q) :q) InverseObjectProperties(:p :q)
    EquivalentDataProperties(:d :e) DisjointObjectProperties(:p :q)
    ObjectPropertyDomain(:p :A) ObjectPropertyRange(:p :B) DataPropertyDomain(:d :A)
    DataPropertyRange(:d xsd:integer) FunctionalDataProperty(:d) FunctionalObjectProperty(:p)
    InverseFunctionalObjectProperty(:p) TransitiveObjectProperty(:q) SymmetricObjectProperty(:q)
    AsymmetricObjectProperty(:p) ReflexiveObjectProperty(:q) IrreflexiveObjectProperty(:p)
    ClassAssertion(ObjectSomeValuesFrom(:p :B) :i) ObjectPropertyAssertion(:p :i :j)
    DataPropertyAssertion(:d :i "5"^^xsd:integer) NegativeObjectPropertyAssertion(:p :j :i)
    NegativeDataPropertyAssertion(:d :j "6"^^xsd:integer) SameIndividual(:i :j)
    DifferentIndividuals(:i :j))"""
    )
    expected = read(text, tmp_path)

    found = read_ontology([rewritten(text, "ofn", tmp_path / "graph.rdf", syntax)])

    assert len(expected.axioms) == 40
    assert set(found.axioms) == set(expected.axioms)
    assert found.data_properties == expected.data_properties == {D.name, named("e").name}
    assert found.used == expected.used


def test_what_is_of_no_use_is_counted_by_kind(tmp_path: Path) -> None:
    axioms = read(
        TURTLE
        + ":A owl:hasKey (:p) ; rdfs:comment 'a comment' ; :note 'a note' ; rdfs:label 'a label' ."
        "[] a swrl:Imp ; swrl:body () ; swrl:head () . :note a owl:AnnotationProperty ;"
        "rdfs:range xsd:string . :A a owl:Class .",
        tmp_path,
    )

    assert axioms.ignored == {
        "annotations": 5,
        "axioms about annotations": 1,
        "keys": 1,
        "rules (SWRL)": 1,
    }
    assert not axioms.axioms


def test_a_property_may_annotate_and_say_something_too(tmp_path: Path) -> None:
    axioms = read(
        TURTLE + ":p a owl:AnnotationProperty , owl:ObjectProperty ; rdfs:domain :A .", tmp_path
    )

    assert axioms.axioms == (told.Domain(P, A),)
    assert not axioms.ignored


def test_names_that_nobody_declares_are_what_they_are_used_as(tmp_path: Path) -> None:
    axioms = read(
        TURTLE + ":A rdfs:subClassOf [owl:onProperty :p; owl:someValuesFrom [owl:oneOf (:i)]],"
        "[owl:onProperty :r; owl:hasValue 5], [owl:onProperty :s; owl:allValuesFrom xsd:string]."
        ":j a :B ; :knows :k ; :height 1.8 . :t rdfs:subPropertyOf :s . :u rdfs:domain :A .",
        tmp_path,
    )

    assert axioms.classes == {A.name, B.name}
    assert axioms.individuals == {f"http://x.org/{name}" for name in "ijk"}
    assert axioms.object_properties == {f"http://x.org/{name}" for name in ("p", "knows", "u")}
    assert axioms.data_properties == {f"http://x.org/{name}" for name in "d r s t height".split()}


def test_the_words_of_rdf_schema_declare_classes_and_properties(tmp_path: Path) -> None:
    axioms = read(
        TURTLE
        + ":A a rdfs:Class . :q a rdf:Property ; rdfs:range rdfs:Literal . :p a rdf:Property .",
        tmp_path,
    )

    assert axioms.classes == {A.name}
    assert axioms.object_properties == {P.name}
    assert axioms.data_properties == {D.name, Q.name}


def test_what_is_said_of_classes_and_of_the_ontology_is_no_assertion(tmp_path: Path) -> None:
    axioms = read(
        TURTLE
        + "<http://x.org/o> a owl:Ontology, :Vocabulary ; :version 5 . :A a owl:Class ; :since 5 .",
        tmp_path,
    )

    assert not axioms.axioms
    assert axioms.ignored == {"annotations": 3}


ADULT = owl.Restricted(xsd("integer"), (owl.Facet(Operator.AT_LEAST, Quantity(18)),))


@pytest.mark.parametrize(
    "text",
    [
        TURTLE + ":Age a rdfs:Datatype ; owl:equivalentClass [a rdfs:Datatype ; "
        "owl:onDatatype xsd:integer ; owl:withRestrictions ([xsd:minInclusive 18])] ."
        ":A rdfs:subClassOf [owl:onProperty :d ; owl:someValuesFrom :Age] .",
        FUNCTIONAL + "Declaration(Datatype(:Age)) DatatypeDefinition(:Age DatatypeRestriction("
        'xsd:integer xsd:minInclusive "18"^^xsd:integer)) '
        "SubClassOf(:A DataSomeValuesFrom(:d :Age)))",
    ],
)
def test_a_defined_datatype_is_spelt_out(text: str, tmp_path: Path) -> None:
    axioms = read(text, tmp_path)

    assert axioms.axioms == (told.SubClass(A, owl.Some(D, ADULT)),)
    assert axioms.used["datatype definitions"] == 1


def test_a_datatype_that_is_defined_by_itself_stays_a_name(tmp_path: Path) -> None:
    axioms = read(
        TURTLE + ":Age a rdfs:Datatype ; owl:equivalentClass [owl:datatypeComplementOf :Age] ."
        ":A rdfs:subClassOf [owl:onProperty :d ; owl:someValuesFrom :Age] .",
        tmp_path,
    )

    assert axioms.axioms == (told.SubClass(A, owl.Some(D, named("Age"))),)
    assert axioms.classes == {A.name}


def test_a_datatype_that_doubles_with_each_step_stays_a_name(tmp_path: Path) -> None:
    doubling = "".join(
        f":D{n} a rdfs:Datatype ; owl:equivalentClass [owl:unionOf (:D{n + 1} :D{n + 1})] ."
        for n in range(60)
    )

    axioms = read(
        TURTLE + doubling + ":D60 a rdfs:Datatype ; owl:equivalentClass xsd:string ."
        ":A rdfs:subClassOf [owl:onProperty :d ; owl:someValuesFrom :D0] ."
        ":B rdfs:subClassOf [owl:onProperty :d ; owl:someValuesFrom :D50] ."
        ":C rdfs:subClassOf [owl:onProperty :d ; owl:someValuesFrom :D59] .",
        tmp_path,
    )

    assert axioms.axioms == (
        told.SubClass(A, owl.Some(D, named("D0"))),
        told.SubClass(B, owl.Some(D, named("D50"))),  # of 1,024 parts
        told.SubClass(C, owl.Some(D, owl.Or((xsd("string"), xsd("string"))))),
    )


@pytest.mark.parametrize(
    ("literal", "expected"),
    [
        ("'5'^^xsd:integer", Quantity(5)),
        ("'many'^^xsd:integer", Text("many")),
        ("'hallo'@de", Text("hallo", "de")),
    ],
)
def test_literals_are_terms(literal: str, expected: Term, tmp_path: Path) -> None:
    axioms = read(TURTLE + f":i a :A ; :d {literal} .", tmp_path)

    assert told.PropertyAssertion("http://x.org/i", D.name, expected) in axioms.axioms
