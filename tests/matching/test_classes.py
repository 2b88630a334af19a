"""What subscriptions ask of classes, by examples."""

from typing import Any

import pytest

from purport import Event, InvalidInput, Matcher, parse
from purport.matching import tellings
from purport.model.class_expression import And, Facet, Named, Restricted, Some
from purport.model.comparison import Operator
from purport.model.subscription import AskedAttribute, Conjunction, IsA, Subscription
from purport.model.term import Text
from purport.model.units import Quantity
from purport.ontology.axioms import Axioms, SubClass
from purport.ontology.ontology import Ontology
from tests.strategies.small_ontology import drinks, iri


def matched(text: str, said: dict[str, Any]) -> bool:
    matcher = Matcher([parse(text)], measure="exact", ontology=drinks())
    return bool(matcher.match(Event.from_json(said)))


@pytest.mark.parametrize(
    ("text", "said", "expected"),
    [
        ("{drink isa Wine}", {"drink": "Chateau"}, True),
        ("{drink isa Wine}", {"drink": iri("Chateau")}, True),
        ("{drink isa drinks:Wine}", {"drink": "drinks:Merlot"}, True),
        ("{drink isa Wine}", {"drink": "Juice"}, False),
        ("{drink isa Wine}", {"dish": "Merlot"}, False),
        ("{drink isa Claret}", {"drink": "Merlot"}, True),
        ("{drink isa Wine}", {"drink": {"type": "Merlot"}}, True),
        ("{drink isa (not Wine)}", {"drink": 7}, True),
        ("{age isa xsd:integer[<= 25]}", {"age": 25}, True),
        ("{age isa xsd:integer[<= 25]}", {"age": 25.5}, False),
        ("{age isa xsd:integer[<= 25]}", {"age": 26}, False),
        ("{age isa xsd:integer}", {"age": "25"}, True),
        ("{age isa xsd:integer}", {"age": "25 km"}, False),
        ("{type isa OldWine}", {"type": "Wine", "hasAge": "30"}, True),
        ("{type isa OldWine}", {"type": "Wine", "hasAge": "30 a"}, False),
        ("{type isa (Wine that hasAge some xsd:integer[>= 20])}",
         {"type": "Wine", "hasAge": "30 km"}, False),
        ("{type isa (Wine that hasAge only xsd:integer[<= 25])}",
         {"type": "Wine", "hasAge": 23}, True),
        ("{type isa (Wine that hasAge only xsd:integer[<= 25])}",
         {"type": "Wine", "hasAge": 30}, False),
        ("{type isa OldWine}", {"type": "Wine", "hasAge": 30}, True),
        ("{drink isa OldWine}", {"drink": {"type": "Wine", "hasAge": 30}}, True),
        ("{drink isa OldWine}", {"drink": {"type": "Wine"}, "hasAge": 30}, False),
        ("{type isa (Wine and Colour)}", {"type": ["Merlot", "Colour"]}, True),
        ("{type isa (Wine and (hasMaker some Maker))}",
         {"type": "Wine", "hasMaker": {"type": "Maker"}}, True),
        ("{drink has hasColour = Red}", {"drink": "Chateau"}, True),
        ("{drink has hasColour = drinks:Scarlet}", {"drink": "Chateau"}, True),
        ("{drink has hasColour = White}", {"drink": "Chateau"}, False),
        ("{drink has hasColour != White}", {"drink": "Chateau"}, True),
        ("{drink has hasColour != White}", {"drink": "Merlot"}, False),
        ("{drink has hasAge >= 12}", {"drink": "Chateau"}, True),
        ("{drink has hasNote = sweet}",
         {"drink": {"type": "Wine", "hasNote": ["dry", "sweet"]}}, True),
        ("{type has hasAge < 12}", {"type": "Merlot", "hasAge": 11}, True),
        ("{type has hasNote != dry~}", {"type": "Wine", "hasNote": "dry"}, False),
        ("{type has hasNote != dry~}", {"type": "Wine", "hasNote": ["dry", "sweet"]}, True),
        ("{kind more specific than Wine}", {"kind": "Claret"}, True),
        ("{kind more specific than Wine}", {"kind": "Wine"}, False),
        ("{kind more specific than (Wine or Merlot)}", {"kind": "Wine"}, False),
        ("{kind more specific than (Wine or Merlot)}", {"kind": "Claret"}, True),
        ("{kind less specific than (Wine or Merlot)}", {"kind": "Wine"}, False),
        ("{kind less specific than (Claret or Merlot)}", {"kind": "Wine"}, True),
        ("{kind equivalent to (Wine or Merlot)}", {"kind": "Wine"}, True),
        ("{kind less specific than Merlot}", {"kind": "Claret"}, True),
        ("{kind equivalent to Claret}", {"kind": "RedWine"}, True),
        ("{kind equivalent to Claret}", {"kind": "Chateau"}, False),
        ("{drink isa Wine, tags contains all (a, b), price < 9}",
         {"drink": "Merlot", "tags": ["b", "c", "a"], "price": 5}, True),
        ("{drink isa Wine, tags within (a, b)}", {"drink": "Merlot", "tags": ["b", "c"]}, False),
    ],
)  # fmt: skip
def test_what_a_statement_must_tell_of(text: str, said: dict[str, Any], expected: bool) -> None:
    assert matched(text, said) is expected


WINES = {"type": "Wine", "hasAge": 30}, {"type": "Juice", "hasAge": 5}


@pytest.mark.parametrize("several", [WINES, WINES[::-1]])
def test_objects_of_a_list_are_told_apart(several: tuple[dict[str, Any], ...]) -> None:
    drinks = {"drink": [*several]}
    for expression, expected in [
        ("OldWine", True),
        ("(Juice that hasAge value 5)", True),
        ("(Juice that hasAge value 30)", False),
        ("(Wine and Juice)", False),
    ]:
        assert matched(f"{{drink isa {expression}}}", drinks) is expected
        turned = {"drink": [dict(reversed(one.items())) for one in several]}
        assert matched(f"{{drink isa {expression}}}", turned) is expected


def test_values_of_a_list_are_told_apart() -> None:
    wine = {
        "type": "Wine",
        "hasMaker": [{"type": "Maker", "hasAge": 3}, {"type": "Wine", "hasAge": 4}],
    }

    assert matched("{type isa (hasMaker min 2)}", wine)
    assert matched("{type isa (hasMaker some (Maker that hasAge value 3))}", wine)
    assert not matched("{type isa (hasMaker only Maker)}", wine)
    assert not matched("{type isa (hasMaker some (Maker that hasAge value 4))}", wine)


TYPE_IRI = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"


@pytest.mark.parametrize("kind", ["type", "@type", "a", "rdf:type", TYPE_IRI])
@pytest.mark.parametrize("age", ["hasAge", iri("hasAge")])
@pytest.mark.parametrize("drink", ["drink", iri("drink")])
def test_names_may_be_iris_at_any_level(drink: str, kind: str, age: str) -> None:
    wine = {kind: "Wine", age: 30}
    asked = f"<{drink}>" if ":" in drink else drink

    assert matched(f"{{{asked} isa OldWine}}", {drink: wine})
    assert matched("{type isa (hasMaker some OldWine)}", {"type": "Wine", "hasMaker": wine})


def test_a_property_may_be_near() -> None:
    matcher = Matcher([parse("{drink has hasColour = crimson~}")], ontology=drinks())

    [match] = matcher.match(Event.from_json({"drink": "Chateau"}))

    assert 0.5 <= match.probability < 1


def test_a_class_is_explained_by_who_is_in_it() -> None:
    matcher = Matcher(
        [parse("{drink isa (Wine and (hasAge some xsd:integer))}")], ontology=drinks()
    )

    [match] = matcher.match(Event.from_json({"drink": {"type": "Merlot", "hasAge": 3}}))

    assert match.explain().splitlines() == [
        "  drink isa (Wine and (hasAge some xsd:integer))  <->  drink.type: Merlot  (1.00)",
        "    class 1.00 by the ontology: drinks:Merlot with drinks:hasAge 3 isa "
        "(Wine and (hasAge some xsd:integer))",
    ]


def test_without_an_ontology_classes_are_refused_and_the_rest_goes_on() -> None:
    matcher = Matcher([parse("{a = 1}")])

    with pytest.raises(InvalidInput, match="vintage: drink isa Wine asks an ontology, and none is"):
        matcher.add(parse("{drink isa Wine} as vintage"))

    assert len(matcher.match(Event.from_json({"a": 1}))) == 1


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{drink isa Whine} as w", "w: the ontology knows no class 'Whine'"),
        ("{drink has hasColor = Red} as w", "w: the ontology knows no property 'hasColor'"),
        ("{drink has hasColour = Rde} as w", "knows no individual 'Rde'; did you mean drinks:Red"),
        ("{drink has hasColour = Wine} as w", "'Wine' is a class, expected an individual"),
        ("{drink isa hasColour} as w", "'hasColour' is a property, expected a class"),
        ("{age isa xsd:integer[>= sixty]} as w", r"integer\[>= sixty\]: expected a number"),
        ("{age isa xsd:integer[>= 5 km]} as w", r"integer\[>= 5 km\]: expected a number without"),
        ("{kind more specific than xsd:integer[< 3]} as w", "data stand in no order of classes"),
    ],
)
def test_a_name_that_the_ontology_does_not_know_is_refused(text: str, problem: str) -> None:
    matcher = Matcher([parse("{drink isa Wine}")], ontology=drinks())

    with pytest.raises(InvalidInput, match=problem):
        matcher.add(parse(text))

    assert len(matcher.match(Event.from_json({"drink": "Merlot"}))) == 1


def test_removed_subscriptions_are_not_found_by_what_is_described() -> None:
    old, any_wine = parse("{type isa OldWine}"), parse("{type isa Wine}")
    matcher = Matcher([old, any_wine], ontology=drinks())
    event = Event.from_json({"type": "Merlot", "hasAge": 30})

    before = [match.subscription for match in matcher.match(event)]
    matcher.remove(old)

    assert before == [old, any_wine]
    assert [match.subscription for match in matcher.match(event)] == [any_wine]


def test_what_is_described_is_found_after_all_words_are_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tellings, "MOST_WORDS", 3)
    matcher = Matcher([parse("{type isa OldWine}")], ontology=drinks())
    plain = [{"note": f"dry {number}", "drink": f"sweet {number}"} for number in range(9)]

    for _ in range(2):
        assert list(matcher.match_batch(plain)) == []
        assert len(list(matcher.match_batch([{"type": "Wine", "hasAge": 30}]))) == 1


def test_of_ten_thousand_class_expressions_an_event_visits_few() -> None:
    depth = 10
    names = [f"urn:x:C{number}" for number in range(1, 2**depth)]
    above = [
        SubClass(Named(f"urn:x:C{number}"), Named(f"urn:x:C{number // 2}"))
        for number in range(2, 2**depth)
    ]
    ontology = Ontology.of_axioms(
        Axioms(tuple(above), frozenset(names), frozenset(), frozenset(["urn:x:size"]), frozenset())
    )
    whole = Named("http://www.w3.org/2001/XMLSchema#integer")
    asked = []
    for number in range(10_000):
        size = Restricted(whole, (Facet(Operator.AT_MOST, Quantity(number)),))
        wanted = And((Named(names[number % len(names)]), Some(Named("urn:x:size"), size)))
        predicate = IsA(AskedAttribute(Text("type")), wanted)
        asked.append(Subscription(Conjunction((predicate,))))
    matcher = Matcher(asked, ontology=ontology)

    for number in (600, 701, 777, 1001):
        for said in (
            {"type": f"urn:x:C{number}"},
            {"type": f"urn:x:C{number}", "urn:x:size": 4000},
        ):
            before = matcher.visited
            found = matcher.match(Event.from_json(said))
            assert matcher.visited - before < 0.05 * len(asked)
            assert bool(found) is ("urn:x:size" in said)
