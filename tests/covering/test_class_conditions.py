"""What follows from one predicate of classes, against all told things that there are to try."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from itertools import product
from typing import Any

import pytest

from purport import InvalidInput, Matcher, Ontology, Subscription, parse
from purport.covering.covers import covers
from purport.model.language.write import write
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
