"""Parse trees to subscriptions: one method for each rule of the grammar."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from lark import Token, Transformer, v_args
from lark.tree import Meta
from pyoxigraph import Literal, NamedNode

from purport.model import class_expression as owl
from purport.model import subscription as ast
from purport.model.comparison import Operator
from purport.model.interval import read_duration, read_instant
from purport.model.rdf import XSD, has_own_values, literal_term
from purport.model.term import Attribute, Resource, Term, Text, is_iri, read_bare
from purport.model.units import Quantity

_MOST_DIGITS = 18
_ESCAPE = re.compile(r"\\(.)")
_SYMBOLS = {"≠": "!=", "≤": "<=", "≥": ">="}

_ENDPOINTS = {"kbn_start_time": "start", "kbn_end_time": "end"}  # as KBN calls them


class Misplaced(Exception):
    """Something well-formed stands where it has no meaning."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(message)
        self.line = line
        self.column = column


@v_args(inline=True)
class SubscriptionBuilder(Transformer[Token, Any]):
    """Builds the nodes of `subscription` from a parse tree."""

    def __init__(self, prefixes: dict[str, str], file: str | None, first_line: int) -> None:
        super().__init__()
        self._prefixes = prefixes
        self._file = file
        self._first_line = first_line

    # ---- documents ----

    def document(self, *statements: ast.Subscription | None) -> list[ast.Subscription]:
        return [statement for statement in statements if statement is not None]

    single = document

    def prefix(self, _keyword: Token, name: Token, iri: Token) -> None:
        if not is_iri(iri[1:-1]):
            raise _misplaced(iri, f"not an absolute IRI: {iri[1:-1]!r}")
        self._prefixes[name[:-1]] = iri[1:-1]

    @v_args(meta=True, inline=True)
    def subscription(self, meta: Meta, pattern: ast.Pattern, *options: _Option) -> ast.Subscription:
        given, name = _collected(options)
        return ast.Subscription(pattern, given, name, origin=self._origin(meta))

    @v_args(meta=True, inline=True)
    def rule(self, meta: Meta, _when: Token, pattern: ast.Pattern, *rest: Any) -> ast.Rule:
        *options, action = rest
        given, name = _collected(options)
        return ast.Rule(pattern, given, name, origin=self._origin(meta), action=action)

    @v_args(meta=True, inline=True)
    def triples(self, meta: Meta, *parts: Any) -> ast.Subscription:
        predicates = tuple(part for part in parts if isinstance(part, ast.Comparison))
        given, name = _collected(parts[len(predicates) :])
        return ast.Subscription(ast.Conjunction(predicates), given, name, origin=self._origin(meta))

    def triple(self, _event: Token, words: list[Token], value: Text) -> ast.Comparison:
        related = ast.Approximation()
        return ast.Comparison(
            ast.AskedAttribute(Text(" ".join(words)), related),
            Operator.EQUAL,
            ast.AskedValue(value, related),
        )

    def _origin(self, meta: Meta) -> ast.Origin:
        return ast.Origin(self._file, meta.line + self._first_line - 1, meta.column)

    # ---- patterns ----

    def alternation(self, *parts: Any) -> ast.Alternation:
        return ast.Alternation(_without_tokens(parts))

    def sequence(self, *parts: Any) -> ast.Sequence:
        *steps, _within, limit = parts
        return ast.Sequence(_without_tokens(steps), limit)

    def coincidence(self, *parts: Any) -> ast.Coincidence:
        *patterns, _within, limit = parts
        return ast.Coincidence(_without_tokens(patterns), limit)

    def repetition(
        self, pattern: ast.Pattern, times: Token, _times: Token, _within: Token, limit: timedelta
    ) -> ast.Repetition:
        return ast.Repetition(pattern, _whole(times, 1), limit)

    def absence(
        self,
        _not: Token,
        missing: ast.Pattern,
        _within: Token,
        limit: timedelta,
        _after: Token,
        trigger: ast.Pattern,
    ) -> ast.Absence:
        return ast.Absence(missing, limit, trigger)

    def conjunction(self, *predicates: ast.Predicate) -> ast.Conjunction:
        return ast.Conjunction(predicates)

    # ---- predicates ----

    def comparison(
        self, attribute: ast.AskedAttribute, operator: Token, value: ast.AskedValue
    ) -> ast.Comparison:
        return ast.Comparison(attribute, _operator(operator), value)

    def one_of_values(
        self, attribute: ast.AskedAttribute, _in: Token, values: tuple[ast.AskedValue, ...]
    ) -> ast.OneOfValues:
        return ast.OneOfValues(attribute, values)

    def in_range(
        self, attribute: ast.AskedAttribute, _in: Token, low: ast.AskedValue, high: ast.AskedValue
    ) -> ast.InRange:
        return ast.InRange(attribute, low, high)

    def isa(
        self, attribute: ast.AskedAttribute, _isa: Token, expression: owl.ClassExpression
    ) -> ast.IsA:
        return ast.IsA(attribute, expression)

    def class_order(
        self, attribute: ast.AskedAttribute, relation: Token, expression: owl.ClassExpression
    ) -> ast.ClassOrder:
        return ast.ClassOrder(attribute, ast.ClassRelation(_keyword(relation)), expression)

    def has_property(
        self,
        attribute: ast.AskedAttribute,
        _has: Token,
        name: owl.Named,
        operator: Token,
        value: ast.AskedValue,
    ) -> ast.HasProperty:
        return ast.HasProperty(attribute, name, _operator(operator), value)

    def contains_all(
        self, attribute: ast.AskedAttribute, _contains: Token, values: tuple[ast.AskedValue, ...]
    ) -> ast.ContainsAll:
        return ast.ContainsAll(attribute, values)

    def within(
        self, attribute: ast.AskedAttribute, _within: Token, values: tuple[ast.AskedValue, ...]
    ) -> ast.Within:
        return ast.Within(attribute, values)

    def temporal(
        self,
        attribute: ast.AskedAttribute,
        relation: Token,
        limit: timedelta | None,
        inner: ast.Conjunction,
    ) -> ast.Predicate:
        subject, word = str(attribute.term).lower(), _keyword(relation)
        if attribute.approximation is not None:
            raise _misplaced(relation, f"'~' has no meaning before '{word}'")
        if limit is not None and (word != "after" or subject == "interval"):
            raise _misplaced(relation, f"'{word}' takes no time limit here")
        if subject == "interval" and word != "with":
            return ast.AllenRelated(ast.AllenRelation(word), inner)
        subject = _ENDPOINTS.get(subject, subject)
        is_endpoint = subject in tuple(ast.Endpoint)
        reference = ast.Endpoint(subject) if is_endpoint else attribute
        match word:
            case "after" if subject != "interval":
                return ast.After(reference, limit, inner)
            case "during" if subject != "interval":
                return ast.During(reference, inner)
            case "with" if is_endpoint:
                return ast.Simultaneous(ast.Endpoint(subject), inner)
            case "with":
                raise _misplaced(relation, "expected start or end before 'with'")
        raise _misplaced(relation, f"'{word}' relates intervals: write interval {word} {{...}}")

    def history_filter(
        self,
        attribute: ast.AskedAttribute,
        _filter: Token,
        operator: Token,
        _last: Token | None,
        last: Token | None,
        inner: ast.Conjunction,
    ) -> ast.HistoryFilter:
        limit = None if last is None else _whole(last, 1)
        return ast.HistoryFilter(attribute, _operator(operator), limit, inner)

    def aggregate(
        self,
        function: Token,
        attribute: ast.AskedAttribute | None,
        _over: Token,
        window: timedelta,
        operator: Token,
        value: ast.AskedValue,
    ) -> ast.WindowAggregate:
        kind = ast.Function(_keyword(function))
        return ast.WindowAggregate(kind, attribute, window, _operator(operator), value)

    # ---- the sides of a predicate ----

    def attribute(
        self, term: list[Token] | Text | Resource, approximation: ast.Approximation | None
    ) -> ast.AskedAttribute:
        return ast.AskedAttribute(self._attribute(term), approximation)

    def value(
        self,
        term: list[Token] | Text | Resource | Token,
        approximation: ast.Approximation | None,
    ) -> ast.AskedValue:
        return ast.AskedValue(self._value(term), approximation)

    def values(self, *values: ast.AskedValue) -> tuple[ast.AskedValue, ...]:
        return values

    def approximation(self, _tilde: Token, measure: Token | None) -> ast.Approximation:
        return ast.Approximation(None if measure is None else str(measure))

    def words(self, *words: Token) -> list[Token]:
        return list(words)

    def string(self, text: Token, language: Token | None) -> Text:
        return Text(_unquoted(text), None if language is None else language[1:])

    def iri(self, iri: Token) -> Resource:
        try:
            return Resource(iri[1:-1])
        except ValueError as error:
            raise _misplaced(iri, str(error)) from None

    def duration(self, duration: Token) -> timedelta:
        try:
            return read_duration(duration)
        except ValueError as error:
            raise _misplaced(duration, str(error)) from None

    def _attribute(self, term: list[Token] | Text | Resource) -> Attribute:
        if not isinstance(term, list):
            return term
        text = " ".join(term)
        self._refuse_slips(term)
        name = self._expanded(text)
        return Resource(name) if is_iri(name) else Text(text)

    def _refuse_slips(self, words: list[Token]) -> None:
        """Say so where an attribute looks like something else that was meant."""
        for word in (words[0], words[-1]):
            if word.lower() == "not":
                raise _misplaced(word, "'not' is no part of a predicate: use !=")
            if word == "!":
                raise _misplaced(word, "write != in one piece")
        if isinstance(self._bare(words), Quantity):
            raise _misplaced(words[0], "the attribute comes first, then the value")

    def _value(self, term: list[Token] | Text | Resource | Token) -> Term | ast.Reference:
        match term:
            case Token():
                name = Token.new_borrow_pos(term.type, term[1:], term)
                return ast.Reference(_unquoted(name) if name[0] == '"' else str(name))
            case list():
                return self._bare(term)
            case _:
                return term

    def _bare(self, words: list[Token]) -> Term:
        """Bare words as the term they spell; a prefix that is known is expanded."""
        if words[0][0] == "'" and words[-1][-1] == "'":
            raise _misplaced(words[0], 'texts are quoted with "..."')
        try:
            term = read_bare(" ".join(words))
        except ValueError as error:
            raise _misplaced(words[0], str(error)) from None
        return Resource(self._expanded(term.iri)) if isinstance(term, Resource) else term

    def _expanded(self, name: str) -> str:
        prefix, colon, local = name.partition(":")
        return self._prefixes[prefix] + local if colon and prefix in self._prefixes else name

    # ---- class expressions ----

    def class_or(self, *parts: Any) -> owl.Or:
        return owl.Or(_without_tokens(parts))

    def class_and(self, *parts: Any) -> owl.And:
        return owl.And(_without_tokens(parts))

    def class_not(self, _not: Token, operand: owl.ClassExpression) -> owl.Not:
        return owl.Not(operand)

    def class_restriction(
        self, name: owl.Property, kind: Token, filler: owl.ClassExpression
    ) -> owl.Some | owl.Only:
        return owl.Some(name, filler) if kind.type == "SOME" else owl.Only(name, filler)

    def has_value(self, name: owl.Property, _value: Token, value: Any) -> owl.HasValue:
        return owl.HasValue(name, value)

    def self(self, name: owl.Property, _self: Token) -> owl.HasSelf:
        return owl.HasSelf(name)

    def cardinality(
        self,
        name: owl.Property,
        bound: Token,
        count: Token,
        filler: owl.ClassExpression | None = None,
    ) -> owl.Cardinality:
        return owl.Cardinality(name, owl.Bound(_keyword(bound)), _whole(count, 0), filler)

    def inverse(self, _inverse: Token, name: owl.Named) -> owl.Inverse:
        return owl.Inverse(name)

    def restricted(self, datatype: owl.Named, *facets: owl.Facet) -> owl.Restricted:
        return owl.Restricted(datatype, facets)

    def facet(self, kind: Token, limit: list[Token] | Term) -> owl.Facet:
        limits = owl.TextFacet(kind) if kind.type == "FACET" else _operator(kind)
        return owl.Facet(limits, self._bare(limit) if isinstance(limit, list) else limit)

    def one_of(self, *members: owl.Named | Term) -> owl.OneOf:
        return owl.OneOf(members)

    def typed_literal(self, text: Token, _typed: Token, datatype: owl.Named) -> Term:
        name = datatype.name
        iri = XSD + name.removeprefix("xsd:") if name.startswith("xsd:") else name
        if not is_iri(iri):
            raise _misplaced(text, f"the datatype {name!r} is no IRI and no prefixed name")
        found = literal_term(Literal(_unquoted(text), datatype=NamedNode(iri)))
        if isinstance(found, Text) and has_own_values(iri):
            raise _misplaced(text, f"{_unquoted(text)!r} is no {name}")
        return found

    def individual(self, word: Token) -> owl.Named | Term:
        if word.type != "WORD" or isinstance(term := self._bare([word]), Text | Resource):
            return self.class_name(word)
        return term

    def class_name(self, name: Token) -> owl.Named:
        if name.type == "WORD":
            return owl.Named(self._expanded(str(name)))
        return owl.Named(name[1:-1] if name.type == "IRI" else _ESCAPE.sub(r"\1", name[1:-1]))

    def class_expression(self, expression: owl.ClassExpression) -> owl.ClassExpression:
        return expression

    # ---- options and actions ----

    def option(self, keyword: Token, given: Any = True) -> _Option:
        field, read = _OPTIONS[keyword.type]
        try:
            value = read(given)
            _checked(**{field: value})
        except ValueError as error:
            raise _misplaced(given, str(error)) from None
        return _Option(field, value, keyword)

    def publish(self, _publish: Token, *statements: ast.Derivation) -> ast.Publish:
        return ast.Publish(statements)

    def derivation(
        self,
        attribute: list[Token] | Text | Resource,
        operator: Token,
        value: list[Token] | Text | Resource | Token,
    ) -> ast.Derivation:
        if operator != "=":
            raise _misplaced(operator, f"a published statement is written with '=', got {operator}")
        return ast.Derivation(self._attribute(attribute), self._value(value))

    def update(self, _update: Token, sparql: Token) -> ast.Update:
        return ast.Update(_unquoted(sparql))

    def post(self, _post: Token, url: Token) -> ast.Post:
        return ast.Post(_unquoted(url))


@dataclass(frozen=True, slots=True)
class _Option:
    """One option, by the name of its field, and where it was given."""

    field: str
    value: Any
    keyword: Token


def _name(given: Token) -> str:
    return _unquoted(given) if given.type == "STRING" else str(given)


_OPTIONS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "THRESHOLD": ("threshold", float),
    "TOP": ("top", int),
    "MAPPING": ("mapping", lambda given: ast.Multiplicity(_keyword(given))),
    "AGGREGATION": ("aggregation", lambda given: ast.Aggregation(_keyword(given))),
    "EXACT": ("exact", lambda given: ast.Exactness(_keyword(given))),
    "AS": ("name", _name),
    "EXPIRES": ("expires", lambda given: read_instant(str(given))),
    "AT_MOST_ONCE_PER": ("at_most_once_per", lambda duration: duration),
    "ON_CHANGE": ("on_change", lambda given: given),
}


def _checked(*, name: str | None = None, **options: Any) -> tuple[ast.Options, str | None]:
    """Options and a name, refused where they make no sense."""
    if name is not None and not name.strip():
        raise ValueError("a name must not be empty")
    return ast.Options(**options), name


def _collected(options: Iterable[_Option]) -> tuple[ast.Options, str | None]:
    """The options as one value, and the name; an option that is given twice is a mistake."""
    given: dict[str, Any] = {}
    for option in options:
        if option.field in given:
            raise _misplaced(option.keyword, f"'{_keyword(option.keyword)}' is given twice")
        given[option.field] = option.value
    return _checked(**given)


def _without_tokens(parts: Any) -> tuple[Any, ...]:
    return tuple(part for part in parts if not isinstance(part, Token))


def _keyword(token: Token) -> str:
    return " ".join(token.lower().split())


def _operator(token: Token) -> Operator:
    return Operator(_SYMBOLS.get(token, str(token)))


def _whole(token: Token, least: int) -> int:
    if len(token) > _MOST_DIGITS:
        raise _misplaced(token, "the number is too large")
    if int(token) < least:
        raise _misplaced(token, f"expected {least} or more")
    return int(token)


def _unquoted(text: str) -> str:
    """The text between quotes, with JSON's escapes."""
    try:
        return str(json.loads(text, strict=False))
    except ValueError:
        if isinstance(text, Token):
            raise _misplaced(text, "an escape in the quoted text is none of JSON's") from None
        raise


def _misplaced(token: Token, message: str) -> Misplaced:
    return Misplaced(message, token.line or 1, token.column or 1)
