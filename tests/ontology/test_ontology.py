"""The one door to an ontology, with real ones behind it."""

from __future__ import annotations

import pickle
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from purport.errors import InvalidInput
from purport.model.class_expression import Named, Some
from purport.model.term import Attribute, Resource, Term, Text
from purport.model.units import Quantity, find_unit
from purport.ontology.axioms import THING, Axioms, SubClass
from purport.ontology.codes.encoding_file import encodings_text, parsed_encodings
from purport.ontology.codes.message_matching import message_matches
from purport.ontology.codes.messages import event_message, subscription_message
from purport.ontology.cycles import told_cycles
from purport.ontology.description import Description
from purport.ontology.errors import OntologyError, UnknownName
from purport.ontology.ontology import Ontology
from tests.oracles.graph_closure import GraphClosure

HERE = Path(__file__).parent.parent / "ontologies"
VIN = "http://www.w3.org/2001/sw/WebOnt/guide-src/wine#"
PREFIXES = """
@prefix : <urn:x:> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""


@cache
def loaded(file: str) -> Ontology:
    return Ontology.load(HERE / file, ignores_missing_imports=True)


@pytest.mark.parametrize("file", ["wine.rdf", "pizza.owl", "saref.ttl", "ssn.ttl"])
def test_every_pair_of_a_real_ontology_divides_as_it_is_ordered(file: str) -> None:
    ontology = loaded(file)
    encodings = parsed_encodings(encodings_text(ontology.encodings))
    for order, encoding in (
        (ontology.classes, encodings.classes),
        (ontology.properties, encodings.properties),
    ):
        told = {name: order.parents(name) | order.equivalents(name) for name in order.names}
        oracle = GraphClosure(told, order.unsatisfiable)
        pairs = list(product(order.names, repeat=2))
        expected = [wider in oracle.above(narrower) for wider, narrower in pairs]
        indices = np.array([[order.index(one) for one in pair] for pair in pairs])
        batched = order.subsumes_pairs(*indices.T)
        for (wider, narrower), is_above, found in zip(pairs, expected, batched, strict=True):
            assert order.subsumes(wider, narrower) == is_above == found
            gene, code = encoding.gene(wider), encoding.code(narrower)
            assert encoding.subsumes(wider, narrower) == is_above
            assert (code % gene == 0 if gene else code == 0) == is_above


def test_what_wine_knows() -> None:
    wine = loaded("wine.rdf")
    assert wine.subsumes("wine:DryWine", "wine:Bordeaux") is False
    assert wine.subsumes("wine:Bordeaux", "wine:Medoc")
    assert wine.subsumes("hasWineDescriptor", "vin:hasColor")
    assert wine.subsumes_expression(
        "vin:RedWine", "vin:Wine that vin:hasColor value vin:Red and vin:hasBody value vin:Full"
    )
    margaux = wine.described(Text("ChateauMargauxWinery"))
    assert margaux.name == VIN + "ChateauMargauxWinery"
    assert VIN + "Winery" in wine.types_of(margaux)


def test_an_ontology_survives_pickling() -> None:
    pizza = loaded("pizza.owl")
    again = pickle.loads(pickle.dumps(pizza))
    assert again.classes == pizza.classes
    assert again.encodings == pizza.encodings
    assert again.subsumes_expression("VegetarianPizza", "Margherita")


def made(tmp_path: Path, text: str) -> Ontology:
    path = tmp_path / "x.ttl"
    path.write_text(PREFIXES + text)
    return Ontology.load(path)


def test_facts_may_be_nested(tmp_path: Path) -> None:
    ontology = made(
        tmp_path,
        ":maker a owl:ObjectProperty . :age a owl:DatatypeProperty . :Winery a owl:Class ."
        ":Wine a owl:Class . :Bordeaux a :Region .",
    )
    told: list[tuple[Attribute, Term]] = [
        (Text("maker.type"), Text("Winery")),
        (Text("maker.age"), Quantity(30)),
        (Text("colour"), Text("red")),
        (Text("age"), Text("4")),
        (Text("type"), Text("Wine")),
    ]
    assert ontology.described(Text("whatever"), told) == Description(
        None,
        ("urn:x:Wine",),
        (
            ("urn:x:age", Text("4")),
            ("urn:x:maker", Description(None, ("urn:x:Winery",), (("urn:x:age", Quantity(30)),))),
        ),
    )
    stranger = Resource("urn:other:thing")
    assert ontology.described(stranger) == Description("urn:other:thing")
    assert ontology.described(Text("bordeaux")) == Description("urn:x:Bordeaux")


def test_a_literal_is_a_member_of_a_data_range(tmp_path: Path) -> None:
    ontology = made(tmp_path, ":A a owl:Class .")
    warm = ontology.expression("xsd:integer[> 25]")
    assert ontology.is_member(Quantity(26), warm)
    assert ontology.is_member(Text("26"), warm)
    assert not ontology.is_member(Text("warm"), warm)


def test_genes_of_classes_properties_and_individuals(tmp_path: Path) -> None:
    ontology = made(
        tmp_path, ":A a owl:Class . :B rdfs:subClassOf :A . :p a owl:ObjectProperty . :i a :B ."
    )
    assert (ontology.gene("A"), ontology.gene("B"), ontology.gene("p")) == (2, 3, 2)
    assert ontology.code("i") == 2 * 3 * 5
    with pytest.raises(UnknownName, match="knows no class, individual or property 'Aa'"):
        ontology.gene("Aa")


def test_a_contradiction_says_what_it_is_about(tmp_path: Path) -> None:
    with pytest.raises(OntologyError, match=r"contradicts itself.*tom"):
        made(tmp_path, ":Cat owl:disjointWith :Dog . :tom a :Cat , :Dog .")


def test_rings_of_subclasses_are_told() -> None:
    ring = [("urn:A", "urn:B"), ("urn:B", "urn:C"), ("urn:C", "urn:A"), ("urn:D", "urn:A")]
    axioms = Axioms(
        tuple(SubClass(Named(one), Named(other)) for one, other in ring),
        frozenset({"urn:A", "urn:B", "urn:C", "urn:D"}),
        frozenset({"urn:r"}),
        frozenset(),
        frozenset(),
    )
    ontology = Ontology.of_axioms(axioms)
    assert told_cycles(axioms, ontology.classes) == [("urn:A", "urn:B", "urn:C")]
    assert ontology.subsumes_expression(THING, Some(Named("urn:r"), Named("urn:A")))


def test_a_value_out_of_its_range_is_in_no_facet(tmp_path: Path) -> None:
    ontology = made(
        tmp_path,
        ":A a owl:Class . :d a owl:DatatypeProperty ; rdfs:range xsd:integer ."
        ":Low owl:equivalentClass [ owl:onProperty :d ; owl:someValuesFrom"
        " [ a rdfs:Datatype ; owl:onDatatype xsd:integer ;"
        " owl:withRestrictions ( [ xsd:maxInclusive 25 ] ) ] ] .",
    )
    low = ontology.expression("d some xsd:integer[<= 25]")
    for value, is_low in ((Text("x"), False), (Text("7"), True), (Quantity(30), False)):
        told = ontology.described(Text("A"), [(Text("d"), value)])
        assert ontology.is_member(told, low) == is_low
        assert ("urn:x:Low" in ontology.types_of(told)) == is_low


def test_a_name_is_an_individual_or_a_class_as_it_is_written(tmp_path: Path) -> None:
    ontology = made(tmp_path, ":C a owl:Class . :c a :B . :D a owl:Class . <urn:y:D> a :B .")
    assert ontology.described(Text("c")) == Description("urn:x:c")
    assert ontology.described(Text("C")) == Description(None, ("urn:x:C",))
    assert ontology.described(Text("D")) == Description("urn:y:D")
    assert ontology.described(Text("D"), is_type=True) == Description(None, ("urn:x:D",))


def test_all_is_in_thing_and_nothing_is_in_all(tmp_path: Path) -> None:
    ontology = made(tmp_path, ":A a owl:Class .")
    assert ontology.subsumes("owl:Thing", "A")
    assert ontology.subsumes("A", "owl:Nothing")
    assert not ontology.subsumes("A", "owl:Thing")


def test_what_is_said_of_values_is_said_of_individuals(tmp_path: Path) -> None:
    ontology = made(
        tmp_path,
        ":b a :A . :A rdfs:subClassOf [ owl:onProperty :p ; owl:hasValue :a ] ."
        ":p a owl:ObjectProperty ; rdfs:range :B .",
    )
    assert ontology.types_of(Description("urn:x:a")) == {"urn:x:B"}


def test_a_message_of_a_realised_individual_is_judged_as_it_is(tmp_path: Path) -> None:
    ontology = made(
        tmp_path,
        ":Car a owl:Class . :Vehicle a owl:Class . :hasWings a owl:ObjectProperty ."
        ":Plane owl:equivalentClass [ owl:intersectionOf"
        " ( :Vehicle [ owl:onProperty :hasWings ; owl:someValuesFrom owl:Thing ] ) ] .",
    )
    told = ontology.described(Text("Vehicle"), [(Text("hasWings"), Text("two"))])
    event = event_message(ontology.realised(told), ontology.encodings)
    wanted = subscription_message(ontology.expression("Plane"), ontology.encodings)
    assert message_matches(event, wanted)


def test_names_of_one_individual_answer_alike(tmp_path: Path) -> None:
    ontology = made(tmp_path, ":a owl:sameAs :b . :b a :City .")
    for name in ("a", "b"):
        assert ontology.is_member(Text(name), ontology.expression("City and {a}"))


FAULTS = (
    ":Fault a owl:Class . :minutes a owl:DatatypeProperty ; rdfs:range xsd:integer ."
    ":code a owl:DatatypeProperty . :Long owl:equivalentClass [ owl:intersectionOf ( :Fault"
    " [ owl:onProperty :minutes ; owl:someValuesFrom [ a rdfs:Datatype ; owl:onDatatype xsd:integer"
    " ; owl:withRestrictions ( [ xsd:minInclusive 60 ] ) ] ] ) ] ."
)


@pytest.mark.parametrize(
    "value", [Quantity(90), Text("90"), Text("90 min"), Quantity(90, find_unit("min")), Text("x")]
)
@pytest.mark.parametrize("property", ["minutes", "code"])
def test_a_message_is_judged_as_what_it_tells_of(
    property: str, value: Term, tmp_path: Path
) -> None:
    ontology = made(tmp_path, FAULTS)
    told = ontology.described(Text("Fault"), [(Text(property), value)])

    event = ontology.event_message(told)

    for asked in (
        "Long",
        "Fault that minutes some xsd:integer[>= 60]",
        "code some xsd:integer",
        "code some xsd:string",
        "minutes some xsd:string",
        "minutes value 90",
    ):
        wanted = ontology.subscription_message(asked)
        assert message_matches(event, wanted) == ontology.is_member(told, asked), asked


def test_a_member_and_a_class_may_be_texts(tmp_path: Path) -> None:
    ontology = made(tmp_path, ":b a :City . :knows a owl:ObjectProperty .")

    assert ontology.is_member("b", "City") and ontology.is_member(Text("b"), "City")
    with pytest.raises(UnknownName, match="knows no class 'Citty'"):
        ontology.is_member("b", "Citty")
    with pytest.raises(UnknownName, match=r"'knows' is a property, expected a class \(column 10\)"):
        ontology.expression("City and knows")


def test_what_is_no_file_or_name_is_told(tmp_path: Path) -> None:
    ontology = made(tmp_path, ":b a :City .")

    for given in ([], [["a.ttl", "b.ttl"]], [5]):
        with pytest.raises(InvalidInput, match="expected a file, or several, got"):
            Ontology.load(*given)
    with pytest.raises(InvalidInput, match="expected a name, got 5"):
        ontology.subsumes("City", 5)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="expected a class expression, got 5"):
        ontology.subsumes_expression("City", 5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="expected a Unit"):
        Quantity(80, "min")  # type: ignore[arg-type]
