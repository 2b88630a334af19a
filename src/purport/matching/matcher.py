"""The matcher: an event in, the subscriptions that it answers out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from purport.errors import InvalidInput
from purport.matching.explanation import MatchExplanation, explain_match
from purport.matching.first_line import ValuePredicate, value_answers
from purport.matching.keys import Key, asked_attribute_key, told_attribute_keys
from purport.matching.measures import Measures
from purport.matching.plan import DEFAULTS, Mode, SubscriptionPlan, mode_of
from purport.matching.predicate_index import PredicateIndex
from purport.matching.screen import Screen
from purport.model.event import Event, Statement
from purport.model.match import Correspondence, Mapping, Match
from purport.model.subscription import Subscription
from purport.relatedness.lexicon import Lexicon
from purport.relatedness.measure import Measure


@dataclass(slots=True)
class Work:
    """How much a matcher has done: what an index saves shows here, on any machine."""

    events: int = 0
    subscriptions_visited: int = 0


class Matcher:
    """Finds the subscriptions that an event answers.

    >>> from purport import Event, Matcher, parse
    >>> matcher = Matcher([parse("{device = laptop~, temperature > 25 °C} as hot")])
    >>> [match] = matcher.match(Event.from_json({"device": "computer", "temperature": "80 °F"}))
    >>> match.subscription.name, match.probability > 0.9
    ('hot', True)

    `measure` (an object or a name) is used for every `~` that names none; `mode` "paper" means the
    equations of TOIT'14: the measure `esa`, the mean, and exact predicates that count like others.
    """

    def __init__(
        self,
        subscriptions: Iterable[Subscription] = (),
        *,
        measure: Measure | str | None = None,
        mode: Mode | str = Mode.DEFAULT,
        lexicon: Lexicon | None = None,
    ) -> None:
        self.work = Work()
        self._defaults = DEFAULTS[mode_of(mode)]
        self.measures = Measures(measure or self._defaults.measure, lexicon)
        self._plans: dict[int, SubscriptionPlan] = {}
        self._numbers: dict[Subscription, list[int]] = {}
        self._named: dict[str, Subscription] = {}
        self._exact: dict[int, tuple[ValuePredicate, ...]] = {}
        self._approximate: dict[int, SubscriptionPlan] = {}
        self._screen = Screen(self.measures)
        self._screened: set[int] = set()
        self._index = PredicateIndex()
        self._next_number = 0
        for subscription in subscriptions:
            self.add(subscription)

    @property
    def subscriptions(self) -> tuple[Subscription, ...]:
        """What is subscribed to now, oldest first."""
        return tuple(plan.subscription for plan in self._plans.values())

    def add(self, subscription: Subscription) -> None:
        """Take up a subscription.

        `NotSupportedYet` if it has a form that no engine here runs, `InvalidInput` if its name is
        that of another one or it names a measure that nobody knows.
        """
        plan = SubscriptionPlan.of(subscription, self.measures, self._defaults)
        name, number = subscription.name, self._next_number
        if name is not None and self._named.setdefault(name, subscription) != subscription:
            raise InvalidInput(f"the name {name!r} is taken by another subscription")
        self._next_number += 1
        self._numbers.setdefault(subscription, []).append(number)
        self._plans[number] = plan
        if plan.is_exact and not plan.is_one_to_one and plan.top == 1:
            self._exact[number] = plan.value_predicates
            self._index.add(number, self._exact[number])
        else:
            self._approximate[number] = plan
            if self._screen.takes(plan):
                self._screen.add(number, plan)
                self._screened.add(number)

    def remove(self, subscription: Subscription) -> None:
        """Drop a subscription; `KeyError` if it is not here."""
        numbers = self._numbers[subscription]
        number = numbers.pop(0)
        if not numbers:
            del self._numbers[subscription]
            self._named.pop(subscription.name or "", None)
        del self._plans[number]
        if self._exact.pop(number, None) is not None:
            self._index.remove(number)
        else:
            del self._approximate[number]
            if number in self._screened:
                self._screened.remove(number)
                self._screen.remove(number)

    def learn(self, events: Iterable[Event]) -> None:
        """Score the words of events that are to be matched, all at once: it saves time, no more."""
        self._screen.learn(events)

    def match(self, event: Event) -> list[Match]:
        """The subscriptions that the event answers, best first; among equals, oldest first."""
        candidates = self._index.candidates(event)
        self.work.events += 1
        self.work.subscriptions_visited += len(candidates)
        found = [*self._exact_matches(event, candidates), *self._approximate_matches(event)]
        found.sort(key=lambda pair: (-round(pair[1].probability, 12), pair[0]))
        return [match for _, match in found]

    def mappings(self, event: Event, subscription: Subscription, k: int) -> list[Mapping]:
        """The k best mappings of a subscription to an event, best first.

        The subscription need not be one that the matcher has taken up.
        """
        if k < 1:
            raise InvalidInput(f"k must be 1 or more, got {k}")
        plan = SubscriptionPlan.of(subscription, self.measures, self._defaults)
        return plan.mappings(event, k)

    def explain(self, match: Match) -> MatchExplanation:
        """Why an event matches: all similarities, the measures behind them, the runners-up."""
        plan = SubscriptionPlan.of(match.subscription, self.measures, self._defaults)
        found = explain_match(plan, match.event)
        if found is None:
            raise InvalidInput("the event has nothing that answers the subscription")
        return found

    def _exact_matches(
        self, event: Event, candidates: Iterable[int]
    ) -> Iterator[tuple[int, Match]]:
        said: dict[Key, list[Statement]] | None = None
        for number in candidates:
            said = _by_attribute(event) if said is None else said
            mapping = _exact_mapping(self._exact[number], said)
            if mapping is not None:
                subscription = self._plans[number].subscription
                yield number, Match(subscription, event, mapping, explainer=self.explain)

    def _approximate_matches(self, event: Event) -> Iterator[tuple[int, Match]]:
        unscreened = self._approximate.keys() - self._screened
        candidates = [*self._screen.candidates(event), *unscreened]
        self.work.subscriptions_visited += len(candidates)
        for number in candidates:
            plan = self._approximate[number]
            mappings = plan.mappings(event, plan.top)
            if mappings and mappings[0].probability >= plan.threshold:
                best, *others = mappings
                yield (
                    number,
                    Match(plan.subscription, event, best, tuple(others), self.explain),
                )


def _by_attribute(event: Event) -> dict[Key, list[Statement]]:
    """The event's statements under the keys of their attributes."""
    said: dict[Key, list[Statement]] = {}
    for statement in event.statements:
        for key in told_attribute_keys(statement.attribute):
            said.setdefault(key, []).append(statement)
    return said


def _exact_mapping(
    predicates: tuple[ValuePredicate, ...], said: dict[Key, list[Statement]]
) -> Mapping | None:
    """The first statement that answers each predicate; None if some predicate has no answer."""
    share = 1 / len(predicates)
    pairs = []
    for predicate in predicates:
        told = said.get(asked_attribute_key(predicate.attribute.term), ())
        statement = next((one for one in told if value_answers(one, predicate)), None)
        if statement is None:
            return None
        pairs.append(Correspondence(predicate, statement, similarity=1.0, probability=share))
    return Mapping(tuple(pairs), 1.0)
