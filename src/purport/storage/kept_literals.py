"""Whether an endpoint gives literals back as they were written.

Virtuoso prints doubles with six digits, cuts decimals off, and makes something else of integers
that are too long: of such a fact nobody could be told truly, and it could not be deleted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from uuid import uuid4

from pyoxigraph import Literal, QuerySolutions

from purport.model.rdf import XSD
from purport.sparql.errors import EndpointFailed, LiteralNotKept
from purport.sparql.terms import RDF, Term
from purport.storage.endpoint_texts import written

_LITERALS_AT_ONCE = 100
_REMEMBERED = 65_536
_DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_ZONE = r"(Z|[+-][0-9]{2}:[0-9]{2})?"
_PLAIN = {  # what every endpoint that was met keeps
    "string": re.compile(r".*", re.DOTALL),
    "integer": re.compile(r"-?[0-9]{1,18}"),
    "decimal": re.compile(r"-?(?=[0-9.]{1,15}$)[0-9]+(\.[0-9]+)?"),
    "boolean": re.compile(r"true|false"),
    "double": re.compile(r"(?=-?(0\.[0-9]{1,6}|[0-9.]{1,7})$)-?[0-9]{1,6}(\.[0-9]+)?"),
    "date": re.compile(_DATE),
    "dateTime": re.compile(rf"{_DATE}T[0-9]{{2}}:[0-9]{{2}}:[0-9]{{2}}(\.[0-9]{{1,6}})?{_ZONE}"),
}


class KeptLiterals:
    """Tries out the literals that are in doubt, in a graph of their own, before they are written.

    Each is tried once, as long as it is remembered.
    """

    def __init__(
        self, update: Callable[[str], None], solutions: Callable[[str], QuerySolutions]
    ) -> None:
        self._update, self._solutions = update, solutions
        self._kept: set[Literal] = set()

    def require(self, terms: Iterable[Term]) -> None:
        """Raise `LiteralNotKept` if one of some terms would become another."""
        doubtful = [
            term
            for term in terms
            if isinstance(term, Literal) and term not in self._kept and _is_doubtful(term)
        ]
        for literal in doubtful:
            if literal.value == "NaN":
                raise LiteralNotKept(f"{literal} is not tried out: Virtuoso would keep it for ever")
        for start in range(0, len(doubtful), _LITERALS_AT_ONCE):
            self._try_out(doubtful[start : start + _LITERALS_AT_ONCE])

    def _try_out(self, literals: Sequence[Literal]) -> None:
        graph = f"urn:purport:literals:{uuid4().hex}"
        triples = " . ".join(
            f"<urn:purport:l{place}> <urn:purport:literal> {written(literal)}"
            for place, literal in enumerate(literals)
        )
        try:
            self._update(f"INSERT DATA {{ GRAPH <{graph}> {{ {triples} }} }}")
            found = self._found(graph, literals)
        finally:
            with suppress(EndpointFailed):  # the first failure is the one to tell of
                self._update(f"DROP SILENT GRAPH <{graph}>")
        for place, literal in enumerate(literals):
            if found.get(place) != literal:
                became = found.get(place, "something that it does not find again")
                raise LiteralNotKept(f"the endpoint would keep {literal} as {became}")
        if len(self._kept) > _REMEMBERED:
            self._kept.clear()
        self._kept.update(literals)

    def _found(self, graph: str, literals: Sequence[Literal]) -> dict[int, Term]:
        """The literals that are there under their places, and are found when they are asked for."""
        rows = " ".join(
            f"({place} <urn:purport:l{place}> {written(literal)})"
            for place, literal in enumerate(literals)
        )
        asked = f"VALUES (?n ?s ?o) {{ {rows} }} ?s <urn:purport:literal> ?o"
        text = (
            f"SELECT ?n ?found WHERE {{ GRAPH <{graph}> {{ {asked} . "
            "?s <urn:purport:literal> ?found } }"
        )
        return {int(row["n"].value): row["found"] for row in self._solutions(text)}


def _is_doubtful(literal: Literal) -> bool:
    if literal.language is not None:
        return False
    datatype = literal.datatype.value
    if not datatype.startswith((XSD, RDF)):
        return False
    plain = _PLAIN.get(datatype.removeprefix(XSD))
    return plain is None or plain.fullmatch(literal.value) is None
