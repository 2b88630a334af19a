"""What a rule updates: SPARQL in which `$name` stands for what the matched event says.

A value takes the place of the variable of that name as one term; so whatever an event says, it
stays one literal or one IRI. In a string, `$name` is text like any other.
"""

from __future__ import annotations

from itertools import product

from pyoxigraph import Literal, NamedNode

from purport.broker.derivation import NO_NAMES, Names, values_of
from purport.broker.graph import require_update
from purport.broker.records import Answered
from purport.errors import InvalidInput
from purport.model.event import Event
from purport.model.subscription import Reference, Rule, Update
from purport.model.term import Term
from purport.sparql.binding import bound, said_in_rdf
from purport.sparql.tokens import Kind, tokens_of

_MOST_RUNS = 1_000  # of one update, where an event says several things under one name


def rule_update(rule: Rule, event: Event, answered: Answered, given: Names = NO_NAMES) -> str:
    """The update that a rule runs on a match; `InvalidInput` if a `$name` says nothing.

    Where the event says several things under a name, it is run for each of them, in one request.
    """
    assert isinstance(rule.action, Update)
    sparql = rule.action.sparql
    names = _placeholders(sparql)
    said = [values_of(Reference(name), rule, event, answered, given) for name in names]
    runs = [dict(zip(names, map(_rdf_term, some), strict=True)) for some in product(*said)]
    if len(runs) > _MOST_RUNS:
        raise InvalidInput(f"the event says so much that the update would run {len(runs):,} times")
    return " ;\n".join(bound(sparql, one) for one in runs)


def require_rule_update(sparql: str) -> None:
    """Raise `SparqlSyntaxError` if this is no update, whatever an event says."""
    require_update(bound(sparql, dict.fromkeys(_placeholders(sparql), NamedNode("urn:x"))))


def _placeholders(sparql: str) -> list[str]:
    """The names of variables that are written with a dollar."""
    variables = (one.text for one in tokens_of(sparql) if one.kind is Kind.VARIABLE)
    return list(dict.fromkeys(one[1:] for one in variables if one[0] == "$"))


def _rdf_term(term: Term) -> Literal | NamedNode:
    """What a value is in RDF; a quantity with a unit is a text, since a number would lose it."""
    try:
        return said_in_rdf(term)
    except ValueError as error:
        raise InvalidInput(f"{term} cannot be said in RDF: {error}") from None
