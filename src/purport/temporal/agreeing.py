"""Instances by the values that they give to names, so that those that agree are found quickly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import product

from purport.matching.keys import told_keys
from purport.model.comparison import told_quantity
from purport.model.term import Term, Text, Time, read_time
from purport.model.units import Quantity
from purport.temporal.instance import Bindings, Instance, agree
from purport.temporal.time_index import TimeIndex

_Key = tuple[str, object]
_Names = tuple[str, ...]
_Filed = dict[tuple[_Key, ...], dict[Bindings, None]]


class Agreeing:
    """Instances in the order of time; those with the same names and values are kept together.

    Who looks for those that agree names values too (`port = $port`). Equal values have a key in
    common, so only groups with such a key are asked, each once, whether they do agree. With what
    names nothing that they do, all agree: these are found by their time.
    """

    __slots__ = ("_filed", "_groups", "_in_time", "_named", "_names")

    def __init__(self) -> None:
        self._groups: dict[Bindings, TimeIndex[Instance]] = {}
        self._named: dict[str, list[tuple[int, Instance]]] = {}  # with their times, by event
        self._names: dict[_Names, int] = {}  # how many groups give values to these
        self._filed: dict[tuple[_Names, _Names], _Filed] = {}  # groups of the first, by the second
        self._in_time: dict[_Names, TimeIndex[Instance]] = {}  # all with these, if that was asked

    def __len__(self) -> int:
        return sum(map(len, self._groups.values()))

    def add(self, time: int, one: Instance) -> None:
        """Have one more."""
        group = self._groups.get(one.bindings)
        if group is None:
            group = self._groups[one.bindings] = TimeIndex()
            self._file(one.bindings)
        group.add(time, one.about.id, one)
        if self._in_time and (names := _names_of(one.bindings)) in self._in_time:
            self._in_time[names].add(time, one.about.id, one)
        self._named.setdefault(one.about.id, []).append((time, one))

    def remove(self, time: int, one: Instance) -> None:
        """Have one less; nothing happens if it is not here."""
        known = self._named.get(one.about.id, [])
        if (time, one) in known:
            known.remove((time, one))
            if not known:
                del self._named[one.about.id]
            self._take_out(time, one)

    def discard(self, event: str) -> None:
        """Have none about an event."""
        for time, one in self._named.pop(event, ()):
            self._take_out(time, one)

    def with_names(
        self, asked: Bindings, first: int | None = None, last: int | None = None
    ) -> Iterator[tuple[Bindings, TimeIndex[Instance]]]:
        """The groups that agree with some values, each with its own.

        Of those that have nothing in a period, some may be left out.
        """
        if len(self._groups) == 1 and () in self._groups:  # the most frequent: no names at all
            yield (), self._groups[()]
            return
        known = dict(asked)
        for names in list(self._names):
            shared = tuple(name for name in names if name in known)
            if first is not None and names and not shared:
                some = self._all_with(names).between(first, last)
                for bindings in dict.fromkeys([one.bindings for one in some]):
                    yield bindings, self._groups[bindings]
                continue
            filed = self._filed_by(names, shared)
            found: dict[Bindings, None] = {}
            for keys in product(*(equality_keys(known[name]) for name in shared)):
                found.update(filed.get(keys, ()))
            for bindings in found:
                if agree(bindings, asked):
                    yield bindings, self._groups[bindings]

    def all(self) -> Iterator[Instance]:
        """Each of them."""
        for group in self._groups.values():
            yield from group.between(None, None)

    def between(self, asked: Bindings, first: int | None, last: int | None) -> Iterator[Instance]:
        """Those of a period that agree with some values."""
        for _, group in self.with_names(asked, first, last):
            yield from group.between(first, last)

    def _file(self, bindings: Bindings) -> None:
        """Have a group be found."""
        names = _names_of(bindings)
        self._names[names] = self._names.get(names, 0) + 1
        for (whose, shared), filed in self._filed.items():
            if whose == names:
                _add(filed, bindings, shared)

    def _filed_by(self, names: _Names, shared: _Names) -> _Filed:
        if (names, shared) not in self._filed:
            filed = self._filed[names, shared] = {}
            for bindings in self._groups:
                if _names_of(bindings) == names:
                    _add(filed, bindings, shared)
        return self._filed[names, shared]

    def _all_with(self, names: _Names) -> TimeIndex[Instance]:
        """All that give values to just these names, by time."""
        if names not in self._in_time:
            found = self._in_time[names] = TimeIndex()
            for some in self._named.values():
                for time, one in some:
                    if _names_of(one.bindings) == names:
                        found.add(time, one.about.id, one)
        return self._in_time[names]

    def _take_out(self, time: int, one: Instance) -> None:
        if self._in_time and (names := _names_of(one.bindings)) in self._in_time:
            self._in_time[names].remove(time, one.about.id, one)
        self._groups[one.bindings].remove(time, one.about.id, one)
        self._let_go_if_empty(one.bindings)

    def _let_go_if_empty(self, bindings: Bindings) -> None:
        if len(self._groups[bindings]):
            return
        del self._groups[bindings]
        names = _names_of(bindings)
        self._names[names] -= 1
        if not self._names[names]:
            del self._names[names]
            self._in_time.pop(names, None)
        for (whose, shared), filed in self._filed.items():
            if whose == names:
                _remove(filed, bindings, shared)


def _names_of(bindings: Bindings) -> _Names:
    return tuple([name for name, _ in bindings])


def _add(filed: _Filed, bindings: Bindings, shared: _Names) -> None:
    for keys in _keys(bindings, shared):
        filed.setdefault(keys, {})[bindings] = None


def _remove(filed: _Filed, bindings: Bindings, shared: _Names) -> None:
    for keys in _keys(bindings, shared):
        del filed[keys][bindings]
        if not filed[keys]:
            del filed[keys]


def _keys(bindings: Bindings, shared: _Names) -> Iterable[tuple[_Key, ...]]:
    known = dict(bindings)
    return product(*(equality_keys(known[name]) for name in shared))


@lru_cache(maxsize=65_536)
def equality_keys(value: Term) -> tuple[_Key, ...]:
    """Of two values of which either equals the other, some key is the same."""
    found: list[_Key] = list(told_keys(value))
    quantity = told_quantity(value)
    if quantity is not None:
        found += _number_keys(quantity)
    time = read_time(value.text) if isinstance(value, Text) else value
    if isinstance(time, Time):
        found.append(("time", time.instant))
    return tuple(found)


def _number_keys(quantity: Quantity) -> Iterator[_Key]:
    """One without a unit equals one with any; those that have units are equal in base units."""
    yield "number", quantity.magnitude
    if quantity.unit is not None:
        yield quantity.unit.base, quantity.unit.in_base(quantity.magnitude)
