"""The facts that joins of subscribed queries look at, under the keys by which they do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

from pyoxigraph import BlankNode, Literal, NamedNode

from purport.sparql.change import Change
from purport.sparql.graph_store import GraphStore
from purport.sparql.lookup_index import NAMED, AnyGraph
from purport.sparql.terms import DEFAULT, Fact, Graph, Subject, Term

Find = Callable[[Any, Any], Iterable[Any]]  # a key, and what to give if nothing is under it
Place = Graph | AnyGraph


@dataclass(slots=True)
class Index:
    """Facts by some of their places: under the key, the values of the other places."""

    key: Callable[[Fact], Any]
    value: Callable[[Fact], Any]
    found: dict[Any, set[Any]] = field(default_factory=dict)

    @classmethod
    def by(cls, bound: tuple[int, ...], free: tuple[int, ...]) -> Index:
        """An index for facts whose `bound` places are known and `free` ones are asked for."""
        return cls(_taking(bound), _taking(free))

    def add(self, fact: Fact) -> None:
        key = self.key(fact)
        values = self.found.get(key)
        if values is None:
            self.found[key] = {self.value(fact)}
        else:
            values.add(self.value(fact))

    def remove(self, fact: Fact) -> None:
        key = self.key(fact)
        values = self.found.get(key)
        if values is not None:
            values.discard(self.value(fact))
            if not values:
                del self.found[key]


Wanted = tuple[Subject | None, Term | None]  # a subject, an object; None is any


@dataclass(slots=True)
class Relation:
    """The facts with one predicate, or any, in one graph, or in all that have a name.

    It has those that somebody wants: all, or those with some subject, some object.
    """

    predicate: NamedNode | None
    graph: Place
    indexes: dict[tuple[tuple[int, ...], tuple[int, ...]], Index] = field(default_factory=dict)
    wanted: Counter[Wanted] = field(default_factory=Counter)

    def wants(self, fact: Fact) -> bool:
        """Whether somebody wants a fact."""
        wanted = self.wanted
        return (
            (None, None) in wanted
            or (fact[0], None) in wanted
            or (None, fact[2]) in wanted
            or (fact[0], fact[2]) in wanted
        )

    def facts(self, store: GraphStore, one: Wanted) -> Iterator[Fact]:
        """What a store has of what somebody wants."""
        graph = None if isinstance(self.graph, AnyGraph) else self.graph
        found = store.matching(one[0], self.predicate, one[1], graph)
        if graph is None:
            return (fact for fact in found if fact[3] != DEFAULT)
        return iter(found)


class ContextStore:
    """Facts that subscribed joins look at, kept beside the store as far as they are needed.

    What changes is told by `advance`; until then it has what was before.
    """

    def __init__(self, store: GraphStore) -> None:
        self._store = store
        self._relations: dict[tuple[NamedNode | None, Place], Relation] = {}

    def finder(
        self,
        predicate: NamedNode | None,
        graph: Place,
        bound: tuple[int, ...],
        free: tuple[int, ...],
    ) -> Find:
        """How facts of a relation are found by some of their places, now and later."""
        relation = self._relations.setdefault((predicate, graph), Relation(predicate, graph))
        index = relation.indexes.get((bound, free))
        if index is None:
            index = relation.indexes[bound, free] = Index.by(bound, free)
            for one in relation.wanted:
                for fact in relation.facts(self._store, one):
                    index.add(fact)
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
        if relation is None or (None, None) not in relation.wanted:
            return None
        index = relation.indexes.get((bound, free))
        return None if index is None else index.found.get

    def want(self, predicate: NamedNode | None, graph: Place, one: Wanted) -> None:
        """Keep facts of a relation from now on."""
        relation = self._relations[predicate, graph]
        relation.wanted[one] += 1
        if relation.wanted[one] == 1:
            indexes = relation.indexes.values()
            for fact in relation.facts(self._store, one):
                for index in indexes:
                    index.add(fact)

    def unwant(self, predicate: NamedNode | None, graph: Place, one: Wanted) -> None:
        """Keep them no longer, if nobody else wants them."""
        relation = self._relations[predicate, graph]
        relation.wanted[one] -= 1
        if relation.wanted[one]:
            return
        del relation.wanted[one]
        if not relation.wanted:
            for index in relation.indexes.values():
                index.found.clear()
            return
        for fact in relation.facts(self._store, one):
            if not relation.wants(fact):
                for index in relation.indexes.values():
                    index.remove(fact)

    def advance(self, change: Change) -> None:
        """Take up a change."""
        if not self._relations:
            return
        for fact in change.removed:
            for relation in self._of(fact):
                for index in relation.indexes.values():
                    index.remove(fact)
        for fact in change.added:
            for relation in self._of(fact):
                if relation.wants(fact):
                    for index in relation.indexes.values():
                        index.add(fact)

    def _of(self, fact: Fact) -> Iterator[Relation]:
        """The relations to which a fact belongs."""
        _, predicate, _, graph = fact
        relations = self._relations
        places: tuple[Place, ...] = (graph,) if graph == DEFAULT else (graph, NAMED)
        for place in places:
            if (found := relations.get((predicate, place))) is not None:
                yield found
            if (found := relations.get((None, place))) is not None:
                yield found


def store_finder(
    store: GraphStore,
    predicate: NamedNode | None,
    graph: Place,
    bound: tuple[int, ...],
    free: tuple[int, ...],
) -> Find:
    """How facts are found in the store itself: slower, and nothing has to be kept."""
    relation_graph = None if isinstance(graph, AnyGraph) else graph
    value = _taking(free)

    def find(key: Any, nothing: object) -> Iterable[Any]:
        keys = (key,) if len(bound) == 1 else key or ()
        at: dict[int, Any] = dict(zip(bound, keys, strict=True))
        if isinstance(at.get(0), Literal) or isinstance(at.get(1), Literal | BlankNode):
            return ()
        if isinstance(at.get(3), Literal):
            return ()
        found = store.matching(
            at.get(0), at.get(1, predicate), at.get(2), at.get(3, relation_graph)
        )
        if relation_graph is None and 3 not in at:
            found = (fact for fact in found if fact[3] != DEFAULT)
        return [value(fact) for fact in found]

    return find


def _taking(places: tuple[int, ...]) -> Callable[[Fact], Any]:
    """The values at some places of a fact, as `key_of` would have them."""
    return itemgetter(*places) if places else _nothing


def _nothing(fact: Fact) -> None:
    return None
