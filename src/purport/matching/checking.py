"""Subscriptions of which more has to be looked at than the best answer to each predicate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set

from purport.matching.batch_matches import FoundRow
from purport.matching.batches import Batch
from purport.matching.class_answers import ClassAnswers
from purport.matching.described_events import DescribedEvents
from purport.matching.interned import Interned
from purport.matching.plan import SubscriptionPlan
from purport.model.event import Event

Plans = dict[int, SubscriptionPlan]


class Checking:
    """Looks again, by their plans, at what was found of some subscriptions, and for others too.

    Those that are not sharp are found more often than they match. What an event measure ranks is
    not found at all: it is looked at for every event. Subscriptions to classes are looked at for
    events that describe something. One with guards is looked at only if all of these match.
    """

    def __init__(self, classes: ClassAnswers | None) -> None:
        self._relaxed: Plans = {}
        self._ranked: Plans = {}
        self._described = DescribedEvents(classes) if classes is not None else None
        self.guards: dict[int, tuple[int, ...]] = {}
        self._guarded: dict[int, set[int]] = {}  # by a guard, whom it guards
        self.plans_run = 0

    @property
    def looked_at(self) -> int:
        """How many subscriptions were looked at for what events describe."""
        return self._described.looked_at if self._described is not None else 0

    def add(self, slot: int, plan: SubscriptionPlan) -> None:
        """Take up a subscription, if there is more to look at."""
        if not plan.is_of_words:
            self._ranked[slot] = plan
            return
        if not plan.is_sharp:
            self._relaxed[slot] = plan
        if self._described is not None and plan.is_of_classes:
            self._described.add(slot, plan)

    def remove(self, slot: int) -> None:
        """Drop a subscription, if it is here."""
        self._relaxed.pop(slot, None)
        self._ranked.pop(slot, None)
        if self._described is not None:
            self._described.remove(slot)
        self.guard(slot, ())
        for guarded in self._guarded.pop(slot, ()):
            self.guards[guarded] = tuple(one for one in self.guards[guarded] if one != slot)

    def plan_of(self, slot: int) -> SubscriptionPlan | None:
        """The plan that a slot is looked at by where words alone do not decide; else None."""
        plan = self._relaxed.get(slot)
        if plan is None and self._described is not None:
            plan = self._described.plans.get(slot)
        return plan

    def guard(self, slot: int, guards: Sequence[int]) -> None:
        """Look at a slot only if others match, which match whatever it does; in place of others."""
        for one in self.guards.pop(slot, ()):
            self._guarded[one].discard(slot)
        if guards:
            self.guards[slot] = tuple(guards)
        for one in guards:
            self._guarded.setdefault(one, set()).add(slot)

    def describing(self, batch: Batch, interned: Interned) -> frozenset[int]:
        """The events of a batch that describe something which is asked for."""
        if self._described is None:
            return frozenset()
        return self._described.events_in(batch, interned)

    def needs(self, describing: frozenset[int]) -> bool:
        """Whether there is anything to look at."""
        return bool(self._relaxed or self._ranked or describing)

    def checked(
        self,
        rows: Iterable[FoundRow],
        events: int,
        event_at: Callable[[int], Event],
        describing: frozenset[int],
    ) -> list[FoundRow]:
        """What holds of the rows that were found, and what was not found."""
        kept: list[FoundRow] = []
        plans: dict[int, Plans] = {number: {} for number in describing}
        matched: dict[int, set[int]] = {}
        for row in rows:
            plan = self._plan(row, describing)
            if plan is not None:
                plans.setdefault(row.event, {})[row.slot] = plan
                continue
            kept.append(row)
            if row.slot in self._guarded:
                matched.setdefault(row.event, set()).add(row.slot)
        for number in range(events) if self._ranked else sorted(plans):
            event = event_at(number)
            wanted = self._ranked | plans.get(number, {})
            if self._described is not None and number in describing:
                wanted |= self._described.candidates(event)
            kept += self._looked_at(wanted, event, number, matched.get(number, frozenset()))
        return sorted(kept)

    def _looked_at(
        self, wanted: Plans, event: Event, number: int, matched: Set[int]
    ) -> list[FoundRow]:
        """What matches of the plans for an event, guards first; others are known to match."""
        known: dict[int, FoundRow | None] = {}
        waiting = list(wanted)
        while waiting:
            slot = waiting[-1]
            guards = [one for one in self.guards.get(slot, ()) if one not in matched]
            unknown = [one for one in guards if one in wanted and one not in known]
            is_kept_out = any(one not in unknown and known.get(one) is None for one in guards)
            if slot not in known and unknown and not is_kept_out:
                waiting.append(unknown[0])
                continue
            waiting.pop()
            if slot not in known:
                known[slot] = None if is_kept_out else self._row(wanted[slot], event, number, slot)
        return [row for row in known.values() if row is not None]

    def _row(self, plan: SubscriptionPlan, event: Event, number: int, slot: int) -> FoundRow | None:
        """The best mapping, if it reaches the threshold."""
        self.plans_run += 1
        for best in plan.vectors(event, 1):
            if plan.reaches(best.probability):
                return FoundRow(number, slot, best.probability, best.vector, best.similarities)
        return None

    def _plan(self, row: FoundRow, describing: frozenset[int]) -> SubscriptionPlan | None:
        """The plan that a row is to be checked by; None if it holds as it is."""
        plan = self._relaxed.get(row.slot)
        if plan is None and self._described is not None and row.event in describing:
            return self._described.plans.get(row.slot)
        return plan
