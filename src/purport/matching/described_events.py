"""Events that describe individuals, and the subscriptions that such an event may answer.

What most events tell can be judged word by word. Where one says the type of a thing, and more of
it, the whole description counts; then subscriptions to classes are looked at by their plans: those
that the words alone answer, and those that what is described may answer.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from purport.matching.batches import Batch
from purport.matching.class_answers import ClassAnswers
from purport.matching.class_sides import ClassSides
from purport.matching.individuals import type_level
from purport.matching.interned import Interned
from purport.matching.plan import SubscriptionPlan
from purport.matching.value_sides import side_key
from purport.model.event import Event
from purport.model.paths import path_steps
from purport.model.subscription import HasProperty, IsA
from purport.model.term import Attribute

_TYPE, _FACT = 1, 2


class DescribedEvents:
    """Plans of subscriptions to classes, by what they ask for."""

    def __init__(self, answers: ClassAnswers) -> None:
        self.plans: dict[int, SubscriptionPlan] = {}
        self.looked_at = 0
        self._answers = answers
        self._sides = ClassSides(answers)
        self._numbers: dict[object, int] = {}
        self._slots: list[set[int]] = []
        self._flags: NDArray[np.int8] = np.zeros(0, np.int8)
        self._forgotten = 0

    def add(self, slot: int, plan: SubscriptionPlan) -> None:
        """Take up a subscription."""
        self.plans[slot] = plan
        for predicate in plan.rows:
            if isinstance(predicate, IsA | HasProperty):
                self._slots[self._side(predicate)].add(slot)

    def remove(self, slot: int) -> None:
        """Drop a subscription, if it is here."""
        plan = self.plans.pop(slot, None)
        for predicate in plan.rows if plan is not None else ():
            if isinstance(predicate, IsA | HasProperty):
                self._slots[self._side(predicate)].discard(slot)

    def events_in(self, batch: Batch, interned: Interned) -> frozenset[int]:
        """The numbers of the events of a batch that describe something."""
        if not self.plans or not len(batch.attributes):
            return frozenset()
        flags = self._flags_of(interned)[batch.attributes]
        is_type = flags == _TYPE
        most_types = np.count_nonzero(is_type)
        if not most_types or (most_types == 1 and _FACT not in flags):
            return frozenset()
        events = np.repeat(np.arange(len(batch)), np.diff(batch.starts))
        types = np.bincount(events[is_type], minlength=len(batch))
        facts = np.bincount(events[flags == _FACT], minlength=len(batch))
        return frozenset(np.flatnonzero((types > 1) | ((types > 0) & (facts > 0))).tolist())

    def candidates(self, event: Event) -> dict[int, SubscriptionPlan]:
        """The subscriptions that ask for something which the event describes."""
        found: dict[int, SubscriptionPlan] = {}
        for individual in set(self._answers.individuals.described_in(event).values()):
            for side in self._sides.of_individual(individual):
                slots = self._slots[side]
                self.looked_at += len(slots)
                predicate = self._sides.predicate(side)
                if slots and self._answers.answer(predicate, individual, None).is_allowed:
                    found.update((slot, self.plans[slot]) for slot in slots)
        return found

    def _side(self, predicate: IsA | HasProperty) -> int:
        key = side_key(predicate)
        if key not in self._numbers:
            self._numbers[key] = len(self._slots)
            self._sides.add(len(self._slots), predicate)
            self._slots.append(set())
        return self._numbers[key]

    def _flags_of(self, interned: Interned) -> NDArray[np.int8]:
        """For each attribute by its number whether it says a type, or may say a fact."""
        if self._forgotten != interned.forgotten:
            self._forgotten, self._flags = interned.forgotten, np.zeros(0, np.int8)
        if len(self._flags) < len(interned.attributes):
            more = map(self._flag, interned.attributes[len(self._flags) :])
            self._flags = np.array([*self._flags, *more], np.int8)
        return self._flags

    def _flag(self, attribute: Attribute) -> int:
        if type_level(attribute) is not None:
            return _TYPE
        find = self._answers.individuals.ontology.names.find_property
        return _FACT if any(find(one) is not None for one in _levels(str(attribute))) else 0


def _levels(name: str) -> Iterator[str]:
    """What may name a property in a name with dots: the rest from any part on, and each part."""
    yield name
    parts = path_steps(name)
    for place, part in enumerate(parts):
        yield part
        yield ".".join(parts[place:])
