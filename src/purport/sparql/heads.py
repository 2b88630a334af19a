"""What becomes of solutions: yes or no, or triples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b

from pyoxigraph import BlankNode, Literal, NamedNode

from purport.sparql.algebra import TriplePattern, Var
from purport.sparql.operators import Changes, Operator, Unary
from purport.sparql.row_counts import Row, RowCounts, count
from purport.sparql.terms import Term

ASKED = ("answer",)  # the one variable of ASK
TRIPLE = ("subject", "predicate", "object")  # those of CONSTRUCT


class Asked(Unary):
    """ASK: whether there is a solution."""

    is_stateless = False

    def __init__(self, inner: Operator) -> None:
        super().__init__(inner, ASKED, frozenset(ASKED))
        self._solutions = 0
        self._said: Row | None = None

    def advance(self, changes: Changes) -> RowCounts:
        return self._advanced(self._inner.advance(changes))

    def _advanced(self, change: RowCounts) -> RowCounts:
        self._solutions += sum(change.values())
        before, self._said = self._said, (Literal(self._solutions > 0),)
        if before == self._said:
            return {}
        return {self._said: 1} if before is None else {before: -1, self._said: 1}


class Constructed(Unary):
    """CONSTRUCT: a set of triples.

    A node without a name in the template is another one for each solution, and stays the same one
    as long as the solution is there.
    """

    is_stateless = False

    def __init__(self, inner: Operator, template: Sequence[TriplePattern]) -> None:
        super().__init__(inner, TRIPLE, frozenset(TRIPLE))
        self._template = template
        self._places = {name: place for place, name in enumerate(inner.columns)}
        self._times: RowCounts = {}  # of solutions, whose nodes without a name are their own
        self._triples: RowCounts = {}
        self._has_own_nodes = has_own_nodes(template)

    @property
    def size(self) -> int:
        return self._inner.size + len(self._triples) + len(self._times)

    @property
    def remembered(self) -> RowCounts:
        """The triples as they are now."""
        return dict.fromkeys(self._triples, 1)

    def _advanced(self, change: RowCounts) -> RowCounts:
        found: RowCounts = {}
        for row, weight in change.items():
            for triple, times in self._made(row, weight):
                before = triple in self._triples
                count(self._triples, triple, times)
                after = triple in self._triples
                if before != after:
                    count(found, triple, 1 if after else -1)
        return found

    def _made(self, row: Row, weight: int) -> Iterator[tuple[Row, int]]:
        """The triples that more, or fewer, of a solution make."""
        if not self._has_own_nodes:
            for triple in self._instances(row, 0):
                yield triple, weight
            return
        before = self._times.get(row, 0)
        count(self._times, row, weight)
        for copy in range(min(before, before + weight), max(before, before + weight)):
            for triple in self._instances(row, copy):
                yield triple, 1 if weight > 0 else -1

    def _instances(self, row: Row, copy: int) -> Iterator[Row]:
        for pattern in self._template:
            subject, predicate, value = (
                self._value(spot, row, copy)
                for spot in (pattern.subject, pattern.predicate, pattern.object)
            )
            if (
                isinstance(subject, NamedNode | BlankNode)
                and isinstance(predicate, NamedNode)
                and value is not None
            ):
                yield subject, predicate, value

    def _value(self, spot: object, row: Row, copy: int) -> Term | None:
        if not isinstance(spot, Var):
            return spot  # type: ignore[return-value]  # no constant is open here
        if not _is_own(spot):
            place = self._places.get(spot.name)
            return None if place is None else row[place]
        told = f"{spot.name} {copy} {[str(term) for term in row]}"
        return BlankNode(blake2b(told.encode(), digest_size=16).hexdigest())


def remembered(operator: Operator) -> RowCounts | None:
    """The whole answer, if the operator remembers it: it may have named nodes in it."""
    return operator.remembered if isinstance(operator, Constructed) else None


def has_own_nodes(template: Sequence[TriplePattern]) -> bool:
    """Whether a template makes nodes without names."""
    return any(isinstance(spot, Var) and _is_own(spot) for one in template for spot in one.spots)


def _is_own(spot: Var) -> bool:
    """Whether a variable of a template is a node without a name."""
    return spot.name[0] in "_."
