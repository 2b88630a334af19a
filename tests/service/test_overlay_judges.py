"""Neighbours whose matchers find other events: nothing is lost, whatever differs."""

import os
import subprocess
import sys
from functools import partial
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from purport import Matcher, Ontology
from purport.broker.judges import Judges, judges_of, needed_to_judge
from purport.embedded.broker import Broker
from tests.embedded.brokers import exact, told
from tests.service.overlay_services import OverlayNetwork, near
from tests.service.test_overlay import run

CLASSES = """
@prefix : <http://x/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Fault a owl:Class . :LinkFault a owl:Class .
"""
BELOW = ":LinkFault rdfs:subClassOf :Fault .\n"
paper = partial(Matcher, measure="exact", mode="paper")
wordnet = partial(Matcher, measure="wordnet")


@pytest.fixture
def ontologies(tmp_path: Path) -> dict[str, Ontology]:
    """The same classes, of which one has what is below another."""
    found = {}
    for name, text in (("old", CLASSES), ("new", CLASSES + BELOW)):
        path = tmp_path / f"{name}.ttl"
        path.write_text(text)
        found[name] = Ontology.load(path)
    return found


def test_in_the_mode_of_the_paper_what_is_asked_for_is_covered_in_that_mode() -> None:
    async def story(made: OverlayNetwork) -> None:
        a = await made.add("a", near("b"), matcher=paper)
        b = await made.add("b", near("a"), matcher=paper)
        central = Broker.in_memory(matcher=paper)
        for text in ("{a = 1} as one", "{a = 1, b = 2, c = 3} as three"):
            await b.subscribe(text)
            central.subscribe(text)
        await made.settle()
        for number, (x, y) in enumerate(product((1, 9), (2, 9))):
            event = {"@id": f"e{number}", "a": x, "b": y, "c": 3}
            await a.publish(event)
            central.publish(event)
        await made.settle()

        assert (await a.neighbour("b")).interests.differ == ()
        for name in ("one", "three"):
            assert b.told(name) == told(central, name)

    run(story)


def test_a_neighbour_with_other_defaults_is_asked_for_everything_where_they_matter() -> None:
    async def story(made: OverlayNetwork) -> None:
        a = await made.add("a", near("b"))
        b = await made.add("b", near("a"), matcher=paper)
        await b.subscribe("{a = 1, b = 2, c = 3} as three")
        await made.settle()
        await a.publish({"@id": "far", "a": 9, "b": 2, "c": 3})
        await made.settle()

        assert b.told("three") == ["far"]
        assert (await b.neighbour("a")).interests.differ == ("defaults",)
        assert set(a.broker.neighbours.interests("b")) == {"*"}

    run(story)


@pytest.mark.parametrize("names", list(product(("old", "new"), repeat=3)))
def test_whatever_ontologies_are_on_the_way_who_asks_for_classes_is_told_by_its_own(
    names: tuple[str, ...], ontologies: dict[str, Ontology]
) -> None:
    async def story(made: OverlayNetwork) -> None:
        a = await made.add("a", near("b"), ontology=ontologies[names[0]])
        b = await made.add("b", near("a"), near("c"), ontology=ontologies[names[1]])
        c = await made.add("c", near("b"), ontology=ontologies[names[2]])
        for one in (b, c):
            await one.subscribe("{type isa <http://x/Fault>} as fault")
            await one.subscribe("{type isa <http://x/LinkFault>} as link")
        await made.settle()
        await a.publish({"@id": "e1", "type": "LinkFault"})
        await made.settle()

        for name, service in zip(names[1:], (b, c), strict=True):
            assert service.told("link") == ["e1"]
            assert service.told("fault") == (["e1"] if name == "new" else [])

    run(story)


def test_where_ontologies_differ_what_needs_none_is_asked_for_as_ever(
    ontologies: dict[str, Ontology],
) -> None:
    async def story(made: OverlayNetwork) -> None:
        a = await made.add("a", near("b"), ontology=ontologies["old"])
        b = await made.add("b", near("a"), ontology=ontologies["new"])
        for text in ("{heat > 30} as hot", "{heat > 20} as warm"):
            await b.subscribe(text)
        await made.settle()
        assert set(a.broker.neighbours.interests("b")) == {"{heat > 20}"}

        await b.subscribe("{type isa <http://x/Fault>} as fault")
        await made.settle()
        assert set(a.broker.neighbours.interests("b")) == {"*"}

        await b.desk.write(lambda: b.broker.unsubscribe("fault"))
        await made.settle()
        assert set(a.broker.neighbours.interests("b")) == {"{heat > 20}"}

    run(story)


def test_who_returns_with_another_ontology_is_asked_otherwise(
    ontologies: dict[str, Ontology],
) -> None:
    async def story(made: OverlayNetwork) -> None:
        a = await made.add("a", near("b"), ontology=ontologies["new"])
        b = await made.add("b", near("a"), ontology=ontologies["new"])
        await b.subscribe("{type isa <http://x/Fault>} as fault")
        await made.settle()
        [text] = a.broker.neighbours.interests("b")
        assert text != "*"

        await a.end()
        a.ontology = ontologies["old"]
        await a.start()
        await made.settle()
        assert set(a.broker.neighbours.interests("b")) == {"*"}

    run(story)


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        ("*", set()),
        ("parts", set()),
        ("{heat > 30} threshold 0.9", {"lexicon", "defaults"}),
        ("{heat~ > 30}", {"lexicon", "defaults", "measure"}),
        ("{heat = warm~}", {"lexicon", "defaults", "measure"}),
        ("{a isa <urn:B>}", {"lexicon", "defaults", "measure", "ontology"}),
        ("{what nobody reads", {"lexicon", "defaults", "measure", "ontology"}),
    ],
)
def test_an_interest_needs_what_it_is_judged_by(text: str, needed: set[str]) -> None:
    assert needed_to_judge(text) == needed


def test_matchers_judge_alike_if_nothing_of_them_differs(ontologies: dict[str, Ontology]) -> None:
    plain = judges_of(exact())
    assert plain.differences(judges_of(exact())) == set()
    assert plain.differences(judges_of(paper())) == {"defaults"}
    assert plain.differences(judges_of(wordnet())) == {"measure"}
    old, new = (judges_of(Matcher(measure="exact", ontology=one)) for one in ontologies.values())
    assert old.differences(new) == plain.differences(old) == {"ontology"}
    rivals = judges_of(Matcher(measure="exact", competition=True))
    assert rivals.differences(rivals) == {"measure"}  # which others have subscribed to


@given(st.sampled_from(("defaults", "lexicon", "measure", "ontology")))
def test_who_does_not_say_by_what_it_judges_may_judge_otherwise(name: str) -> None:
    assert name in Judges().differences(Judges("a", "b", "c", "d"))


def test_an_ontology_has_the_same_digest_in_every_process(tmp_path: Path) -> None:
    path = tmp_path / "o.ttl"
    path.write_text(
        CLASSES
        + BELOW
        + ":p a owl:ObjectProperty . :Both a owl:Class ; owl:equivalentClass [ a owl:Class ; "
        "owl:intersectionOf ( :Fault [ a owl:Restriction ; owl:onProperty :p ; "
        "owl:someValuesFrom [ owl:unionOf ( :LinkFault :Fault ) ] ] ) ] . [] a :Fault ; :p [] .\n"
    )
    program = (
        "import sys; from purport import Matcher, Ontology; from purport.broker.judges import *; "
        "print(judges_of(Matcher(measure='exact', ontology=Ontology.load(sys.argv[1]))))"
    )
    found = {
        subprocess.run(
            (sys.executable, "-c", program, str(path)),
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1
