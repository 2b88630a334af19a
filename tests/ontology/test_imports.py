"""Imports are found in local files, or said to be missing."""

from pathlib import Path

import pytest

from purport.errors import UnusablePath
from purport.model.units import Quantity
from purport.ontology.axioms import PropertyAssertion
from purport.ontology.errors import OntologyError
from purport.ontology.owl.reading import read_ontology

ONTOLOGIES = Path(__file__).parents[1] / "ontologies"
ZOO = "http://example.org/zoo"


def written(file: Path, iri: str | None, *imports: str) -> Path:
    """An ontology in Turtle with one class, called as its folder and file are."""
    file.parent.mkdir(exist_ok=True)
    header = "" if iri is None else f"<{iri}> a owl:Ontology .\n"
    header += "".join(f"<{iri}> owl:imports <{one}> .\n" for one in imports)
    name = f"<http://classes.org/{file.parent.name}/{file.stem}>"
    file.write_text(
        f"@prefix owl: <http://www.w3.org/2002/07/owl#> .\n{header}{name} a owl:Class ."
    )
    return file


def files_of(*paths: Path, imports: tuple[Path, ...] = ()) -> list[str]:
    """The names of the files that were read."""
    return [path.name for path in read_ontology(paths, imports=imports).files]


def test_ontologies_may_import_each_other() -> None:
    assert files_of(ONTOLOGIES / "wine.rdf") == ["wine.rdf", "food.rdf"]
    assert files_of(ONTOLOGIES / "food.rdf") == ["food.rdf", "wine.rdf"]


def test_a_missing_import_is_named_with_who_imports_it_and_what_to_do() -> None:
    with pytest.raises(OntologyError) as missing:
        read_ontology([ONTOLOGIES / "saref.ttl"])

    said = str(missing.value)
    assert said.startswith(f"{ONTOLOGIES / 'saref.ttl'}: imports <http://www.w3.org/2006/time>")
    assert f"not found in {ONTOLOGIES};" in said
    assert "ignores_missing_imports=" in said
    assert "--ignore-missing-imports" in said


def test_an_import_is_found_by_its_iri_whatever_the_file_is_called(tmp_path: Path) -> None:
    zoo = written(tmp_path / "zoo.ttl", ZOO, "http://example.org/animals")
    written(tmp_path / "beasts.ttl", "http://example.org/animals#")
    written(tmp_path / "animals.ttl", "http://example.org/others")

    assert files_of(zoo) == ["zoo.ttl", "beasts.ttl"]


def test_an_import_is_found_by_the_iri_of_its_version(tmp_path: Path) -> None:
    zoo = written(tmp_path / "zoo.ttl", ZOO, "http://example.org/animals/2.0")
    beasts = written(tmp_path / "beasts.ofn", None)
    beasts.write_text("Ontology(<http://example.org/animals> <http://example.org/animals/2.0>)")

    assert files_of(zoo) == ["zoo.ttl", "beasts.ofn"]


@pytest.mark.parametrize(
    "header",
    [
        "Prefix(a:=<http://a.org/>)\nOntology(<http://example.org/animals> <http://e.org/1>)",
        "Prefix: a: <http://a.org/>\nOntology: <http://example.org/animals>\nClass: a:B",
        '<?xml version="1.0"?>\n<Ontology xmlns="http://www.w3.org/2002/07/owl#" '
        'ontologyIRI="http://example.org/animals"></Ontology>',
    ],
)
def test_an_import_is_found_in_every_syntax(header: str, tmp_path: Path) -> None:
    zoo = written(tmp_path / "zoo.ttl", ZOO, "http://example.org/animals")
    (tmp_path / "beasts.owl").write_text(header)

    assert files_of(zoo) == ["zoo.ttl", "beasts.owl"]


def test_imports_are_looked_for_in_files_and_folders_that_are_given(tmp_path: Path) -> None:
    animals, plants = "http://example.org/animals", "http://example.org/plants"
    zoo = written(tmp_path / "here" / "zoo.ttl", ZOO, animals, plants)
    folder = written(tmp_path / "there" / "one.ttl", animals).parent
    file = written(tmp_path / "elsewhere" / "two.ttl", plants)

    assert files_of(zoo, imports=(folder, file)) == ["zoo.ttl", "one.ttl", "two.ttl"]


def test_a_file_that_was_given_is_not_read_again_as_an_import(tmp_path: Path) -> None:
    animals = written(tmp_path / "there" / "one.ttl", "http://example.org/animals")
    zoo = written(tmp_path / "here" / "zoo.ttl", ZOO, "http://example.org/animals")
    written(tmp_path / "here" / "animals.ttl", "http://example.org/animals")

    assert files_of(zoo, animals) == ["zoo.ttl", "one.ttl"]


def test_a_file_is_found_by_its_name_unless_its_ontology_is_called_otherwise(
    tmp_path: Path,
) -> None:
    zoo = written(tmp_path / "zoo.ttl", ZOO, "http://example.org/2024/animals.owl")
    written(tmp_path / "animals.ttl", "http://other.org/plants")

    with pytest.raises(OntologyError, match=r"imports <http://example\.org/2024/animals\.owl>"):
        read_ontology([zoo])
    written(tmp_path / "animals.ttl", None)
    assert files_of(zoo) == ["zoo.ttl", "animals.ttl"]


def test_a_catalog_says_where_an_import_is(tmp_path: Path) -> None:
    zoo = written(tmp_path / "zoo.ttl", ZOO, "http://example.org/animals")
    written(tmp_path / "kept elsewhere" / "a b.ttl", "http://example.org/old-animals")
    (tmp_path / "catalog-v001.xml").write_text(
        '<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n'
        '<catalog prefer="public" xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog">'
        '<group><uri name="http://example.org/animals" uri="kept%20elsewhere/a%20b.ttl"/></group>'
        "</catalog>"
    )

    assert files_of(zoo) == ["zoo.ttl", "a b.ttl"]


def test_a_damaged_catalog_is_named(tmp_path: Path) -> None:
    zoo = written(tmp_path / "zoo.ttl", ZOO, "http://example.org/animals")
    (tmp_path / "catalog-v001.xml").write_text("<catalog>")

    with pytest.raises(OntologyError, match=r"catalog-v001.xml: not a catalog"):
        read_ontology([zoo])


def test_a_place_for_imports_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(UnusablePath, match="no such file or folder"):
        read_ontology([ONTOLOGIES / "pizza.owl"], imports=[tmp_path / "nowhere"])


def test_unnamed_individuals_of_two_files_stay_apart(tmp_path: Path) -> None:
    text = "@prefix owl: <http://www.w3.org/2002/07/owl#> . _:a a <http://x.org/Animal> ."
    files = [tmp_path / "one.ttl", tmp_path / "two.ttl"]
    for file in files:
        file.write_text(text)

    assert read_ontology(files).individuals == {"_:1.1", "_:2.1"}


def test_what_an_imported_file_declares_holds_in_the_importing_one(tmp_path: Path) -> None:
    owl = "@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix : <http://x.org/> .\n"
    (tmp_path / "words.ttl").write_text(
        owl + "<http://x.org/words> a owl:Ontology . :age a owl:DatatypeProperty ."
        ":remark a owl:AnnotationProperty ."
    )
    people = tmp_path / "people.ttl"
    people.write_text(
        owl + "<http://x.org/people> a owl:Ontology ; owl:imports <http://x.org/words> ."
        ":Ann :age 5 . :Bob a :Person ; :remark 'is absent' ."
    )

    axioms = read_ontology([people])

    assert PropertyAssertion("http://x.org/Ann", "http://x.org/age", Quantity(5)) in axioms.axioms
    assert len(axioms.axioms) == 2
    assert axioms.ignored == {"annotations": 1}
