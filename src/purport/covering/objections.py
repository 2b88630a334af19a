"""Why one subscription is not known to cover another: what it asks for that does not follow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from purport.covering.braces import Braces
from purport.covering.demand import Demand
from purport.covering.plain import Plain
from purport.model.language.write import write_predicate
from purport.model.subscription import Conjunction, Options, Predicate, Subscription
from purport.temporal.asked import Parts, approximate, attribute_of


@dataclass(frozen=True, slots=True)
class Objections:
    """What keeps a subscription from covering another one: predicates, and other reasons."""

    predicates: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.predicates or self.reasons)

    def __iter__(self) -> Iterator[str]:
        """All of them in words."""
        yield from (f"does not follow: {one}" for one in self.predicates)
        yield from self.reasons


def objections(general: Subscription, one: Demand, other: Demand) -> Objections:
    """What there is against a subscription, the demand of which does not cover another."""
    predicates = tuple(map(write_predicate, _not_implied(general, one, other)))
    reasons = [*_of_options(one.options, other.options), *_of_kinds(one, other)]
    if isinstance(one.asked, Plain) and isinstance(other.asked, Plain):
        reasons += _of_judging(one.asked, other.asked)
    if isinstance(one.asked, Braces) and isinstance(other.asked, Braces):
        reasons += _of_names(one.asked, other.asked)
    if not predicates and not reasons:
        reasons = ["what it asks for is not known to follow from all that the other one accepts"]
    return Objections(predicates, tuple(reasons))


def _of_options(mine: Options, its: Options) -> Iterator[str]:
    """How it may be told of less, or for a shorter time."""
    if mine.on_change:
        yield "on change: it is not told of every event that it accepts"
    if mine.at_most_once_per is not None:
        yield "at most once per: it is not told of every event that it accepts"
    if mine.expires is not None and (its.expires is None or its.expires > mine.expires):
        yield "expires: it ends before the other one does"


def _of_kinds(one: Demand, other: Demand) -> Iterator[str]:
    """Which of the two is about several events, if not both are."""
    if one.asked is None or other.asked is None:
        yield "nothing answers one of them, or no engine runs it: it is like what is written alike"
    elif not isinstance(one.asked, Plain) and isinstance(other.asked, Plain):
        yield "it asks for several events, the other one for one"
    elif isinstance(one.asked, Plain) and not isinstance(other.asked, Plain):
        yield "the other one asks for several events: no one statement is known to answer it"


def _of_judging(one: Plain, other: Plain) -> Iterator[str]:
    """What the other one accepts though not all of its predicates hold; what makes it harder."""
    if other.rows and not other.facts.said and any(row.is_exact for row in other.rows):
        yield "the other one accepts events that do not answer all of its predicates"
    if one.judging.is_one_to_one and not other.judging.is_one_to_one:
        yield "mapping 1:1: it wants a statement for each predicate, the other one does not"
    if any(one.texts) and one.judging.threshold > other.judging.threshold:
        yield f"its threshold is higher: {one.judging.threshold:g} > {other.judging.threshold:g}"


def _of_names(one: Braces, other: Braces) -> Iterator[str]:
    """Names that have their values elsewhere in the other one, and what is read with `~`."""
    given = dict(other.binds)
    for name, attribute in one.binds:
        if given.get(name) != attribute:
            yield f"the other one does not give ${name} its value by the same attribute"
    if not one.is_known:
        yield "the value of an attribute with ~ is read: which one it is depends on the event"


def _not_implied(general: Subscription, one: Demand, other: Demand) -> Sequence[Predicate]:
    """The predicates of a subscription that do not follow from what another one asks."""
    pattern, mine, its = general.pattern, one.asked, other.asked
    if not isinstance(pattern, Conjunction):
        return ()
    if isinstance(mine, Plain) and isinstance(its, Plain):
        return _not_met(pattern.predicates, mine, its)
    if isinstance(mine, Braces) and isinstance(its, Braces):
        return _not_around(pattern, mine, its)
    return ()


def _not_met(predicates: Sequence[Predicate], mine: Plain, its: Plain) -> list[Predicate]:
    """Those of one event that are neither so, nor asked for alike."""
    return [
        predicate
        for predicate, row, text in zip(predicates, mine.rows, mine.texts, strict=True)
        if not its.facts.meet(row) and (text is None or text not in its.texts)
    ]


def _not_around(pattern: Conjunction, mine: Braces, its: Braces) -> list[Predicate]:
    """The same of one event and what happened around it."""
    parts = Parts.of(pattern, is_inner=False)
    known = [one for one in parts.temporal if not approximate(attribute_of(one))]
    pairs = zip(known, mine.around, strict=True)
    return [
        *_not_met(parts.plain, mine.plain, its.plain),
        *(one for one, around in pairs if not mine.around_follows(around, its)),
        *(one for one in parts.correlated if write_predicate(one) not in its.correlated),
    ]
