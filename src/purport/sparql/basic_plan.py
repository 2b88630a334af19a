"""Joins of triple patterns that are kept up to date, one for all that are alike.

Queries whose triple patterns differ only in subjects and objects share a plan. A changed fact is
joined once with the facts around it; the constants that come out say which queries are concerned.
So the work depends on what is found, not on how many subscribed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, TypeVar

from pyoxigraph import NamedNode

from purport.sparql.algebra import TriplePattern, Var
from purport.sparql.context_store import ContextStore, Find, Place, Wanted
from purport.sparql.join_code import JoinCode, Look, Names, Pick, join_code, key_at, key_of
from purport.sparql.lookup_index import NAMED, FactPattern
from purport.sparql.row_counts import Row
from purport.sparql.terms import DEFAULT, Fact, Term

L = TypeVar("L")
V = TypeVar("V")
Relation = tuple[NamedNode | None, Place]  # a predicate, or any, in a graph, or in all named ones


@dataclass(frozen=True, slots=True)
class BasicShape:
    """What alike joins have in common: names for what differs, and the relations they look in."""

    patterns: tuple[Names, ...]
    relations: tuple[Relation, ...]
    variables: tuple[str, ...]  # their names here: v0, v1, ...


@dataclass(frozen=True, slots=True)
class ShapedBasic:
    """Triple patterns of one query: their shape, the names of its variables, its constants."""

    shape: BasicShape
    names: tuple[str, ...]
    constants: tuple[Term, ...]

    def terms(self, place: int) -> tuple[Term | None, Term | None]:
        """The subject and the object that a pattern asks for."""
        subject, _, value, _ = self.shape.patterns[place]
        return self._constant(subject), self._constant(value)

    def lookup(self, place: int) -> FactPattern:
        """What a fact must be to be one of a pattern's."""
        subject, value = self.terms(place)
        predicate, graph = self.shape.relations[place]
        return FactPattern(subject, predicate, value, graph)

    def text(self) -> str:
        """A query for the solutions."""
        variables = " ".join(f"?{name}" for name in self.shape.variables) or "(1 AS ?one)"
        patterns = " ".join(map(self._pattern_text, range(len(self.shape.patterns))))
        return f"SELECT {variables} WHERE {{ {patterns} }}"

    def _pattern_text(self, place: int) -> str:
        subject, predicate, value, graph = self.shape.patterns[place]
        fixed, in_graph = self.shape.relations[place]
        verb = str(fixed) if predicate is None else f"?{predicate}"
        triple = f"{self._spot_text(subject)} {verb} {self._spot_text(value)} ."
        if in_graph == DEFAULT:
            return triple
        return f"GRAPH {in_graph if graph is None else f'?{graph}'} {{ {triple} }}"

    def _spot_text(self, name: str | None) -> str:
        term = self._constant(name)
        return f"?{name}" if term is None else str(term)

    def _constant(self, name: str | None) -> Term | None:
        return self.constants[int(name[1:])] if name and name[0] == "c" else None


def shaped(patterns: Sequence[TriplePattern]) -> ShapedBasic:
    """Take triple patterns without open constants apart."""
    variables: dict[str, str] = {}
    constants: dict[Term, str] = {}
    named: list[Names] = []
    relations: list[Relation] = []

    def name(spot: Any) -> str:
        if isinstance(spot, Var):
            return variables.setdefault(spot.name, f"v{len(variables)}")
        return constants.setdefault(spot, f"c{len(constants)}")

    for pattern in patterns:
        subject, predicate, value, graph = pattern.spots
        has_verb, has_graph = isinstance(predicate, Var), isinstance(graph, Var)
        named.append(
            (
                name(subject),
                name(predicate) if has_verb else None,
                name(value),
                name(graph) if has_graph else None,
            )
        )
        place: Any = NAMED if has_graph else DEFAULT if graph is None else graph
        relations.append((None if has_verb else predicate, place))  # type: ignore[arg-type]
    shape = BasicShape(tuple(named), tuple(relations), tuple(variables.values()))
    return ShapedBasic(_same(shape), _same(tuple(variables)), tuple(constants))


@lru_cache(maxsize=4096)
def _same(value: V) -> V:
    """Something equal that was met before: thousands of queries have the same shape."""
    return value


class BasicPlan(Generic[L]):
    """A join that is kept up to date; `L` is what is told of its solutions."""

    def __init__(self, shape: BasicShape, context: ContextStore) -> None:
        self.shape = shape
        self._context = context
        self._subscribers: dict[Any, dict[L, None]] = {}
        self._picks: list[_PickIndex] = []
        self._through = [self._compiled(place) for place in range(len(shape.patterns))]
        self.targets = tuple((self, place) for place in range(len(shape.patterns)))

    def _compiled(self, place: int) -> tuple[JoinCode, tuple[Find, ...]]:
        shape = self.shape
        code = join_code(shape.patterns, place, (), shape.variables)
        return code, tuple(map(self._finder, code.steps))

    def _finder(self, step: Look | Pick) -> Find:
        if isinstance(step, Look):
            relation = self.shape.relations[step.pattern]
            return self._context.finder(*relation, step.bound, step.free)
        index = _PickIndex(
            tuple(int(name[1:]) for name in step.bound), tuple(int(name[1:]) for name in step.free)
        )
        self._picks.append(index)
        return index.found.get

    def subscribe(self, asked: ShapedBasic, who: L) -> bool:
        """Tell somebody of solutions with some constants from now on; whether they are new here."""
        key = key_of(asked.constants)
        leaves = self._subscribers.get(key)
        if leaves is not None:
            leaves[who] = None
            return False
        self._want(asked)
        self._subscribers[key] = {who: None}
        for index in self._picks:
            index.add(asked.constants)
        return True

    def tells(self, asked: ShapedBasic, who: L) -> bool:
        """Whether somebody is told of solutions with some constants."""
        return who in self._subscribers.get(key_of(asked.constants), ())

    def unsubscribe(self, asked: ShapedBasic, who: L) -> bool:
        """Tell somebody no more; whether nobody asks for these constants now."""
        key = key_of(asked.constants)
        leaves = self._subscribers[key]
        del leaves[who]
        if leaves:
            return False
        del self._subscribers[key]
        for index in self._picks:
            index.remove(asked.constants)
        for relation, one in self._wanted(asked):
            self._context.unwant(*relation, one)
        return True

    def _want(self, asked: ShapedBasic) -> None:
        """Have the context keep what the join looks at; nothing of it if the store fails."""
        done = []
        try:
            for relation, one in self._wanted(asked):
                self._context.want(*relation, one)
                done.append((relation, one))
        except BaseException:
            for relation, one in done:
                self._context.unwant(*relation, one)
            raise

    def _wanted(self, asked: ShapedBasic) -> list[tuple[Relation, Wanted]]:
        """What of which relations the join looks at; a single pattern looks at nothing else."""
        if len(self.shape.patterns) == 1:
            return []
        return [
            (relation, asked.terms(place)) for place, relation in enumerate(self.shape.relations)
        ]

    @property
    def is_used(self) -> bool:
        """Whether anybody is to be told."""
        return bool(self._subscribers)

    def solutions(
        self, touched: Sequence[tuple[int, Iterable[Fact]]]
    ) -> list[tuple[dict[L, None], Row]]:
        """The solutions that go through facts of some patterns, each once, and who is told."""
        out: list[tuple[dict[L, None], Row]] = []
        for place, facts in touched:
            code, finders = self._through[place]
            code.run(facts, out, self._subscribers, *finders)
        if len(touched) > 1:
            unique = {(id(who), row): (who, row) for who, row in out}
            return list(unique.values())
        return out


class _PickIndex:
    """The constants of those who subscribed, by some of them."""

    def __init__(self, bound: tuple[int, ...], free: tuple[int, ...]) -> None:
        self._key, self._value = key_at(bound), key_at(free)
        self.found: dict[Any, dict[Any, int]] = {}

    def add(self, constants: Sequence[Term]) -> None:
        key, value = self._key(constants), self._value(constants)
        values = self.found.setdefault(key, {})
        values[value] = values.get(value, 0) + 1

    def remove(self, constants: Sequence[Term]) -> None:
        key, value = self._key(constants), self._value(constants)
        values = self.found[key]
        values[value] -= 1
        if not values[value]:
            del values[value]
        if not values:
            del self.found[key]
