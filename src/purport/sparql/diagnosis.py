"""What is wrong with a text, in better words than a parser's, if it is a usual mistake."""

from __future__ import annotations

import re

from pyoxigraph import Store

from purport.sparql.errors import SparqlSyntaxError
from purport.sparql.tokens import Kind, after_prologue, tokens_of

_QUERIES = "SELECT, ASK, CONSTRUCT or DESCRIBE"
_SCHEME = re.compile(r"<[A-Za-z][A-Za-z0-9+.\-]*:")


def require_query(text: str) -> None:
    """Raise `SparqlSyntaxError` if a text is no query, with its place."""
    try:
        Store().query(text)
    except SyntaxError as error:
        raise query_error(error, text) from None
    except (OSError, ValueError, RuntimeError):  # it is one, though it cannot be run there
        pass


def require_update(text: str) -> None:
    """Raise `SparqlSyntaxError` if a text is no update, with its place."""
    try:
        Store().update(text)
    except SyntaxError as error:
        raise missing_names(text) or SparqlSyntaxError.of(error) from None
    except (OSError, ValueError, RuntimeError):  # it is one, though it cannot be run there
        pass


def query_error(error: SyntaxError, text: str) -> SparqlSyntaxError:
    """What a parser says of a query, or what is missing in it, or that it is none."""
    tokens = tokens_of(text)
    place = after_prologue(tokens)
    if place >= len(tokens):
        return SparqlSyntaxError.at(text, len(text), f"the text ends here, expected {_QUERIES}")
    if not tokens[place].is_word("SELECT", "ASK", "CONSTRUCT", "DESCRIBE"):
        message = f"found {tokens[place].text!r}, expected {_QUERIES}"
        return SparqlSyntaxError.at(text, tokens[place].start, message)
    return missing_names(text) or SparqlSyntaxError.of(error)


def missing_names(text: str) -> SparqlSyntaxError | None:
    """The first name whose prefix is not declared, or IRI that needs a base which is not there."""
    declared: set[str] = set()
    has_base = False
    tokens = tokens_of(text)
    for place, token in enumerate(tokens):
        before = tokens[place - 1] if place else None
        if before is not None and before.is_word("PREFIX"):
            declared.add(token.text)
        elif token.is_word("BASE"):
            has_base = True
        elif token.kind is Kind.NAME and f"{token.text.partition(':')[0]}:" not in declared:
            message = f"the prefix of {token.text} is not declared"
            return SparqlSyntaxError.at(text, token.start, message)
        elif token.kind is Kind.IRI and not has_base and not _SCHEME.match(token.text):
            message = f"{token.text} is no absolute IRI, and there is no BASE"
            return SparqlSyntaxError.at(text, token.start, message)
    return None
