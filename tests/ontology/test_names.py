"""Names as people write them."""

import pickle
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from purport.model.term import folded
from purport.ontology.axioms import Axioms
from purport.ontology.errors import AmbiguousName, UnknownName
from purport.ontology.names import Names
from purport.ontology.owl.reading import read_ontology

ONTOLOGIES = Path(__file__).parents[1] / "ontologies"
RED_WINE = "http://www.w3.org/2001/sw/WebOnt/guide-src/wine#RedWine"
WINE = Names(read_ontology([ONTOLOGIES / "wine.rdf"]))


def of_classes(*iris: str, labels: dict[str, tuple[str, ...]] | None = None) -> Names:
    """The names of an ontology that has classes alone."""
    none: frozenset[str] = frozenset()
    prefixes = {"a": "http://a.org/", "b": "http://b.org/x#", "": "http://b.org/x#"}
    return Names(
        Axioms((), frozenset(iris), none, none, none, labels=labels or {}, prefixes=prefixes)
    )


@pytest.mark.parametrize(
    "written",
    [
        RED_WINE,
        f"<{RED_WINE}>",
        "wine:RedWine",
        "vin:RedWine",
        ":RedWine",
        "RedWine",
        "redwine",
        "VIN:redWine",
        " RedWine ",
    ],
)
def test_a_class_has_many_names(written: str) -> None:
    assert WINE.class_named(written) == WINE.find_class(written) == RED_WINE


def test_properties_and_individuals_have_names_too() -> None:
    namespace = RED_WINE.removesuffix("RedWine")

    assert WINE.property_named("wine:hasColor") == namespace + "hasColor"
    assert WINE.find_property("madefromgrape") == namespace + "madeFromGrape"
    assert WINE.individual_named("wine:Red") == namespace + "Red"
    assert WINE.find_class("hasColor") is None
    assert WINE.is_data_property(WINE.property_named("yearValue"))
    assert not WINE.is_data_property(WINE.property_named("wine:hasColor"))


def test_a_label_is_a_name_after_the_last_parts_of_iris() -> None:
    names = of_classes(
        "http://a.org/X1", "http://a.org/Dog", labels={"http://a.org/X1": ("Dog", "Big  Cat")}
    )

    assert names.class_named("big cat") == names.class_named("X1") == "http://a.org/X1"
    assert names.class_named("Dog") == names.class_named("dog") == "http://a.org/Dog"


def test_as_it_is_written_comes_first() -> None:
    names = of_classes("http://a.org/Polish", "http://a.org/polish")

    assert names.class_named("Polish") == "http://a.org/Polish"
    assert names.class_named("polish") == "http://a.org/polish"
    with pytest.raises(AmbiguousName):
        names.class_named("POLISH")


def test_a_short_name_of_several_is_refused_with_all_of_them() -> None:
    names = of_classes("http://a.org/Jaguar", "http://b.org/x#Jaguar")

    assert names.find_class("Jaguar") is None
    with pytest.raises(UnknownName) as ambiguous:
        names.class_named("Jaguar")
    assert str(ambiguous.value) == "'Jaguar' may be more than one class: a:Jaguar or b:Jaguar"


@pytest.mark.parametrize("written", ["RedWhine", "wine:Redwin", "redwines", "Red Wine"])
def test_an_unknown_name_is_refused_with_the_nearest_ones(written: str) -> None:
    assert WINE.find_class(written) is None
    with pytest.raises(UnknownName) as unknown:
        WINE.class_named(written)
    assert unknown.value.suggestions[0] == "vin:RedWine"
    assert str(unknown.value).startswith(f"the ontology knows no class {written!r}; did you mean")


def test_where_any_name_will_do_none_is_said_to_be_a_missing_class() -> None:
    with pytest.raises(UnknownName, match="knows no class, individual or property 'RedWhine'; did"):
        WINE.named("RedWhine")


def test_nothing_is_suggested_for_what_is_like_nothing() -> None:
    with pytest.raises(UnknownName) as unknown:
        WINE.class_named("zzzzqqqq")

    assert unknown.value.suggestions == ()


@pytest.mark.parametrize("name", ["owl:Thing", "Thing", "http://www.w3.org/2002/07/owl#Thing"])
def test_the_class_of_everything_is_always_known(name: str) -> None:
    assert of_classes().class_named(name) == "http://www.w3.org/2002/07/owl#Thing"


@pytest.mark.parametrize(
    "name", ["xsd:integer", "integer", "<http://www.w3.org/2001/XMLSchema#integer>"]
)
def test_datatypes_are_always_known(name: str) -> None:
    assert of_classes().datatype_named(name) == "http://www.w3.org/2001/XMLSchema#integer"


def test_names_can_be_pickled() -> None:
    WINE.find_class("RedWine")

    assert pickle.loads(pickle.dumps(WINE)).find_class("redwine") == RED_WINE


iris = st.builds(
    "{}{}".format,
    st.sampled_from(["http://a.org/", "http://b.org/x#", "http://c.org/y/", "urn:z:"]),
    st.text("abAB_1", min_size=1, max_size=3),
)


@given(st.sets(iris, min_size=1, max_size=12), st.text("abAB_1 ", max_size=4))
def test_a_name_is_found_as_a_search_through_all_of_them_finds_it(
    known: set[str], written: str
) -> None:
    names = of_classes(*known)
    last = {iri: re.split("[/#:]", iri)[-1] for iri in known}

    exactly = [iri for iri in known if last[iri] == written]
    loosely = [iri for iri in known if folded(last[iri]) == folded(written)]
    expected = exactly or loosely

    assert names.find_class(written) == (expected[0] if len(expected) == 1 else None)


@given(st.sets(iris, min_size=1, max_size=12))
def test_the_short_form_of_a_name_names_the_same(known: set[str]) -> None:
    names = of_classes(*known)

    assert {names.class_named(names.short(iri)) for iri in known} == known
