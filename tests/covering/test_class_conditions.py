"""What follows from one predicate of classes, against all told things that there are to try."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from itertools import product
from typing import Any

import pytest

from purport import Event, InvalidInput, Matcher, Ontology, Subscription, parse
from purport.covering.covers import covers
from purport.model.class_expression import Named, Or
from purport.model.language.write import write
from purport.ontology.axioms import Axioms, ClassAssertion, SubClass, SubProperty
from tests.strategies.covering_classes import simple_drinks
from tests.strategies.small_ontology import EXPRESSIONS, WORDS, drinks

_RELATIONS = ("more specific than", "less specific than", "equivalent to")
_COLOURS = ("Red", "Scarlet", "White", "Green", "3")
_AGES = ("3", "12", "20", "dry")


def _asked() -> Iterator[str]:
    for expression in EXPRESSIONS:
        yield f"drink isa {expression}"
        for relation in _RELATIONS:
            yield f"drink {relation} {expression}"
    for name, operator, colour in product(("hasColour", "hasMainColour"), ("=", "!="), _COLOURS):
        yield f"drink has {name} {operator} {colour}"
    for operator, age in product(("=", "!=", "<", "<=", ">", ">="), _AGES[:-1]):
        yield f"drink has hasAge {operator} {age}"
    for name, operator in product(("hasNote", "hasAge"), ("=", "!=")):
        yield f"drink has {name} {operator} dry"


def _said() -> Iterator[Any]:
    yield from (*WORDS, 3, 12, 30)
    for word in WORDS:
        yield {"type": word}
        yield from ({"type": word, "hasAge": age} for age in (2, 3, 11, 12, 13, 20, 30, "dry"))
        for name, colour in product(("hasColour", "hasMainColour"), (*_COLOURS, 3)):
            yield {"type": word, name: colour}
    for age, colour in product((3, 12, 20), _COLOURS):
        yield {"hasAge": age, "hasColour": colour, "hasNote": "dry"}
    for maker in ({"type": "Maker"}, {"hasAge": 3}, {"type": "Wine", "hasAge": 3}):
        yield {"hasMaker": maker}
        yield {"hasMaker": [maker, {"type": "Maker", "hasAge": 12}], "type": "Juice"}


@pytest.mark.parametrize("ontology", [drinks(), simple_drinks()], ids=["drinks", "simple drinks"])
def test_what_answers_a_predicate_of_classes_answers_what_it_implies(ontology: Ontology) -> None:
    matcher = Matcher(measure="exact", ontology=ontology)
    subscriptions: list[Subscription] = []
    for text in _asked():
        with suppress(InvalidInput):  # data stand in no order of classes
            one = parse(f"{{{text}}}")
            matcher.add(one)
            subscriptions.append(one)
    told = defaultdict(set)
    for match in matcher.match_batch([{"drink": one} for one in _said()]):
        told[match.subscription].add(match.event)
    wrong = [
        (write(one), write(other))
        for one, other in product(subscriptions, repeat=2)
        if covers(one, other, ontology=ontology) and not told[other] <= told[one]
    ]

    assert not wrong
    assert len(subscriptions) > 100


_X = "http://example.org/x#"


def _x(name: str) -> Named:
    return Named(_X + name)


_UNION = Or((_x("A"), _x("B")))
_ODD = Ontology.of_axioms(
    Axioms(
        (
            SubProperty(_x("temperature_C"), _x("temperature_F")),
            SubClass(_x("M"), _UNION),
            SubClass(_x("A"), _x("W")),
            SubClass(_x("B"), _x("W")),
            SubClass(_x("A"), _x("V")),
            ClassAssertion(_X + "i", _UNION),
        ),
        frozenset(_X + name for name in "ABCMVW"),
        frozenset(),
        frozenset({_X + "temperature_C", _X + "temperature_F"}),
        frozenset({_X + "i"}),
        prefixes={"x": _X},
    )
)


@pytest.mark.parametrize(
    ("general", "specific", "told"),
    [
        (
            "thing has temperature_F > 20 °C",
            "thing has temperature_C > 25 °C",
            {"type": "W", "temperature_C": 30},
        ),
        ("thing isa W", "thing isa (A or B)", "i"),
        ("thing isa (V or B)", "thing isa (A or B)", {"type": "M"}),
        ("thing isa (W and (A or B or C))", "thing isa (A or B)", "i"),
    ],
)  # fmt: skip
def test_what_looks_like_covering_has_an_event_against_it(
    general: str, specific: str, told: object
) -> None:
    one, other = (parse(f"{{{text}}}") for text in (general, specific))
    matcher = Matcher([one, other], measure="exact", ontology=_ODD)

    [match] = matcher.match(Event.from_json({"thing": told}))

    assert match.subscription == other
    assert not covers(one, other, ontology=_ODD)
