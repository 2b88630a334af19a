"""What the nodes of a scenario may publish and ask for, before any of it is drawn.

What is found out about events and subscriptions is kept, for the next run over the same interests.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import as_file, files
from pathlib import Path

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from purport.errors import InvalidInput
from purport.model.class_expression import And, ClassExpression, HasValue, Named
from purport.network.computing import Work, Workbench
from purport.network.errors import ScenarioError
from purport.network.scenario import Interests
from purport.ontology.codes.messages import read_event, read_subscription
from purport.ontology.description import Description
from purport.ontology.ontology import Ontology

Flags = NDArray[np.bool_]

_SHIPPED = "sensing.ttl"
_DEFINED, _LEVEL = "sensing:Severe", "sensing:level"  # of the ontology that is shipped
_LEVELS = (1, 3, 5)
_PAIRED, _LIMITED = 0.2, 0.2  # how often a subscription is of two classes, or of a level


class Pool:
    """Events and subscriptions over an ontology, as texts; `ScenarioError` if one is none."""

    def __init__(self, interests: Interests) -> None:
        self.ontology = _loaded(interests.ontology)
        self._has_levels = not interests.ontology
        classes, names = self.ontology.classes, self.ontology.names
        self._classes = [name for name in classes if name not in classes.unsatisfiable]
        self._lowest = [
            name for name in self._classes if classes.children(name) <= classes.unsatisfiable
        ]
        if not self._lowest:
            raise ScenarioError("interests.ontology", "expected classes, got none")
        self.events = interests.events or tuple(map(names.short, self._lowest))
        if self._has_levels and not interests.events:
            self.events = tuple(
                f"{name} that {_LEVEL} value {level}"
                for name in self.events
                if name != _DEFINED
                for level in _LEVELS
            )
        self._given = interests.subscriptions
        self._bench = Workbench(self.ontology.encodings)
        self._works: dict[tuple[str, str], Work] = {}
        self._covers: dict[tuple[str, str], bool] = {}
        for text in interests.events:
            self.description(text)
        for text in interests.subscriptions:
            self.expression(text)

    def expression(self, text: str, place: str = "interests.subscriptions") -> ClassExpression:
        """A class expression with full names; `place` is the option that it comes from."""
        try:
            return self.ontology.expression(text)
        except InvalidInput as error:
            raise ScenarioError(place, f"{text!r}: {error}") from None

    def description(self, text: str) -> Description:
        """What an event tells: classes, and values of properties."""
        place = "interests.events"
        expression = self.expression(text, place)
        types, facts = [], []
        for part in expression.operands if isinstance(expression, And) else (expression,):
            match part:
                case Named(name):
                    types.append(name)
                case HasValue(Named(name), value):
                    told = Description(value.name) if isinstance(value, Named) else value
                    facts.append((name, told))
                case _:
                    expected = "classes and values, e.g. `Smoke that level value 4`"
                    raise ScenarioError(place, f"{text!r}: expected {expected}")
        return Description(types=tuple(types), facts=tuple(facts))

    def drawn_subscription(self, rng: Generator) -> str:
        """One of those that are given.

        If none are: a class, one with a limit, or two that have something below both.
        """
        if self._given:
            return self._given[int(rng.integers(len(self._given)))]
        short = self.ontology.names.short
        kind = rng.random()
        if kind < _PAIRED:
            lowest = self._lowest[int(rng.integers(len(self._lowest)))]
            above = sorted(self.ontology.classes.ancestors(lowest).intersection(self._classes))
            if len(above) > 1:
                one, other = (above[int(place)] for place in rng.choice(len(above), 2, False))
                return f"{short(one)} and {short(other)}"
        name = short(self._classes[int(rng.integers(len(self._classes)))])
        if self._has_levels and kind > 1 - _LIMITED:
            return f"{name} that {_LEVEL} some xsd:integer[>= {int(rng.integers(2, 6))}]"
        return name

    def event_message(self, event: str) -> bytes:
        """An event as it goes over the air."""
        return self.ontology.event_message(self.description(event))

    def subscription_message(self, subscription: str) -> bytes:
        """A subscription as it goes over the air."""
        return self.ontology.subscription_message(self.expression(subscription))

    def works(self, events: Sequence[str], subscriptions: Sequence[str]) -> list[list[Work]]:
        """Each event matched with each subscription, as messages."""
        told = [read_event(self.event_message(event)) for event in events]
        sought = [read_subscription(self.subscription_message(text)) for text in subscriptions]
        for event, individual in zip(events, told, strict=True):
            for subscription, expression in zip(subscriptions, sought, strict=True):
                if (event, subscription) not in self._works:
                    found = self._bench.work(individual, expression)
                    self._works[event, subscription] = found
        return [[self._works[event, text] for text in subscriptions] for event in events]

    def covers(self, subscriptions: Sequence[str], answers: Flags) -> list[list[bool]]:
        """Which subscription, by rows, takes in all that another one does.

        Where `answers[event, subscription]` show that it does not, nothing has to be inferred.
        """
        asked = {text: self.expression(text) for text in subscriptions}
        refused = (~answers).T.astype(np.float32) @ answers.astype(np.float32) > 0
        for row, (wider, one) in enumerate(asked.items()):
            for column, (narrower, other) in enumerate(asked.items()):
                if refused[row, column]:
                    continue
                if (wider, narrower) not in self._covers:
                    found = wider == narrower or self.ontology.subsumes_expression(one, other)
                    self._covers[wider, narrower] = found
        return [
            [self._covers.get((one, other), False) for other in subscriptions]
            for one in subscriptions
        ]


@lru_cache(maxsize=8)
def pool_of(interests: Interests) -> Pool:
    """The pool of some interests, the same one again for equal ones."""
    return Pool(interests)


@lru_cache(maxsize=8)
def _loaded(paths: tuple[Path, ...]) -> Ontology:
    if paths:
        return Ontology.load(*paths)
    with as_file(files("purport.network") / _SHIPPED) as shipped:
        return Ontology.load(shipped)
