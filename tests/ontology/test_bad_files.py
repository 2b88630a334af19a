"""Files that are no ontologies, and ontologies with mistakes in them."""

from pathlib import Path

import pytest

from purport.errors import UnusablePath
from purport.ontology.axioms import SubClass
from purport.ontology.errors import OntologyError
from purport.ontology.owl.reading import read_ontology

HEAD = """@prefix : <http://x.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Good rdfs:subClassOf :Better .
"""


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "the file is empty"),
        (b"  \n", "the file is empty"),
        (b"Once upon a time\nthere was a file", "line 1: found 'Once upon a time'"),
        (b'{"temperature": 25}', "found JSON that is no JSON-LD"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "found binary data (byte 0)"),
        (b"text with a \0 in it", "found binary data (byte 12)"),
        (b"<html><body>404</body></html>", "found XML with the root element <html>"),
        (b"<?xml version='1.0'?>", "found XML without a root element"),
        (b"<http://x.org/a> <http://x.org/b> 5 .", "with 1 triples, none of them about a class"),
        (b"@prefix : <http://x.org/> .\n:a :b", "line 2, column 6: not valid Turtle"),
        (b"@prefix : <http://x.org/> .\n\n:a b:c 5 .", "line 3, column 4: not valid Turtle"),
        (
            b"<r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>\n<a></r:RDF>",
            "not valid RDF/XML",
        ),
        (b"Ontology(<http://x.org>\nSubClassOf(:A", "line 2, column 14: not valid functional"),
        (b"Ontology: <http://x.org>\nClass: :A\n  foo bar", "line 3, column 3: not valid Manch"),
        (b"<Ontology xmlns='http://www.w3.org/2002/07/owl#'><X>", "not valid OWL/XML"),
        (
            b"<Ontology xmlns='http://www.w3.org/2002/07/owl#'>\n<SubClassOf>\n<Class IRI='#A'/>",
            "line 3, column 18: not valid OWL/XML: no element found",
        ),
        ("<?xml version='1.0'?>".encode("utf-16"), "found text in UTF-16, expected UTF-8"),
    ],
)
def test_a_file_that_is_no_ontology_is_refused_with_its_name_and_what_was_found(
    content: bytes, said: str, tmp_path: Path
) -> None:
    file = tmp_path / "thing.owl"
    file.write_bytes(content)

    with pytest.raises(OntologyError) as refused:
        read_ontology([file])

    assert said in str(refused.value)
    assert str(refused.value).startswith(str(file))


def test_a_file_that_is_not_there_is_an_unusable_path(tmp_path: Path) -> None:
    with pytest.raises(UnusablePath, match="No such file"):
        read_ontology([tmp_path / "nowhere.owl"])


@pytest.mark.parametrize(
    ("triples", "ignored"),
    [
        (":A rdfs:subClassOf [ a owl:Restriction ; owl:someValuesFrom :B ] .", "restrictions"),
        (":A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ] .", "restrictions"),
        (
            ":A rdfs:subClassOf [ owl:onProperty :p ; owl:minCardinality 'many' ] .",
            "restrictions",
        ),
        (
            ":A rdfs:subClassOf [ owl:onProperty :p ; owl:maxCardinality '-1'^^xsd:integer ] .",
            "restrictions",
        ),
        (":A owl:intersectionOf [ rdf:first :B ] .", "lists"),
        (":A owl:unionOf _:l . _:l rdf:first :B ; rdf:rest _:l .", "lists"),
        (":A owl:unionOf _:l . _:l rdf:first :B, :C ; rdf:rest () .", "lists"),
        (":A rdfs:subClassOf [ a owl:Class ] .", "class expressions"),
        (":A rdfs:subClassOf 'a text' .", "class expressions"),
        (
            ":A rdfs:subClassOf _:x . _:x owl:complementOf _:x .",
            "class expressions (endless or too deep)",
        ),
        (":A rdfs:subClassOf [ owl:onProperty [] ; owl:hasSelf true ] .", "inverse properties"),
        (
            ":p rdfs:range [ owl:onDatatype xsd:int ; owl:withRestrictions ([xsd:length :x]) ] .",
            "data ranges",
        ),
        ("[] a owl:NegativePropertyAssertion .", "negative property assertions"),
        (":a owl:sameAs 'b' .", "individuals"),
        ("[] a owl:AllDifferent ; owl:members 5 .", "lists"),
    ],
)
def test_what_is_malformed_is_counted_and_the_rest_is_read(
    triples: str, ignored: str, tmp_path: Path
) -> None:
    file = tmp_path / "mistakes.ttl"
    file.write_text(HEAD + triples)

    axioms = read_ontology([file])

    assert axioms.ignored == {f"malformed {ignored}": 1}
    assert [type(axiom) for axiom in axioms.axioms] == [SubClass]


def test_an_expression_that_doubles_with_each_step_does_not_take_for_ever(tmp_path: Path) -> None:
    doubling = "".join(f"_:x{n} owl:unionOf (_:x{n + 1} _:x{n + 1}) .\n" for n in range(60))
    file = tmp_path / "doubling.ttl"
    file.write_text(HEAD + ":A rdfs:subClassOf _:x0 . _:x60 owl:complementOf :B .\n" + doubling)

    axioms = read_ontology([file])

    assert axioms.ignored == {"malformed class expressions (endless or too deep)": 1}


def test_a_byte_order_mark_is_passed_over(tmp_path: Path) -> None:
    file = tmp_path / "marked.ttl"
    text = "@prefix owl: <http://www.w3.org/2002/07/owl#> . <urn:x:A> a owl:Class ."
    file.write_bytes(b"\xef\xbb\xbf" + text.encode())

    assert read_ontology([file]).classes == {"urn:x:A"}


def test_text_in_another_encoding_is_no_binary_data(tmp_path: Path) -> None:
    file = tmp_path / "latin.ttl"
    text = "@prefix owl: <http://www.w3.org/2002/07/owl#> .\n<urn:x:Caf\xe9> a owl:Class ."
    file.write_bytes(text.encode("latin-1"))

    with pytest.raises(OntologyError, match=r"latin.ttl, line 2: found text that is no UTF-8"):
        read_ontology([file])


def test_a_mistake_in_rdf_xml_is_told_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "open.rdf"
    file.write_text(
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"\n'
        ' xmlns:owl="http://www.w3.org/2002/07/owl#">\n<owl:Class>\n</rdf:RDF>'
    )

    with pytest.raises(OntologyError, match=r"open.rdf, line 4, column 3: not valid RDF/XML"):
        read_ontology([file])
