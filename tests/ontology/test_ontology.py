"""The one door to an ontology, with real ones behind it."""

from __future__ import annotations

import pickle
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from purport.model.class_expression import Named, Some
from purport.model.term import Attribute, Resource, Term, Text
from purport.model.units import Quantity
from purport.ontology.axioms import THING, Axioms, SubClass
from purport.ontology.cycles import told_cycles
from purport.ontology.description import Description
from purport.ontology.encoding_file import encodings_text, parsed_encodings
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
    with pytest.raises(UnknownName, match="knows no class 'Aa'"):
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
