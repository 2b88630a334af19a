"""Inferred facts, by example: what is told, what is only inferred, and where facts are kept."""

from pathlib import Path

import pytest
from pyoxigraph import NamedNode, Triple

from purport.errors import InvalidInput
from purport.model.class_expression import And, HasValue, Named, Some
from purport.ontology.axioms import (
    THING,
    Characteristic,
    Domain,
    EquivalentClasses,
    PropertyAssertion,
    PropertyIs,
    Range,
    SubClass,
    SubProperty,
)
from purport.ontology.ontology import Ontology
from purport.sparql import Engine, MemoryStore, Notification
from purport.sparql.errors import StoreFailed
from purport.sparql.graph_store import OxigraphStore
from purport.sparql.terms import DEFAULT, TYPE, Fact, Term
from purport.storage.oxigraph_disk import DiskStore
from tests.strategies.told_ontologies import ToldOntology

VEHICLE, AIRCRAFT, MACHINE, WING = (Named(f"urn:{it}") for it in ("Vehicle", "Aircraft", "M", "W"))
HAS_WINGS, HAS_PART, LOCATED = (Named(f"urn:{it}") for it in ("hasWings", "hasPart", "in"))
AIRCRAFTS = ToldOntology.of(
    SubClass(AIRCRAFT, VEHICLE),
    SubClass(VEHICLE, MACHINE),
    EquivalentClasses((AIRCRAFT, And((VEHICLE, Some(HAS_WINGS, THING))))),
    SubProperty(HAS_WINGS, HAS_PART),
    Range(HAS_WINGS, WING),
    Domain(HAS_PART, MACHINE),
)
WINE = Path(__file__).parents[1] / "ontologies" / "wine.rdf"


def values(news: list[Notification], name: str = "x") -> list[tuple[list[str], list[str]]]:
    return [
        (sorted(text(one[name]) for one in it.added), sorted(text(one[name]) for one in it.removed))
        for it in news
    ]


def text(term: Term) -> str:
    assert not isinstance(term, Triple)
    return term.value


def test_a_definition_is_fulfilled_by_two_facts_and_broken_by_one() -> None:
    engine = Engine(ontology=AIRCRAFTS)
    engine.subscribe("SELECT ?x { ?x a <urn:Aircraft> }")

    assert engine.update("INSERT DATA { <urn:v> a <urn:Vehicle> }") == []
    came = engine.update("INSERT DATA { <urn:v> <urn:hasWings> <urn:w1>, <urn:w2> }")
    assert engine.update("DELETE DATA { <urn:v> <urn:hasWings> <urn:w1> }") == []
    went = engine.update("DELETE DATA { <urn:v> <urn:hasWings> <urn:w2> }")

    assert values([*came, *went]) == [(["urn:v"], []), ([], ["urn:v"])]


def test_classes_that_follow_from_each_other_do_not_keep_each_other() -> None:
    """Aircraft are vehicles, and vehicles with wings are aircraft."""
    engine = Engine(ontology=AIRCRAFTS)
    engine.update("INSERT DATA { <urn:v> a <urn:Vehicle> ; <urn:hasWings> <urn:w> }")
    engine.subscribe("SELECT ?x { <urn:v> a ?x }")

    news = engine.update("DELETE DATA { <urn:v> a <urn:Vehicle> }")

    assert values(news) == [([], ["urn:Aircraft", "urn:Vehicle"])]  # it has parts: a machine


def test_what_was_only_inferred_cannot_be_deleted() -> None:
    engine = Engine(ontology=AIRCRAFTS)
    engine.update("INSERT DATA { <urn:v> a <urn:Vehicle> }")
    engine.subscribe("SELECT ?x { ?x a <urn:M> }")

    assert engine.update("DELETE DATA { <urn:v> a <urn:M> }") == []
    assert engine.update("DELETE WHERE { ?x a <urn:M> }") == []
    assert engine.query("ASK { <urn:v> a <urn:M> }")


def test_what_is_asserted_too_is_no_change_either_way() -> None:
    engine = Engine(ontology=AIRCRAFTS)
    engine.update("INSERT DATA { <urn:v> a <urn:Vehicle> }")
    engine.subscribe("SELECT ?x { ?x a <urn:M> }")

    assert engine.update("INSERT DATA { <urn:v> a <urn:M> }") == []
    assert engine.update("DELETE DATA { <urn:v> a <urn:Vehicle> }") == []
    assert values(engine.update("DELETE DATA { <urn:v> a <urn:M> }")) == [([], ["urn:v"])]


def test_a_value_in_the_place_of_another_changes_no_type() -> None:
    engine = Engine(ontology=ToldOntology.of(Domain(HAS_PART, MACHINE)))
    engine.update("INSERT DATA { <urn:v> <urn:hasPart> 1 }")
    engine.subscribe("SELECT ?x { ?x a <urn:M> }")
    engine.subscribe("SELECT ?n { ?x <urn:hasPart> ?n }")

    replacing = (
        "DELETE { ?v <urn:hasPart> ?n } INSERT { ?v <urn:hasPart> 2 } WHERE { ?v <urn:hasPart> ?n }"
    )
    news = engine.update(replacing)

    assert values(news, "n") == [(["2"], ["1"])]


def test_graphs_are_looked_at_each_on_its_own() -> None:
    engine = Engine(ontology=AIRCRAFTS)
    engine.update(
        "INSERT DATA { <urn:v> a <urn:Vehicle> . GRAPH <urn:g> { <urn:v> <urn:hasWings> 2 } }"
    )

    assert not engine.query("ASK { <urn:v> a <urn:Aircraft> }")
    assert not engine.query("ASK { GRAPH <urn:g> { <urn:v> a <urn:Aircraft> } }")
    assert engine.query("ASK { GRAPH <urn:g> { <urn:v> a <urn:M> } }")


def test_graphs_that_are_dropped_take_what_followed_with_them() -> None:
    engine = Engine(ontology=AIRCRAFTS)
    engine.update("INSERT DATA { GRAPH <urn:g> { <urn:v> a <urn:Vehicle> } }")
    engine.subscribe("SELECT ?x { GRAPH ?g { ?x a <urn:M> } }")

    assert values(engine.update("DROP GRAPH <urn:g>")) == [([], ["urn:v"])]
    assert not engine.query("ASK { GRAPH <urn:g> { } }")


def test_what_an_ontology_says_of_individuals_is_seen_and_is_a_premise_elsewhere() -> None:
    bordeaux = EquivalentClasses((Named("urn:Bordeaux"), HasValue(LOCATED, Named("urn:region"))))
    engine = Engine(
        ontology=ToldOntology.of(
            bordeaux,
            PropertyIs(LOCATED, Characteristic.TRANSITIVE),
            PropertyAssertion("urn:medoc", "urn:in", Named("urn:region")),
        )
    )
    assert engine.query("ASK { <urn:medoc> a <urn:Bordeaux> }")

    engine.update("INSERT DATA { <urn:a> <urn:in> <urn:medoc> }")
    engine.update("INSERT DATA { GRAPH <urn:g> { <urn:a> <urn:in> <urn:medoc> } }")

    found = engine.query("SELECT ?x { ?x a <urn:Bordeaux> }")
    assert sorted(one["x"].value for one in found) == ["urn:a", "urn:medoc"]  # type: ignore
    found = engine.query("SELECT ?x { GRAPH <urn:g> { ?x a <urn:Bordeaux> } }")
    assert [one["x"].value for one in found] == ["urn:a"]  # type: ignore


def test_a_request_that_fails_half_way_leaves_no_conclusion() -> None:
    engine = Engine(ontology=AIRCRAFTS)
    engine.subscribe("SELECT ?x { ?x a <urn:M> }")

    with pytest.raises(InvalidInput, match="there is no graph"):
        engine.update("INSERT DATA { <urn:v> a <urn:Vehicle> } ; DROP GRAPH <urn:nowhere>")

    assert not engine.query("ASK { ?x a <urn:M> }")
    assert values(engine.update("INSERT DATA { <urn:v> a <urn:Vehicle> }")) == [(["urn:v"], [])]


def test_a_store_on_disk_keeps_what_was_asserted(tmp_path: Path) -> None:
    store = DiskStore(tmp_path / "store")
    engine = Engine(store, ontology=AIRCRAFTS)
    engine.update("INSERT DATA { <urn:v> a <urn:Aircraft> . GRAPH <urn:g> { <urn:w> a <urn:W> } }")
    engine.update("CREATE GRAPH <urn:empty>")
    store.close()

    again = DiskStore(tmp_path / "store")
    fact: Fact = (NamedNode("urn:v"), TYPE, NamedNode("urn:Aircraft"), DEFAULT)
    assert set(again.matching(None, None, None, DEFAULT)) == {fact}
    engine = Engine(again, ontology=AIRCRAFTS)
    assert engine.query("ASK { <urn:v> a <urn:M> }")
    assert engine.query("ASK { GRAPH <urn:empty> { } }")
    engine.update("DELETE DATA { <urn:v> a <urn:Aircraft> }")
    assert not engine.query("ASK { ?x a <urn:M> }")
    again.close()


def test_a_store_that_refuses_a_change_has_the_engine_find_out() -> None:
    base = _Refusing()
    engine = Engine(base, ontology=AIRCRAFTS)
    engine.subscribe("SELECT ?x { ?x a <urn:M> }")
    base.refuses = True
    with pytest.raises(StoreFailed):
        engine.update("INSERT DATA { <urn:v> a <urn:Vehicle> }")
    base.refuses = False
    assert not engine.query("ASK { ?x a <urn:M> }")

    whole, news = engine.update("INSERT DATA { <urn:u> a <urn:Vehicle> }")

    assert whole.is_whole
    assert values([whole, news]) == [([], []), (["urn:u"], [])]


class _Refusing(MemoryStore):
    refuses = False

    def apply(self, change: object) -> None:
        if self.refuses:
            raise StoreFailed("no room")
        super().apply(change)  # type: ignore[arg-type]


def test_what_others_have_written_is_seen_at_a_resync() -> None:
    base = MemoryStore()
    engine = Engine(base, ontology=AIRCRAFTS)
    engine.subscribe("SELECT ?x { ?x a <urn:M> }")
    OxigraphStore(base._store).apply(Engine().change_of("INSERT DATA { <urn:v> a <urn:Vehicle> }"))

    assert values(engine.resync()) == [(["urn:v"], [])]


def test_an_engine_without_a_base_keeps_its_facts_at_a_resync() -> None:
    engine = Engine(ontology=AIRCRAFTS)
    engine.update("INSERT DATA { <urn:v> a <urn:Vehicle> }")
    engine.subscribe("SELECT ?x { ?x a <urn:M> }")

    assert values(engine.resync()) == [(["urn:v"], [])]
    assert values(engine.update("CLEAR ALL")) == [([], ["urn:v"])]


@pytest.mark.parametrize("nothing", ["wine.rdf", 5, object(), Ontology])
def test_what_is_no_ontology_is_refused(nothing: object) -> None:
    with pytest.raises(InvalidInput, match="expected an ontology"):
        Engine(ontology=nothing)  # type: ignore[arg-type]


def test_wine_is_told_by_what_is_known_of_regions() -> None:
    engine = Engine(ontology=Ontology.load(WINE, ignores_missing_imports=True))
    vin = "http://www.w3.org/2001/sw/WebOnt/guide-src/wine#"
    live = engine.subscribe(f"PREFIX v: <{vin}> SELECT ?x {{ ?x a v:Bordeaux }}")
    assert live.initial

    news = engine.update(
        f"PREFIX v: <{vin}> INSERT DATA {{ <urn:bottle> a v:Wine ; v:locatedIn v:MedocRegion }}"
    )

    assert values(news) == [(["urn:bottle"], [])]
    kinds = engine.query("SELECT ?c { <urn:bottle> a ?c }")
    names = {one["c"].value.removeprefix(vin) for one in kinds}  # type: ignore
    assert {"Wine", "Bordeaux", "Medoc", "FrenchWine"} <= names


@pytest.mark.parametrize("rooms", [10, 400])
def test_an_update_looks_at_what_it_touches(rooms: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many other rooms, lamps and members of classes there are."""
    lit = EquivalentClasses((Named("urn:Lit"), And((Named("urn:Room"), Some(HAS_PART, WING)))))
    engine = Engine(
        ontology=ToldOntology.of(lit, SubClass(Named("urn:Lit"), MACHINE), Domain(LOCATED, WING))
    )
    for room in range(rooms):
        engine.update(
            f"INSERT DATA {{ <urn:r{room}> a <urn:Room> ; <urn:hasPart> <urn:l{room}> . "
            f"<urn:l{room}> <urn:in> <urn:house{room}> }}"
        )
    engine.subscribe("SELECT ?x { ?x a <urn:M> }")
    found = 0
    inner = MemoryStore.matching

    def counting(*asked: object) -> list[Fact]:
        nonlocal found
        facts = list(inner(*asked))  # type: ignore[arg-type]
        found += 1 + len(facts)
        return facts

    monkeypatch.setattr(MemoryStore, "matching", counting)

    went = engine.update("DELETE DATA { <urn:l3> <urn:in> <urn:house3> }")
    came = engine.update("INSERT DATA { <urn:l3> <urn:in> <urn:house4> }")

    assert values([*went, *came]) == [([], ["urn:r3"]), (["urn:r3"], [])]
    assert found < 70
