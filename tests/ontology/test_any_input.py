"""Nothing that a file can hold makes the reader fail in a way of its own, or go on for ever."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pyoxigraph
from hypothesis import given
from hypothesis import strategies as st

from purport.model.rdf import XSD
from purport.ontology.errors import OntologyError
from purport.ontology.names import Names
from purport.ontology.owl.collection import Collection
from purport.ontology.owl.rdf_axioms import add_declarations, add_graph
from purport.ontology.owl.rdf_expressions import DEFINING
from purport.ontology.owl.rdf_graph import PARTS, STATING, RdfGraph
from purport.ontology.owl.reading import read_ontology
from purport.ontology.vocabulary import OWL, RDF, RDFS

TYPES = [
    *(OWL + name for name in "Class Restriction ObjectProperty DatatypeProperty Thing".split()),
    *(OWL + name for name in "AllDifferent AllDisjointClasses NegativePropertyAssertion".split()),
    *(OWL + name for name in "FunctionalProperty AnnotationProperty NamedIndividual".split()),
    RDFS + "Datatype",
    RDF + "List",
    OWL + "Ontology",
]
names = st.sampled_from("abcdefg").map(lambda name: pyoxigraph.NamedNode(f"http://x.org/{name}"))
blanks = st.sampled_from("abcdefg").map(pyoxigraph.BlankNode)
literals = st.sampled_from(
    [
        pyoxigraph.Literal("x"),
        pyoxigraph.Literal(5),
        pyoxigraph.Literal(True),
        pyoxigraph.Literal("-1", datatype=pyoxigraph.NamedNode(XSD + "integer")),
    ]
)
terms = st.sampled_from(
    [*TYPES, RDF + "nil", OWL + "Thing", XSD + "integer", RDFS + "Literal"]
).map(pyoxigraph.NamedNode)
predicates = st.one_of(
    st.sampled_from([RDF + "type", RDF + "first", RDF + "rest", OWL + "onProperty", *DEFINING]),
    st.sampled_from(sorted(STATING | PARTS)),
    st.just("http://x.org/a"),
).map(pyoxigraph.NamedNode)
triples = st.builds(
    pyoxigraph.Triple,
    st.one_of(names, blanks),
    predicates,
    st.one_of(names, blanks, terms, literals),
)


@given(st.lists(triples, max_size=40))
def test_any_triples_are_read_or_counted(given: list[pyoxigraph.Triple]) -> None:
    collection = Collection()

    graph = RdfGraph.of(given)
    add_declarations(graph, collection)
    add_graph(graph, collection, "")
    axioms = collection.told([])

    assert sum(axioms.used.values()) == len(axioms.axioms) + len(collection.definitions)
    assert all(count > 0 for count in axioms.ignored.values())
    lookup = Names(axioms)
    assert all(lookup.find_class(lookup.short(iri)) == iri for iri in axioms.classes)


@given(
    st.one_of(
        st.binary(max_size=200),
        st.text(max_size=100).map(str.encode),
        st.builds(
            "{}{}".format,
            st.sampled_from(["<", "<?xml", "@prefix", "Ontology(", "Ontology:", "{", "[", "_:a"]),
            st.text("<>:/()[]{}@.\"' \naOrdf?!-", max_size=60),
        ).map(str.encode),
    )
)
def test_any_file_is_read_or_refused(content: bytes) -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "any.owl"
        file.write_bytes(content)

        try:
            assert read_ontology([file]).files == (file,)
        except OntologyError as refused:
            assert str(file) in str(refused)
