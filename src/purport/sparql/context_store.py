"""The facts that joins of subscribed queries look at, under the keys by which they do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from pyoxigraph import NamedNode

from purport.sparql.graph_store import GraphStore
from purport.sparql.join_code import key_at
from purport.sparql.lookup_index import NAMED, AnyGraph, Run
from purport.sparql.terms import DEFAULT, Fact, Graph, Term

Find = Callable[[Any, Any], Iterable[Any]]  # a key, and what to give if nothing is under it
Place = Graph | AnyGraph


@dataclass(slots=True)
class Index:
    """Facts by some of their places: under the key, the values of the other places."""

    bound: tuple[int, ...]  # the places that are known
    free: tuple[int, ...]  # those that are asked for
    key: Callable[[Fact], Any]
    value: Callable[[Fact], Any]
    found: dict[Any, set[Any]] = field(default_factory=dict)

    @classmethod
    def by(cls, bound: tuple[int, ...], free: tuple[int, ...]) -> Index:
        """An index for facts whose `bound` places are known and `free` ones are asked for."""
        return cls(bound, free, key_at(bound), key_at(free))

    def facts(self, predicate: Any, graph: Any) -> Iterator[Fact]:
        """All that it has; what is at no place of it is the same for all."""
        for key, values in self.found.items():
            known = _placed(self.bound, key)
            for value in values:
                at = known | _placed(self.free, value)
                yield at[0], at.get(1, predicate), at[2], at.get(3, graph)

    def add(self, facts: Iterable[Fact]) -> None:
        key_of, value_of, found = self.key, self.value, self.found
        for fact in facts:
            key = key_of(fact)
            values = found.get(key)
            if values is None:
                found[key] = {value_of(fact)}
            else:
                values.add(value_of(fact))

    def remove(self, facts: Iterable[Fact]) -> None:
        key_of, value_of, found = self.key, self.value, self.found
        for fact in facts:
            key = key_of(fact)
            values = found.get(key)
            if values is not None:
                values.discard(value_of(fact))
                if not values:
                    del found[key]


Wanted = tuple[Term | None, Term | None]  # a subject, an object; None is any


@dataclass(slots=True)
class Relation:
    """The facts with one predicate, or any, in one graph, or in all that have a name.

    It has those that somebody wants: all, or those with some subject, some object.
    """

    predicate: NamedNode | None
    graph: Place
    indexes: dict[tuple[tuple[int, ...], tuple[int, ...]], Index] = field(default_factory=dict)
    wanted: Counter[Wanted] = field(default_factory=Counter)

    @property
    def wants_all(self) -> bool:
        """Whether somebody wants all of it."""
        return (None, None) in self.wanted

    def wants(self, fact: Fact) -> bool:
        """Whether somebody wants a fact."""
        wanted = self.wanted
        return (
            (None, None) in wanted
            or (fact[0], None) in wanted
            or (None, fact[2]) in wanted
            or (fact[0], fact[2]) in wanted
        )

    def facts(self, store: GraphStore, one: Wanted) -> Iterable[Fact]:
        """What a store has of what somebody wants."""
        subject: Any = one[0]  # a query may ask for a literal, which no fact has there
        value = one[1]
        graph = None if isinstance(self.graph, AnyGraph) else self.graph
        found = store.matching(subject, self.predicate, value, graph)
        if graph is None:
            return (fact for fact in found if fact[3] != DEFAULT)
        return found


class ContextStore:
    """Facts that subscribed joins look at, kept beside the store as far as they are needed.

    What changes is told by `advance`; until then it has what was before.
    """

    def __init__(self, store: GraphStore) -> None:
        self._store = store
        self._relations: dict[tuple[NamedNode | None, Place], Relation] = {}
        self._near: dict[tuple[NamedNode, Graph], list[Relation]] = {}  # that were looked at

    def finder(
        self,
        predicate: NamedNode | None,
        graph: Place,
        bound: tuple[int, ...],
        free: tuple[int, ...],
    ) -> Find:
        """How facts of a relation are found by some of their places, now and later."""
        relation = self._relations.get((predicate, graph))
        if relation is None:
            relation = self._relations[predicate, graph] = Relation(predicate, graph)
            self._near.clear()
        index = relation.indexes.get((bound, free))
        if index is None:
            index = relation.indexes[bound, free] = Index.by(bound, free)
            for one in relation.wanted:
                index.add(relation.facts(self._store, one))
        return index.found.get

    def known(
        self,
        predicate: NamedNode | None,
        graph: Place,
        bound: tuple[int, ...],
        free: tuple[int, ...],
    ) -> Find | None:
        """A finder, if all facts of a relation are here under such keys."""
        relation = self._relations.get((predicate, graph))
        if relation is None or not relation.wants_all:
            return None
        index = relation.indexes.get((bound, free))
        return None if index is None else index.found.get

    def want(self, predicate: NamedNode | None, graph: Place, one: Wanted) -> None:
        """Keep facts of a relation from now on."""
        relation = self._relations[predicate, graph]
        if one not in relation.wanted and relation.indexes:
            facts = list(relation.facts(self._store, one))
            for index in relation.indexes.values():
                index.add(facts)
        relation.wanted[one] += 1

    def unwant(self, predicate: NamedNode | None, graph: Place, one: Wanted) -> None:
        """Keep them no longer, if nobody else wants them."""
        relation = self._relations[predicate, graph]
        relation.wanted[one] -= 1
        if relation.wanted[one]:
            return
        del relation.wanted[one]
        if not relation.wanted:
            del self._relations[predicate, graph]
            self._near.clear()
            return
        for index in relation.indexes.values():
            kept = index.facts(predicate, graph)
            index.remove([fact for fact in kept if not relation.wants(fact)])

    @property
    def size(self) -> int:
        """How many facts are kept, each as often as there are ways to find it."""
        indexes = (i for one in self._relations.values() for i in one.indexes.values())
        return sum(len(values) for index in indexes for values in index.found.values())

    def advance(self, removed: Iterable[Run], added: Iterable[Run]) -> None:
        """Take up a change."""
        for key, run in removed:
            for relation in self._relations_of(*key):
                for index in relation.indexes.values():
                    index.remove(run)
        for key, run in added:
            for relation in self._relations_of(*key):
                wanted = run if relation.wants_all else list(filter(relation.wants, run))
                for index in relation.indexes.values():
                    index.add(wanted)

    def _relations_of(self, predicate: NamedNode, graph: Graph) -> list[Relation]:
        """The relations to which facts with a predicate in a graph belong."""
        found = self._near.get((predicate, graph))
        if found is None:
            places: tuple[Place, ...] = (graph,) if graph == DEFAULT else (graph, NAMED)
            keys = [(verb, place) for place in places for verb in (predicate, None)]
            found = [self._relations[key] for key in keys if key in self._relations]
            if found:  # what nobody looks at is not worth remembering
                self._near[predicate, graph] = found
        return found


def store_finder(
    store: GraphStore,
    predicate: NamedNode | None,
    graph: Place,
    bound: tuple[int, ...],
    free: tuple[int, ...],
) -> Find:
    """How facts are found in the store itself: slower, and nothing has to be kept."""
    value = key_at(free)
    if isinstance(graph, AnyGraph) or bound not in ((0,), (2,)):
        return _general_finder(store, predicate, graph, bound, value)
    if bound == (0,):
        return lambda key, _: [value(fact) for fact in store.matching(key, predicate, None, graph)]
    return lambda key, _: [value(fact) for fact in store.matching(None, predicate, key, graph)]


def _general_finder(
    store: GraphStore,
    predicate: NamedNode | None,
    graph: Place,
    bound: tuple[int, ...],
    value: Callable[[Fact], Any],
) -> Find:
    only = None if isinstance(graph, AnyGraph) else graph

    def find(key: Any, nothing: object) -> Iterable[Any]:
        keys = (key,) if len(bound) == 1 else key or ()
        at: dict[int, Any] = dict(zip(bound, keys, strict=True))
        found = store.matching(at.get(0), at.get(1, predicate), at.get(2), at.get(3, only))
        if only is None and 3 not in at:
            found = (fact for fact in found if fact[3] != DEFAULT)
        return [value(fact) for fact in found]

    return find


def _placed(places: tuple[int, ...], values: Any) -> dict[int, Any]:
    """Values by their places, as `key_at` has taken them."""
    if not places:
        return {}
    return {places[0]: values} if len(places) == 1 else dict(zip(places, values, strict=True))
