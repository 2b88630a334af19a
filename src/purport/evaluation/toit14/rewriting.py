"""The rival of TOIT'14, 6.3: approximate subscriptions rewritten by WordNet, then matched exactly.

An approximate part is replaced by words one step away in WordNet, in every sense of the word. A
term of several words is read as WordNet's own phrases where it has them (`washing machine`), the
longest first, and word by word otherwise; each of these places is replaced on its own, and may stay
as it is. (Reading phrases word by word too would need many times the rules and gain a tenth of a
point of F1.) Every combination of the alternatives is an exact rule.

The number of rules may be bounded. The bound is shared out among the subscriptions, where one that
needs little leaves more for the others, and within a subscription the places with the most
alternatives give up their last ones: those of rare senses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from purport.evaluation.rule_index import Pair, RuleIndex
from purport.evaluation.toit14.workload import AskedPredicate, Workload
from purport.relatedness.wordnet import WordNet
from purport.relatedness.wordnet_neighbours import Neighbour, neighbours

Answers = NDArray[np.bool_]
Alternatives = Callable[[str], tuple[tuple[str, ...], ...]]

EXPANSIONS = (
    (Neighbour.SYNONYM,),
    (Neighbour.SYNONYM, Neighbour.HYPERNYM),
    (Neighbour.SYNONYM, Neighbour.HYPONYM),
    tuple(Neighbour),
)
MOST_RULES = 300_000


@dataclass(frozen=True, slots=True)
class RewrittenTerm:
    """The alternatives at each place of a term; the first of each is what was asked for."""

    places: tuple[tuple[str, ...], ...]

    @classmethod
    def as_it_is(cls, term: str) -> RewrittenTerm:
        """A term that is not approximate."""
        return cls(((term,),))

    def texts(self) -> Iterator[str]:
        """Every way to say the term."""
        return (" ".join(way) for way in product(*self.places))

    def pattern(self) -> re.Pattern[str]:
        """What those ways have in common, without listing them."""
        choices = ("|".join(map(re.escape, place)) for place in self.places)
        return re.compile(" ".join(f"(?:{choice})" for choice in choices))


@dataclass(frozen=True, slots=True)
class RewrittenPredicate:
    """A predicate with the alternatives of its attribute and of its value."""

    attribute: RewrittenTerm
    value: RewrittenTerm

    def statements(self) -> list[Pair]:
        """Every statement that answers the predicate."""
        return list(product(self.attribute.texts(), self.value.texts()))


@dataclass(frozen=True, slots=True)
class RewrittenSubscription:
    """A subscription that stands for many exact rules."""

    predicates: tuple[RewrittenPredicate, ...]

    @property
    def rule_count(self) -> int:
        """How many combinations of alternatives there are."""
        return prod(self._sizes)

    def rules(self) -> Iterator[tuple[Pair, ...]]:
        """Every combination of alternatives: a statement for each predicate."""
        return product(*(predicate.statements() for predicate in self.predicates))

    def within(self, most: int) -> RewrittenSubscription:
        """With so few alternatives at each place that there are no more rules than these."""
        sizes = iter(_bounded(self._sizes, most))

        def cut(term: RewrittenTerm) -> RewrittenTerm:
            return RewrittenTerm(tuple(place[: next(sizes)] for place in term.places))

        return RewrittenSubscription(
            tuple(RewrittenPredicate(cut(one.attribute), cut(one.value)) for one in self.predicates)
        )

    @property
    def _sizes(self) -> list[int]:
        return [
            len(place)
            for one in self.predicates
            for term in (one.attribute, one.value)
            for place in term.places
        ]


def rewritten(
    subscription: Sequence[AskedPredicate], alternatives: Alternatives
) -> RewrittenSubscription:
    """A subscription with its approximate parts expanded, the others as they are."""

    def term(text: str, is_relaxed: bool) -> RewrittenTerm:
        return RewrittenTerm(alternatives(text)) if is_relaxed else RewrittenTerm.as_it_is(text)

    return RewrittenSubscription(
        tuple(
            RewrittenPredicate(
                term(one.attribute, one.attribute_is_relaxed), term(one.value, one.value_is_relaxed)
            )
            for one in subscription
        )
    )


def wordnet_alternatives(wordnet: WordNet, kinds: Sequence[Neighbour]) -> Alternatives:
    """The places of a term, each with itself and its neighbours of some kinds."""

    @cache
    def alternatives(term: str) -> tuple[tuple[str, ...], ...]:
        return tuple(
            (word, *neighbours(wordnet, word, kinds))
            for word in wordnet.merged(tuple(term.split()))
        )

    return alternatives


def within(
    subscriptions: Sequence[RewrittenSubscription], most_rules: int
) -> tuple[RewrittenSubscription, ...]:
    """Subscriptions that have no more rules than these together, and one each at the least."""
    counts = [one.rule_count for one in subscriptions]
    bounded = list(subscriptions)
    left = most_rules
    for done, place in enumerate(sorted(range(len(counts)), key=counts.__getitem__)):
        share = max(1, left // (len(counts) - done))
        bounded[place] = subscriptions[place].within(share)
        left -= bounded[place].rule_count
    return tuple(bounded)


def answers_by_rules(
    subscriptions: Sequence[RewrittenSubscription], workload: Workload
) -> list[Answers]:
    """For each subscription the events that answer one of its rules, all of which are listed."""
    index = RuleIndex()
    for number, subscription in enumerate(subscriptions):
        for rule in subscription.rules():
            index.add(rule, number)
    answers = np.zeros((len(subscriptions), len(workload.events)), np.bool_)
    for place, event in enumerate(workload.events):
        answers[list(index.answered(event.statements)), place] = True
    return list(answers)


def answers_by_parts(
    subscriptions: Sequence[RewrittenSubscription], workload: Workload
) -> list[Answers]:
    """The same, without listing a rule.

    Some combination of alternatives is in an event just when each predicate has a statement in it
    that is among its alternatives, whatever the other predicates have.
    """
    texts = sorted({text for pair in workload.statements for text in pair})

    @cache
    def said(term: RewrittenTerm) -> frozenset[str]:
        return frozenset(filter(term.pattern().fullmatch, texts))

    def answers(predicate: RewrittenPredicate) -> Answers:
        attributes, values = said(predicate.attribute), said(predicate.value)
        return workload.events_with(
            lambda attribute, value: attribute in attributes and value in values
        )

    return [
        np.logical_and.reduce([answers(predicate) for predicate in one.predicates])
        for one in subscriptions
    ]


def _bounded(sizes: Sequence[int], most: int) -> list[int]:
    """Sizes cut to one height, and then by one more where there is room, with a bounded product."""
    height = 1
    while height < max(sizes) and prod(min(size, height + 1) for size in sizes) <= most:
        height += 1
    bounded = [min(size, height) for size in sizes]
    for place, size in enumerate(sizes):
        higher = [*bounded[:place], min(size, height + 1), *bounded[place + 1 :]]
        if prod(higher) <= most:
            bounded = higher
    return bounded
