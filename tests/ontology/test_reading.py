"""Real ontologies, in every syntax."""

from pathlib import Path

import pytest

from purport.model.class_expression import And, HasValue, Named, OneOf, Or
from purport.ontology.axioms import Axioms, EquivalentClasses, SubClass
from purport.ontology.reading import read_ontology
from tests.ontology.syntaxes import FORMATS, rewritten

ONTOLOGIES = Path(__file__).parents[1] / "ontologies"
WINE = "http://www.w3.org/2001/sw/WebOnt/guide-src/wine#"
PIZZA = "https://raw.githubusercontent.com/owlcs/pizza-ontology/refs/heads/master/pizza.owl#"


def numbers(axioms: Axioms) -> tuple[int, ...]:
    """How many classes, object properties, data properties and individuals there are."""
    named = (
        axioms.classes,
        axioms.object_properties,
        axioms.data_properties,
        axioms.individuals,
    )
    return tuple(map(len, named))


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("wine.rdf", (140, 21, 1, 218)),
        ("food.rdf", (140, 21, 1, 218)),
        ("pizza.owl", (99, 8, 0, 5)),
        ("sosa.ttl", (16, 21, 2, 1)),
        ("ssn.ttl", (22, 36, 2, 2)),
    ],
)
def test_real_ontologies_are_read_with_all_their_names(
    file: str, expected: tuple[int, ...]
) -> None:
    assert numbers(read_ontology([ONTOLOGIES / file])) == expected


def test_an_ontology_is_read_without_an_import_that_is_nowhere_if_that_is_wanted() -> None:
    axioms = read_ontology([ONTOLOGIES / "saref.ttl"], ignores_missing_imports=True)

    assert numbers(axioms) == (94, 30, 6, 40)
    assert axioms.ignored["missing imports (<http://www.w3.org/2006/time>)"] == 1


def test_what_stands_directly_at_a_class_defines_it() -> None:
    axioms = read_ontology([ONTOLOGIES / "wine.rdf"]).axioms

    color, red = Named(WINE + "hasColor"), Named(WINE + "Red")
    red_wine = And((Named(WINE + "Wine"), HasValue(color, red)))
    assert EquivalentClasses((Named(WINE + "RedWine"), red_wine)) in axioms
    colors = OneOf(tuple(Named(WINE + name) for name in ("White", "Rose", "Red")))
    assert EquivalentClasses((Named(WINE + "WineColor"), colors)) in axioms
    descriptors = Or((Named(WINE + "WineTaste"), Named(WINE + "WineColor")))
    assert EquivalentClasses((Named(WINE + "WineDescriptor"), descriptors)) in axioms


@pytest.mark.parametrize("syntax", FORMATS)
def test_every_syntax_says_the_same(syntax: str, tmp_path: Path) -> None:
    original = read_ontology([ONTOLOGIES / "pizza.owl"])
    text = (ONTOLOGIES / "pizza.owl").read_text()

    axioms = read_ontology([rewritten(text, "owl", tmp_path / f"pizza.{syntax}", syntax)])

    expected = set(original.axioms)
    assert set(axioms.axioms) == expected
    assert (axioms.classes, axioms.object_properties) == (
        original.classes,
        original.object_properties,
    )
    assert {name: set(said) for name, said in axioms.labels.items()} == {
        name: set(said) for name, said in original.labels.items()
    }
    assert axioms.used == original.used


@pytest.mark.parametrize("syntax", FORMATS)
def test_the_syntax_is_told_by_the_content(syntax: str, tmp_path: Path) -> None:
    text = (ONTOLOGIES / "pizza.owl").read_text()

    misnamed = rewritten(text, "owl", tmp_path / "pizza.txt", syntax)

    assert numbers(read_ontology([misnamed])) == (99, 8, 0, 5)


def test_reading_twice_gives_the_same_in_the_same_order() -> None:
    first, second = (read_ontology([ONTOLOGIES / "wine.rdf"]) for _ in range(2))

    assert first == second


def test_several_files_are_read_as_one() -> None:
    both = read_ontology([ONTOLOGIES / "pizza.owl", ONTOLOGIES / "sosa.ttl"])

    assert len(both.classes) == 99 + 16
    assert [path.name for path in both.files] == ["pizza.owl", "sosa.ttl"]


def test_what_was_used_and_what_was_not_is_counted() -> None:
    axioms = read_ontology([ONTOLOGIES / "pizza.owl"])

    assert axioms.used["subclass axioms"] == 259
    assert sum(axioms.used.values()) == len(axioms.axioms) == 1113
    assert axioms.ignored == {"annotations": 124}


def test_labels_are_those_of_classes_properties_and_individuals() -> None:
    axioms = read_ontology([ONTOLOGIES / "pizza.owl"])

    assert "CoberturaDeCebola" in axioms.labels[PIZZA + "OnionTopping"]
    assert axioms.labels.keys() <= axioms.classes | axioms.object_properties | axioms.individuals


def test_a_file_gives_its_name_to_a_prefix() -> None:
    axioms = read_ontology([ONTOLOGIES / "wine.rdf"])

    assert axioms.prefixes["wine"] == axioms.prefixes["vin"] == WINE
    assert axioms.prefixes["food"] == "http://www.w3.org/2001/sw/WebOnt/guide-src/food#"
    assert axioms.prefixes["food2"] == "http://www.w3.org/TR/2003/PR-owl-guide-20031209/food#"


def test_json_ld_is_read_too(tmp_path: Path) -> None:
    file = tmp_path / "cars.jsonld"
    file.write_text(
        '{"@id": "http://x.org/Car", "@type": "http://www.w3.org/2002/07/owl#Class", '
        '"http://www.w3.org/2000/01/rdf-schema#subClassOf": {"@id": "http://x.org/Vehicle"}}'
    )

    axioms = read_ontology([file])

    assert axioms.axioms == (SubClass(Named("http://x.org/Car"), Named("http://x.org/Vehicle")),)
    assert axioms.classes == {"http://x.org/Car", "http://x.org/Vehicle"}
