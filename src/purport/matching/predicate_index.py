"""Which subscriptions can an event answer at all? Found without looking at the others.

Equality predicates are keys, and a subscription is filed in a trie under its keys in a fixed order:
walking the trie with an event's keys reaches just the subscriptions whose equalities all hold.
What is left of a subscription there is filed by one of its bounds in a sorted list, if it has one.
The answer may hold too many (it is checked afterwards), never too few.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, product
from typing import Any

from purport.matching.first_line import ValuePredicate, plain_term
from purport.matching.keys import (
    Key,
    asked_attribute_key,
    asked_keys,
    told_attribute_keys,
    told_keys,
)
from purport.model.comparison import Operator
from purport.model.event import Event
from purport.model.subscription import AskedValue, Comparison, InRange, OneOfValues
from purport.model.term import Term
from purport.model.words import attribute_words

Equality = tuple[Key, Key]
_LOWER = (Operator.GREATER, Operator.AT_LEAST)
_LONGEST_PATH = 8  # equalities beyond these are left to the check that follows
_UPPER = (Operator.LESS, Operator.AT_MOST)


@dataclass(frozen=True, slots=True)
class _Side:
    """Whether a bound limits an attribute from below, and in which family of keys."""

    attribute: Key
    family: str
    is_lower: bool


@dataclass(slots=True)
class _Node:
    """A place in the trie: what is filed right here, and what lies behind one more equality."""

    here: list[int] = field(default_factory=list)
    bounds: dict[_Side, list[tuple[Any, int]]] = field(default_factory=dict)
    children: dict[int, _Node] = field(default_factory=dict)

    def is_empty(self) -> bool:
        return not (self.here or self.bounds or self.children)


@dataclass(frozen=True, slots=True)
class _Filing:
    """Where a subscription was put: the way through the trie, and the bound it stands under."""

    path: tuple[int, ...]
    side: _Side | None = None
    bound: Any = None


@dataclass(frozen=True, slots=True)
class _Filed:
    """What is to be undone when a conjunction goes."""

    filings: tuple[_Filing, ...]
    equalities: frozenset[Equality]
    families: frozenset[tuple[Key, str]]


class PredicateIndex:
    """Files numbered conjunctions of exact predicates; finds those that an event may answer."""

    def __init__(self) -> None:
        self._root = _Node()
        self._filed: dict[int, _Filed] = {}
        self._key_numbers: dict[Equality, int] = {}
        self._next_key_number = 0
        self._families: dict[Key, frozenset[str]] = {}
        self._uses: Counter[Equality | tuple[Key, str]] = Counter()

    def add(self, number: int, predicates: Iterable[ValuePredicate]) -> None:
        """File a conjunction under a number."""
        filed = self._filed[number] = self._take_up(tuple(predicates))
        for filing in filed.filings:
            node = self._root
            for key in filing.path:
                node = node.children.setdefault(key, _Node())
            if filing.side is None:
                node.here.append(number)
            else:
                insort(node.bounds.setdefault(filing.side, []), (filing.bound, number))

    def remove(self, number: int) -> None:
        """Forget the conjunction of this number, and the keys that nobody else asks for."""
        filed = self._filed.pop(number)
        for filing in filed.filings:
            _unfile(self._root, filing, filing.path, number)
        for equality in filed.equalities:
            if self._is_last_use(equality):
                del self._key_numbers[equality]
        for attribute, family in filed.families:
            if self._is_last_use((attribute, family)):
                left = self._families[attribute] - {family}
                self._families[attribute] = left
                if not left:
                    del self._families[attribute]

    def candidates(self, event: Event) -> list[int]:
        """The numbers of all conjunctions that the event answers, and of some that it does not."""
        told = self._told(event)
        numbers = (self._key_numbers.get((a, key)) for a, keys in told.items() for key in keys)
        keys = sorted({number for number in numbers if number is not None}, reverse=True)
        return sorted(set(_reached(self._root, keys, 0, told)))

    def _told(self, event: Event) -> dict[Key, list[Key]]:
        """What the event says under each attribute that somebody asks for."""
        told: dict[Key, list[Key]] = {}
        for statement in event.statements:
            for attribute in told_attribute_keys(statement.attribute):
                families = self._families.get(attribute)
                if families is not None:
                    unit = attribute_words(statement.attribute).unit
                    values = told_keys(statement.value, unit, families)
                    told.setdefault(attribute, []).extend(values)
        return told

    def _take_up(self, predicates: tuple[ValuePredicate, ...]) -> _Filed:
        """Where a conjunction is to be filed; its keys are known from now on.

        There is one filing, or several where the only equalities allow for more than one key.
        """
        choices = [keys for keys in map(_equalities, predicates) if keys]
        certain = [keys[0] for keys in choices if len(keys) == 1]
        chosen = certain or min(choices, key=len, default=[])
        numbers = sorted({self._number(equality) for equality in chosen}, reverse=True)
        paths = [tuple(numbers[:_LONGEST_PATH])]
        if chosen and not certain:
            paths = [(number,) for number in numbers]
        bounds = next(filter(None, map(_bounds, predicates)), [(None, None)])
        families = frozenset(chain.from_iterable(map(_families_asked, predicates)))
        for attribute, family in families:
            self._families[attribute] = self._families.get(attribute, frozenset()) | {family}
        equalities = frozenset(chosen)
        self._uses.update(equalities)
        self._uses.update(families)
        filings = tuple(_Filing(path, *bound) for path, bound in product(paths, bounds))
        return _Filed(filings, equalities, families)

    def _number(self, equality: Equality) -> int:
        """The number of an equality; later ones get higher numbers, which are looked up first."""
        if equality not in self._key_numbers:
            self._key_numbers[equality] = self._next_key_number
            self._next_key_number += 1
        return self._key_numbers[equality]

    def _is_last_use(self, used: Equality | tuple[Key, str]) -> bool:
        self._uses[used] -= 1
        if self._uses[used] > 0:
            return False
        del self._uses[used]
        return True


def _unfile(node: _Node, filing: _Filing, path: tuple[int, ...], number: int) -> None:
    if path:
        child = node.children[path[0]]
        _unfile(child, filing, path[1:], number)
        if child.is_empty():
            del node.children[path[0]]
    elif filing.side is None:
        node.here.remove(number)
    else:
        entries = node.bounds[filing.side]
        del entries[bisect_left(entries, (filing.bound, number))]
        if not entries:
            del node.bounds[filing.side]


def _reached(node: _Node, keys: list[int], first: int, told: dict[Key, list[Key]]) -> Iterator[int]:
    """Everything filed at this node or behind it that the event's keys lead to."""
    yield from node.here
    for side, entries in node.bounds.items():
        for family, value in told.get(side.attribute, ()):
            if family == side.family:
                yield from _satisfied(entries, value, side.is_lower)
    for position in range(first, len(keys)):
        child = node.children.get(keys[position])
        if child is not None:
            yield from _reached(child, keys, position + 1, told)


def _satisfied(entries: list[tuple[Any, int]], value: Any, is_lower: bool) -> Iterator[int]:
    """The entries whose bound the value is not on the wrong side of."""
    if is_lower:
        chosen = entries[: bisect_right(entries, value, key=lambda entry: entry[0])]
    else:
        chosen = entries[bisect_left(entries, value, key=lambda entry: entry[0]) :]
    return (number for _, number in chosen)


def _equalities(predicate: ValuePredicate) -> list[Equality]:
    """The pairs of attribute and value that satisfy a predicate; none if they cannot be listed."""
    match predicate:
        case Comparison(_, Operator.EQUAL) | OneOfValues():
            attribute = asked_attribute_key(predicate.attribute.term)
            return [(attribute, key) for key in _asked_keys(predicate)]
        case _:
            return []


def _families_asked(predicate: ValuePredicate) -> Iterator[tuple[Key, str]]:
    """The attribute that a predicate asks for, with each family of values that can answer it."""
    attribute = asked_attribute_key(predicate.attribute.term)
    return ((attribute, family) for family, _ in _asked_keys(predicate))


def _bounds(predicate: ValuePredicate) -> list[tuple[_Side | None, Any]]:
    """The bounds that a predicate sets, one for each family that a told value may come in."""
    match predicate:
        case Comparison(_, operator) if operator in _LOWER or operator in _UPPER:
            is_lower = operator in _LOWER
        case InRange():
            is_lower = True
        case _:
            return []
    attribute = asked_attribute_key(predicate.attribute.term)
    first = _asked(predicate)[:1]
    return [
        (_Side(attribute, family, is_lower), bound) for family, bound in _keys(predicate, first)
    ]


def _asked_keys(predicate: ValuePredicate) -> Iterator[Key]:
    return _keys(predicate, _asked(predicate))


def _keys(predicate: ValuePredicate, values: Iterable[Term]) -> Iterator[Key]:
    implied = attribute_words(predicate.attribute.term).unit
    return chain.from_iterable(asked_keys(value, implied) for value in values)


def _asked(predicate: ValuePredicate) -> list[Term]:
    """The values that a predicate names."""
    match predicate:
        case Comparison(_, _, value):
            values: tuple[AskedValue, ...] = (value,)
        case OneOfValues(_, values):
            pass
        case InRange(_, low, high):
            values = (low, high)
    return [plain_term(value) for value in values]
