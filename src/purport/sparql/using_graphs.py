"""Updates whose patterns see the graphs of a dataset that is told beside the text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pyoxigraph import NamedNode

from purport.errors import InvalidInput
from purport.sparql.diagnosis import require_update
from purport.sparql.graph_store import WHOLE, Dataset
from purport.sparql.modesty import require_modest
from purport.sparql.services import may_load, refuse_services
from purport.sparql.tokens import Token, after_prologue, closing, operations_of, tokens_of


def using(text: str, dataset: Dataset) -> str:
    """The update with USING in each of its operations that has a pattern.

    `InvalidInput` if one has USING or WITH itself, as the SPARQL 1.1 Protocol asks for.

    >>> using("DELETE { ?s ?p 1 } WHERE { ?s ?p 1 }", Dataset(("urn:g",)))
    'DELETE { ?s ?p 1 } USING <urn:g> WHERE { ?s ?p 1 }'
    """
    if dataset == WHOLE:
        return text
    require_modest(text)
    refuse_services(text)
    if not may_load(text):  # which this would load
        require_update(text)  # so that places in it are those that its author knows
    clauses = [f"USING {one} " for one in _nodes(dataset.default_graphs)]
    clauses += [f"USING NAMED {one} " for one in _nodes(dataset.named_graphs)]
    written, end = [], 0
    for place, before in _wheres(text):
        written += [text[end:place], before, *clauses]
        end = place
    return "".join([*written, text[end:]])


def _nodes(graphs: Sequence[str] | None) -> list[NamedNode]:
    try:
        return [NamedNode(one) for one in graphs or ()]
    except ValueError as error:
        raise InvalidInput(f"a dataset of graphs that are no IRIs: {error}") from None


def _wheres(text: str) -> Iterator[tuple[int, str]]:
    """Where the patterns of operations begin, and what else has to stand before them."""
    for operation in operations_of(tokens_of(text)):
        tokens = operation[after_prologue(operation) :]
        if not tokens or not tokens[0].is_word("WITH", "INSERT", "DELETE"):
            continue
        outer = list(_outside_braces(tokens))
        if any(one.is_word("WITH", "USING") for one in outer):
            raise InvalidInput(
                "the update says itself which graphs it sees (WITH or USING), so that the "
                "parameters using-graph-uri and using-named-graph-uri must not"
            )
        where = next((one for one in outer if one.is_word("WHERE")), None)
        if where is None:  # DATA
            continue
        is_short = tokens[1].is_word("WHERE")  # the pattern is what is deleted
        yield where.start, f"{_braces_after(text, tokens, where)} " if is_short else ""


def _braces_after(text: str, tokens: Sequence[Token], where: Token) -> str:
    opening = tokens.index(where) + 1
    return text[tokens[opening].start : tokens[closing(tokens, opening)].end]


def _outside_braces(tokens: Sequence[Token]) -> Iterator[Token]:
    depth = 0
    for token in tokens:
        depth += token.is_sign("{") - token.is_sign("}")
        if depth == 0:
            yield token
