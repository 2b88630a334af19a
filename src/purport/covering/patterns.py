"""Patterns of several events: is what answers the one an answer to the other?

Two questions are asked. *The same answers*: has each answer of the specific pattern one of the
general pattern about the same event, from the same start to the same end? It is what counts inside
of another pattern. *Told of*: is each event that the specific pattern is told of one that the
general pattern is told of? It is what counts in the end, and there the general pattern may ask for
fewer events: `{c}` and `{b} then {c}` are told of each c that `{a} then {b} then {c}` is told of.

Equality of told values is not transitive ("25" is 25, and so is "25.0"), so that names that parts
agree on must have their values from the same parts in both.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from functools import cache

from purport.covering.braces import Braces, Window, reaches_as_far
from purport.covering.judging import Judging
from purport.covering.known_classes import KnownClasses
from purport.covering.pairing import can_pair_all
from purport.model.subscription import (
    Absence,
    Alternation,
    Coincidence,
    Conjunction,
    Pattern,
    Repetition,
    Sequence,
)

Names = frozenset[str]
_MOST_PARTS = 16  # that are paired with others


@dataclass(frozen=True, slots=True)
class Either:
    """One of several."""

    parts: tuple[Form, ...]


@dataclass(frozen=True, slots=True)
class InOrder:
    """One after the other."""

    parts: tuple[Form, ...]
    within: timedelta | None


@dataclass(frozen=True, slots=True)
class Together:
    """Different events in any order; several times the same for a repetition."""

    parts: tuple[Form, ...]
    within: timedelta | None


@dataclass(frozen=True, slots=True)
class Repeated:
    """The same, so many times."""

    part: Form
    times: int
    within: timedelta


@dataclass(frozen=True, slots=True)
class Missing:
    """What should have come after something, and has not."""

    missing: Form
    within: timedelta
    trigger: Form


Form = Braces | Either | InOrder | Together | Repeated | Missing


def form_of(pattern: Pattern, judging: Judging, classes: KnownClasses | None) -> Form:
    """A pattern made ready to be compared; `NotSupportedYet` if no engine runs it."""

    def form(one: Pattern) -> Form:
        match one:
            case Conjunction():
                return Braces.of(one, judging, classes)
            case Alternation(alternatives):
                return Either(tuple(map(form, alternatives)))
            case Sequence(steps, within):
                return InOrder(tuple(map(form, steps)), within)
            case Coincidence(parts, within):
                return Together(tuple(map(form, parts)), within)
            case Repetition(repeated, times, within):
                return Repeated(form(repeated), times, within)
            case Absence(missing, within, trigger):
                return Missing(form(missing), within, form(trigger))

    return form(pattern)


def told_braces(form: Form) -> Iterator[Braces]:
    """The braces one of which is answered by the event that a pattern is told of."""
    match form:
        case Braces():
            yield form
        case Either(parts) | Together(parts):
            for part in parts:
                yield from told_braces(part)
        case InOrder(parts):
            yield from told_braces(parts[-1])
        case Repeated(part):
            yield from told_braces(part)
        case Missing(_, _, trigger):
            yield from told_braces(trigger)


def all_braces(form: Form) -> Iterator[Braces]:
    """All braces in a pattern, the inner ones too."""
    match form:
        case Braces(_, around):
            yield form
            for one in around:
                if not isinstance(one, Window):
                    yield from all_braces(one.inner)
        case Either(parts) | InOrder(parts) | Together(parts):
            for part in parts:
                yield from all_braces(part)
        case Repeated(part):
            yield from all_braces(part)
        case Missing(missing, _, trigger):
            yield from all_braces(missing)
            yield from all_braces(trigger)


def is_told_of_all(general: Form, specific: Form) -> bool:
    """Whether the general pattern is told of each event that the specific one is told of.

    One of several alternatives is told of by itself: its names need not agree with those of others.
    """
    names = frozenset(_names(general))
    return _is_told(general, specific, names)


def _is_told(general: Form, specific: Form, names: Names) -> bool:
    if _has_same(general, specific, names):
        return True
    match specific:
        case Either(parts):
            return all(_is_told(general, part, names) for part in parts)
        case InOrder(parts) if _is_told(general, parts[-1], names):
            return True
        case Together(parts) if all(_is_told(general, part, names) for part in parts):
            return True
        case Repeated(part) if _is_told(general, part, names):
            return True
        case Missing(_, _, trigger) if _is_told(general, trigger, names):
            return True
    match general:
        case Either(parts):
            return any(is_told_of_all(part, specific) for part in parts)
        case InOrder():
            return isinstance(specific, InOrder) and _is_end_of(general, specific, names)
        case Together() | Repeated() as mine:
            return isinstance(specific, Together | Repeated) and _is_part_of(mine, specific, names)
        case Missing():
            return isinstance(specific, Missing) and _is_missed_sooner(general, specific, names)
    return False


def _has_same(general: Form, specific: Form, names: Names) -> bool:
    """Whether each answer of the specific pattern has the same one of the general pattern."""
    if isinstance(specific, Either):
        return all(_has_same(general, part, names) for part in specific.parts)
    match general:
        case Either(parts):
            return any(_has_same(part, specific, names) for part in parts)
        case Braces():
            return (
                isinstance(specific, Braces)
                and general.binds == specific.binds_of(names)
                and general.follows_fully(specific)
            )
        case InOrder(parts, within):
            return (
                isinstance(specific, InOrder)
                and len(parts) == len(specific.parts)
                and reaches_as_far(within, specific.within)
                and all(
                    _has_same(one, other, names)
                    for one, other in zip(parts, specific.parts, strict=True)
                )
            )
        case Together() | Repeated() as mine:
            return (
                isinstance(specific, Together | Repeated)
                and _count(mine) == _count(specific)
                and _is_part_of(mine, specific, names)
            )
        case Missing(_, within, trigger):
            return (
                isinstance(specific, Missing)
                and within == specific.within
                and _has_same_missing(general, specific)
                and _has_same(trigger, specific.trigger, names)
            )


def _is_end_of(general: InOrder, specific: InOrder, names: Names) -> bool:
    """Whether the general steps are among the specific ones, in their order, the last one last.

    Steps are left out only if they give no value to a name that is agreed on.
    """
    if not reaches_as_far(general.within, specific.within):
        return False

    steps, others = general.parts, specific.parts
    is_free = [not names & frozenset(_names(one)) for one in others]

    @cache
    def are_among(count: int, given: int) -> bool:
        """Whether the first steps are among the first of those that are given."""
        if count > given or not count:
            return not count and all(is_free[:given])
        if _has_same(steps[count - 1], others[given - 1], names):
            return are_among(count - 1, given - 1) or (
                is_free[given - 1] and are_among(count, given - 1)
            )
        return is_free[given - 1] and are_among(count, given - 1)

    is_last_same = _has_same(steps[-1], others[-1], names)
    return is_last_same and are_among(len(steps) - 1, len(others) - 1)


def _is_part_of(general: Together | Repeated, specific: Together | Repeated, names: Names) -> bool:
    """Whether the general parts are among the specific ones, whichever of these comes last.

    Where some are left out, the others must not have to agree on names. Of a repetition the first
    and the last are left in, which agree with all.
    """
    if not reaches_as_far(general.within, specific.within):
        return False
    if isinstance(general, Repeated) and isinstance(specific, Repeated):
        is_enough = general.times <= specific.times
        return is_enough and _has_same(general.part, specific.part, names)
    if max(_count(general), _count(specific)) > _MOST_PARTS:
        return False
    some, others = _parts(general), _parts(specific)

    def fits(one: Form, other: Form) -> bool:
        return _has_same(one, other, names)

    if len(some) == len(others):
        return can_pair_all(some, others, fits)
    return not any(map(_has_names, some)) and all(
        any(
            fits(one, other) and can_pair_all(_without(some, number), _without(others, last), fits)
            for number, one in enumerate(some)
        )
        for last, other in enumerate(others)
    )


def _is_missed_sooner(general: Missing, specific: Missing, names: Names) -> bool:
    """Whether less time is given, and what is missing is known as soon as it is heard of."""
    return (
        general.within <= specific.within
        and _is_known_at_once(general.missing)
        and _has_same_missing(general, specific)
        and _has_same(general.trigger, specific.trigger, names)
    )


def _has_same_missing(general: Missing, specific: Missing) -> bool:
    """Whether all that the general pattern misses is missed by the specific one, too."""
    names = frozenset(_names(general))
    is_the_same = names == frozenset(_names(specific))
    return is_the_same and _has_same(specific.missing, general.missing, names)


def _is_known_at_once(form: Form) -> bool:
    match form:
        case Braces(_, around):
            return not around
        case Either(parts):
            return all(map(_is_known_at_once, parts))
    return False


def _count(form: Together | Repeated) -> int:
    return form.times if isinstance(form, Repeated) else len(form.parts)


def _parts(form: Together | Repeated) -> tuple[Form, ...]:
    return (form.part,) * form.times if isinstance(form, Repeated) else form.parts


def _without(parts: tuple[Form, ...], number: int) -> tuple[Form, ...]:
    return parts[:number] + parts[number + 1 :]


def _has_names(form: Form) -> bool:
    return any(True for _ in _names(form))


def _names(form: Form) -> Iterator[str]:
    """The names that a pattern gives values to."""
    match form:
        case Braces():
            yield from form.names
        case Either(parts) | InOrder(parts) | Together(parts):
            for part in parts:
                yield from _names(part)
        case Repeated(part):
            yield from _names(part)
        case Missing(missing, _, trigger):
            yield from _names(missing)
            yield from _names(trigger)
