"""Queries that only look facts up, answered by a compiled join."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyoxigraph import QueryResultsFormat, QuerySolutions, Store, Triple, parse_query_results

from purport.sparql.algebra import Project, Select
from purport.sparql.expressions import evaluated
from purport.sparql.given_join import GivenJoin, GivenJoinBuilder, plain_patterns
from purport.sparql.graph_store import GraphStore
from purport.sparql.query_reader import read_query
from purport.sparql.row_counts import Row
from purport.sparql.shape import Shaped
from purport.sparql.token_reader import NotRead


@dataclass(frozen=True, slots=True)
class LookupPlan:
    """How a SELECT over triple patterns that begin with a constant is answered."""

    join: GivenJoin
    names: tuple[str, ...]
    places: tuple[int, ...]  # of the names among the variables of the join

    def answer(self, texts: Sequence[str], store: GraphStore) -> QuerySolutions:
        """The answer, with the constants of one text."""
        found = self.join.solutions(self.join.terms(texts), store)
        rows = [tuple([row[place] for place in self.places]) for _, row in found]
        return solutions_of(self.names, rows)


def solutions_of(names: Sequence[str], rows: Sequence[Row]) -> QuerySolutions:
    """Rows, all of whose columns have values, as pyoxigraph has solutions."""
    if any(isinstance(term, Triple) for row in rows for term in row):  # cannot be written down
        return evaluated("", " ".join(f"?{name}" for name in names), names, rows)
    lines = ["\t".join(f"?{name}" for name in names)]
    lines += ["\t".join(map(str, row)) for row in rows]
    table = "".join(f"{line}\n" for line in lines).encode()
    found = parse_query_results(table, QueryResultsFormat.TSV)
    assert isinstance(found, QuerySolutions)
    return found


def lookup_plan(shaped: Shaped) -> tuple[LookupPlan | None, frozenset[int]]:
    """The plan of a query, if it only looks facts up, and the constants that are left open."""
    try:
        Store().query(shaped.text)
        read, free = read_query(shaped)
    except (SyntaxError, NotRead, RecursionError):  # the store will say what is wrong
        return None, frozenset()
    query = read.query
    if read.default_graphs or read.named_graphs or not isinstance(query, Select):
        return None, free
    if not isinstance(query.pattern, Project) or not query.names:
        return None, free
    patterns = plain_patterns(query.pattern.inner, read.prologue, shaped.constants)
    builder = GivenJoinBuilder()
    builder.add(patterns or ())
    if not patterns or not builder.constants or not set(query.names) <= set(builder.variables):
        return None, free
    places = tuple(builder.variables[name] for name in query.names)
    return LookupPlan(builder.build(patterns), query.names, places), free
