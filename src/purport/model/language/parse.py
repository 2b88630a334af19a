"""Text to subscriptions and rules."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from lark import Lark, Token, Tree, UnexpectedCharacters, UnexpectedInput, UnexpectedToken
from lark.exceptions import VisitError

from purport.errors import SubscriptionFileError, SubscriptionSyntaxError
from purport.model.class_expression import ClassExpression
from purport.model.language.build import Misplaced, SubscriptionBuilder
from purport.model.language.expected import expectation, hint, needed_after
from purport.model.language.pieces import Piece, pieces_of
from purport.model.subscription import Subscription
from purport.model.text_file import read_text

Prefixes = Mapping[str, str]

# Rules within rules of the grammar: some 60 braces within braces.
MOST_LEVELS = 128


def parse(text: str, *, prefixes: Prefixes | None = None) -> Subscription:
    """The subscription (or rule) that a text spells.

    >>> parse("{device~ = laptop~, floor = ground floor} threshold 0.6").options.threshold
    0.6
    """
    subscription: Subscription
    [subscription] = _read(Piece(text, 1), "single", dict(prefixes or {}))
    return subscription


def parse_class(text: str, *, prefixes: Prefixes | None = None) -> ClassExpression:
    """The class expression that a text spells in Manchester syntax.

    >>> parse_class("Person that hasAge some xsd:integer[>= 18]").operands[0]
    Named(name='Person')
    """
    expression: ClassExpression
    expression = _read(Piece(text, 1), "class_expression", dict(prefixes or {}))
    return expression


def parse_all(
    text: str, *, prefixes: Prefixes | None = None, file: str | None = None
) -> list[Subscription]:
    """Every subscription and rule in a text, which may also hold comments and prefixes.

    One mistake does not hide another: a `SubscriptionFileError` lists them all.
    """
    known = dict(prefixes or {})
    found: list[Subscription] = []
    errors: list[SubscriptionSyntaxError] = []
    for piece in pieces_of(text):
        try:
            found += _read(piece, "document", known, file)
        except SubscriptionSyntaxError as error:
            errors.append(error)
    errors += _repeated_names(found, text, file)
    if errors:
        raise SubscriptionFileError(sorted(errors, key=lambda error: (error.line, error.column)))
    return found


def parse_file(path: str | Path, *, prefixes: Prefixes | None = None) -> list[Subscription]:
    """Every subscription and rule in a file."""
    return parse_all(read_text(path), prefixes=prefixes, file=str(path))


@cache
def _parser() -> Lark:
    return Lark.open(
        "grammar.lark",
        rel_to=__file__,
        parser="lalr",
        start=["single", "document", "class_expression"],
        maybe_placeholders=True,
        propagate_positions=True,
    )


def _read(piece: Piece, start: str, prefixes: dict[str, str], file: str | None = None) -> Any:
    """What a piece spells by a rule of the grammar; prefixes declared in it are added to others."""
    try:
        tree = _parser().parse(piece.text, start=start)
    except UnexpectedInput as error:
        raise _syntax_error(error, piece, file) from None
    if _depth(tree) > MOST_LEVELS:
        raise piece.error("the subscription is nested too deeply", 1, 1, file)
    builder = SubscriptionBuilder(prefixes, file, piece.first_line)
    try:
        return builder.transform(tree)
    except VisitError as error:
        match error.orig_exc:
            case Misplaced(line=line, column=column) as mistake:
                raise piece.error(str(mistake), line, column, file) from None
            case ValueError() as refusal if isinstance(error.obj, Tree):
                place = error.obj.meta
                raise piece.error(str(refusal), place.line, place.column, file) from None
        raise


def _depth(tree: Tree[Token]) -> int:
    """How deep a tree is nested."""
    deepest, left = 0, [(tree, 1)]
    while left:
        node, level = left.pop()
        deepest = max(deepest, level)
        left += [(child, level + 1) for child in node.children if isinstance(child, Tree)]
    return deepest


def _syntax_error(
    error: UnexpectedInput, piece: Piece, file: str | None
) -> SubscriptionSyntaxError:
    """What the parser met and what it could have used, in words, at the place where it stood."""
    match error:
        case UnexpectedToken(token=token) if token.type != "$END":
            line, column, found = token.line or 1, token.column or 1, f"found {str(token)!r}"
            accepted = error.accepts or error.expected
            if needed := needed_after(str(token), accepted):
                line, column, found = piece.next_to(token.end_pos or 0)
                return piece.error(f"{found}, expected {needed}", line, column, file)
        case UnexpectedCharacters(line=line, column=column, char=character):
            found, accepted = f"found {character!r}", error.allowed or set()
            if character == '"':
                return piece.error("the quoted text is not closed in this line", line, column, file)
        case _:
            line, column = piece.end()
            found, accepted = "the text ends here", getattr(error, "accepts", None) or set()
    before = piece.text_before(line, column)
    message = f"{found}, expected {expectation(accepted)}{hint(before, found)}"
    return piece.error(message, line, column, file)


def _repeated_names(
    found: list[Subscription], text: str, file: str | None
) -> list[SubscriptionSyntaxError]:
    whole = Piece(text, 1)
    seen: set[str] = set()
    errors = []
    for subscription in found:
        name, origin = subscription.name, subscription.origin
        if name is not None and origin is not None and name in seen:
            message = f"the name {name!r} is taken by an earlier subscription"
            errors.append(whole.error(message, origin.line, origin.column, file))
        if name is not None:
            seen.add(name)
    return errors
