"""What a condition says, by how it is written."""

from __future__ import annotations

import re

from purport.sparql.tokens import closing, tokens_of

_NODE = r"<[^<>\s]*>|[A-Za-z][\w\-]*:[A-Za-z_][\w\-]*"
_IS_NODE = re.compile(rf"\(*\s*(?:\?(\w+)\s*=\s*({_NODE})|({_NODE})\s*=\s*\?(\w+))\s*\)*")


def said_node(text: str) -> tuple[str, str] | None:
    """The variable and the node, if it says which node a variable is.

    >>> said_node("(?road = <urn:r1>)"), said_node("?road != <urn:r1>")
    (('road', '<urn:r1>'), None)
    """
    found = _IS_NODE.fullmatch(text)
    return None if found is None else (found[1] or found[4], found[2] or found[3])


def conjuncts(text: str) -> list[str]:
    """The parts of it that must all be true.

    >>> conjuncts("(?a = 1 && (?b || ?c))")
    ['?a = 1', '?b || ?c']
    """
    tokens = tokens_of(text)
    if tokens and tokens[0].is_sign("(") and closing(tokens, 0) == len(tokens) - 1:
        return conjuncts(text[tokens[0].end : tokens[-1].start].strip())
    depth, begin = 0, 0
    parts: list[str] = []
    for token in tokens:
        if token.text in ("(", "{"):
            depth += 1
        elif token.text in (")", "}"):
            depth -= 1
        elif depth == 0 and token.is_sign("||"):
            return [text]
        elif depth == 0 and token.is_sign("&&"):
            parts.append(text[begin : token.start].strip())
            begin = token.end
    if not parts:
        return [text]
    return [one for part in [*parts, text[begin:].strip()] for one in conjuncts(part)]
