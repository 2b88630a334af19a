"""Who subscribes to what, and what is published (KBN, section VII, Tables 3 and 4)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from random import Random

from purport.errors import InvalidInput
from purport.model.event import Event, Statement
from purport.model.interval import Interval, time_of
from purport.model.language.parse import parse
from purport.model.subscription import Subscription
from purport.model.term import Resource, Text
from purport.model.units import Quantity
from purport.ontology.ontology import Ontology
from purport.temporal.occurrence import Occurrence

SECOND = 1_000_000
FIRST_AT = 1_260_000_000 * SECOND  # December 2009, when the paper was written
SUBSCRIBERS = 50
WINES_OF_A_COLOUR = 5

RED = "{B has wine:hasColor = wine:Red}"
TABLE_3 = {
    "A": "{A < 8}",
    "B": RED,
    "C": f"{{A filter(<, last 200) {RED}}}",
    "D": "{end during {A < 8}}",
    "E": "{start after(500 s) {A < 8}}",
    "F": "{start after(125 s) {A < 8}}",
    "G": "{A filter(<, last 200) {C > 10}}",
}
TABLE_4 = {
    "A": f"{{A filter(=, last LIMIT) {RED}}}",
    "G": "{A filter(=, last LIMIT) {C > 10}}",
}


@dataclass(frozen=True, slots=True)
class Cellar:
    """An ontology with wines, and the names of five red ones and five white ones."""

    ontology: Ontology
    wines: tuple[str, ...]

    @classmethod
    def load(cls, path: Path | None = None) -> Cellar:
        """The one that comes with this package, or another: the W3C's wine ontology will do."""
        if path is None:
            with as_file(files("purport.evaluation.kbn") / "cellar.ttl") as shipped:
                return cls.load(shipped)
        ontology = Ontology.load(path, ignores_missing_imports=True)
        return cls(ontology, (*_wines(ontology, "Red"), *_wines(ontology, "White")))


def _wines(ontology: Ontology, colour: str) -> list[str]:
    """The first wines of a colour, in the order of their names."""
    asked = ontology.expression(f"wine:hasColor value wine:{colour}")
    names = sorted(ontology.axioms.individuals)
    found = [name for name in names if ontology.is_member(Resource(name), asked)]
    if len(found) < WINES_OF_A_COLOUR:
        raise InvalidInput(
            f"the ontology has {len(found)} wines that are {colour}, five are needed"
        )
    return found[:WINES_OF_A_COLOUR]


@dataclass(frozen=True, slots=True)
class Pace:
    """How often an event begins."""

    every: int  # microseconds

    def start(self, number: int) -> int:
        """When an event begins, by its number."""
        return FIRST_AT + number * self.every


EVERY_TEN_SECONDS = Pace(10 * SECOND)
EVERY_THREE_SECONDS = Pace(3 * SECOND)


def happenings(cellar: Cellar, pace: Pace, rng: Random, first: int = 0) -> Iterator[Occurrence]:
    """Events without end, each three to eight seconds long.

    A is from 1 to 10 and B is a wine, as the paper says. It names no C, of which two filters ask:
    so that these are answered too, C is from 1 to 20.
    """
    wines = [Resource(name) for name in cellar.wines]
    numbers = [Quantity(number) for number in range(21)]
    a, b, c = Text("A"), Text("B"), Text("C")
    number = first
    while True:
        start = pace.start(number)
        said = (
            Statement(a, numbers[rng.randint(1, 10)]),
            Statement(b, rng.choice(wines)),
            Statement(c, numbers[rng.randint(1, 20)]),
        )
        end = start + rng.randint(3 * SECOND, 8 * SECOND)
        number += 1
        yield Occurrence(f"happening-{number}", start, end, said, number)


def publications(occurrence: Occurrence) -> tuple[Event, Event]:
    """What is published of an event: that it began, and later that it ended."""
    assert occurrence.end is not None
    began = Interval(time_of(occurrence.start), None)
    ended = Interval(None, time_of(occurrence.end))
    return (
        Event(occurrence.statements, occurrence.id, began),
        Event((), occurrence.id, ended),
    )


def table_3_subscriptions(rng: Random, count: int = SUBSCRIBERS) -> list[Subscription]:
    """What subscribers want in the first test: each one of the filters of Table 3."""
    forms = {name: parse(text) for name, text in TABLE_3.items()}
    return [forms[rng.choice(sorted(forms))] for _ in range(count)]


def table_4_subscriptions(rng: Random, limit: int, count: int = SUBSCRIBERS) -> list[Subscription]:
    """The same in the second test, with the limit that it is about."""
    forms = [parse(text.replace("LIMIT", str(limit))) for text in TABLE_4.values()]
    return [rng.choice(forms) for _ in range(count)]
