"""Requests of the SPARQL 1.1 Protocol: a query or an update, the graphs it sees, and when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import parse_qsl

from starlette.requests import Request

from purport.errors import InvalidInput
from purport.service.bodies import decoded, media_type, parsed
from purport.service.due import due_after, due_at
from purport.sparql.graph_store import WHOLE, Dataset

FORM = "application/x-www-form-urlencoded"
QUERY = "application/sparql-query"
UPDATE = "application/sparql-update"
_MOST_PARAMETERS = 1_000


@dataclass(frozen=True, slots=True)
class AskedQuery:
    """A query, and the graphs that it sees."""

    text: str
    dataset: Dataset


@dataclass(frozen=True, slots=True)
class AskedUpdate:
    """An update, the graphs that its patterns see, and when it is to run."""

    text: str
    dataset: Dataset
    at: datetime | None = None
    after: timedelta | None = None


@dataclass(frozen=True, slots=True)
class _Parameters:
    """Names and values, in the order in which they were told."""

    pairs: Sequence[tuple[str, str]]

    def all(self, name: str) -> tuple[str, ...]:
        """Every value of a name."""
        return tuple(value for one, value in self.pairs if one == name)

    def at_most_one(self, name: str) -> str | None:
        """The value of a name; `InvalidInput` if there are several."""
        found = self.all(name)
        if len(found) > 1:
            raise InvalidInput(f"expected the parameter {name} once, got {len(found)} of them")
        return found[0] if found else None

    def dataset(self, default: str, named: str) -> Dataset:
        """The graphs that two parameters name; none of either: all that there are.

        Where only one of the two is told, there is nothing of the other kind.
        """
        graphs, named_graphs = self.all(default), self.all(named)
        return Dataset(graphs, named_graphs) if graphs or named_graphs else WHOLE


async def asked_query(request: Request) -> AskedQuery:
    """The query that a request asks; `Refused`, or `InvalidInput`, says what is wrong with it."""
    text, parameters = await _asked(request, "query", QUERY)
    return AskedQuery(text, parameters.dataset("default-graph-uri", "named-graph-uri"))


async def asked_update(request: Request) -> AskedUpdate:
    """The update that a request asks for; errors as of a query."""
    text, parameters = await _asked(request, "update", UPDATE)
    at, delay = parameters.at_most_one("at"), parameters.at_most_one("delay")
    if at is not None and delay is not None:
        raise InvalidInput("an update runs at a time, or after a delay: not both")
    return AskedUpdate(
        text,
        parameters.dataset("using-graph-uri", "using-named-graph-uri"),
        None if at is None else due_at(at),
        None if delay is None else due_after(delay),
    )


async def _asked(request: Request, name: str, direct_type: str) -> tuple[str, _Parameters]:
    """The text that is asked, and all parameters of its address and its form."""
    pairs = _pairs(request.scope["query_string"], "the address")
    direct = None
    if request.method == "POST":
        kind = media_type(request, (FORM, direct_type))
        body = await request.body()
        if kind == FORM:
            pairs = [*pairs, *await parsed(body, lambda: _pairs(body, "the form"))]
        else:
            direct = decoded(body)
    parameters = _Parameters(pairs)
    text = parameters.at_most_one(name)
    if direct is not None and text is not None:
        raise InvalidInput(
            f"the {name} stands in the body and in a parameter: expected one of both"
        )
    text = text if direct is None else direct
    other = "update" if name == "query" else "query"
    if parameters.all(other):
        raise InvalidInput(f"the parameter {other} has no place here: send it to /{other}")
    if text is None or not text.strip():
        raise InvalidInput(
            f"expected a {name}, as the parameter {name} or as a body in {direct_type}"
        )
    return text, parameters


def _pairs(encoded: bytes, where: str) -> list[tuple[str, str]]:
    try:
        return parse_qsl(
            encoded.decode("ascii"),
            keep_blank_values=True,
            errors="strict",
            max_num_fields=_MOST_PARAMETERS,
        )
    except UnicodeError:
        raise InvalidInput(f"the parameters in {where} are not UTF-8, or not encoded") from None
    except ValueError:
        raise InvalidInput(f"more than {_MOST_PARAMETERS:,} parameters in {where}") from None
