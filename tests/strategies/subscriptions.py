"""Subscriptions and rules of every form that the language has."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any, TypeVar

from hypothesis import reject
from hypothesis import strategies as st

from purport.model import class_expression as owl
from purport.model import subscription as ast
from purport.model.comparison import Operator
from purport.model.term import Boolean, Term, Text
from purport.model.units import Quantity
from tests.strategies.terms import (
    attributes,
    moments,
    plain_words,
    quantities,
    terms,
    text_terms,
    texts,
    times,
)

T = TypeVar("T")


def _short(strategy: st.SearchStrategy[T]) -> st.SearchStrategy[T]:
    """The same strategy with a short name: Hypothesis refuses to print very long ones."""

    @st.composite
    def drawn(draw: st.DrawFn) -> T:
        return draw(strategy)

    return drawn()


def _valid(make: Callable[..., T], *parts: st.SearchStrategy[Any]) -> st.SearchStrategy[T]:
    """What can be made of the parts; combinations that are refused are left out."""

    @st.composite
    def drawn(draw: st.DrawFn) -> T:
        try:
            return make(*(draw(part) for part in parts))
        except ValueError:
            return reject()

    return drawn()


operators = st.sampled_from(Operator)
durations = st.one_of(
    st.integers(1, 10**6).map(lambda seconds: timedelta(seconds=seconds)),
    st.integers(1, 10**9).map(lambda microseconds: timedelta(microseconds=microseconds)),
)
approximations = st.one_of(
    st.none(), st.builds(ast.Approximation, st.sampled_from([None, "esa", "hybrid", "my-measure"]))
)
references = st.builds(ast.Reference, texts.filter(bool))
asked_attributes = _short(st.builds(ast.AskedAttribute, attributes, approximations))
asked_values = _short(st.builds(ast.AskedValue, st.one_of(terms, references), approximations))
asked_numbers = st.builds(ast.AskedValue, st.one_of(quantities, references), approximations)
many_values = st.lists(asked_values, min_size=1, max_size=3).map(tuple)
endpoints = st.sampled_from(ast.Endpoint)
_NAMES_OF_TIMES = {"start", "end", "interval", "kbn_start_time", "kbn_end_time"}
reference_times = st.one_of(
    endpoints,
    asked_attributes.map(lambda one: ast.AskedAttribute(one.term)).filter(
        lambda one: str(one.term).lower() not in _NAMES_OF_TIMES
    ),
)

names = st.builds(
    owl.Named,
    st.one_of(
        st.sampled_from(
            ["wine:RedWine", "http://example.org/a#B", "Vehicle", "and", "some", "25", "length"]
        ),
        st.sampled_from(
            ["Red Wine", "a, (b)", "'", "5' to 3'", "a\\", "Self", "inverse", "min", "{x}", "^^"]
        ),
        plain_words,
    ),
)
properties = st.one_of(names, st.builds(owl.Inverse, names))
individuals = st.one_of(names, terms.filter(lambda term: _is_individual(term)))
facets = st.builds(
    owl.Facet,
    st.one_of(operators, st.sampled_from(owl.TextFacet)),
    terms.filter(lambda term: _is_individual(term)),
)


def _is_individual(term: object) -> bool:
    """In a class expression an IRI is a name; times and amounts with a unit have no place there."""
    return isinstance(term, Boolean | Text) or (isinstance(term, Quantity) and term.unit is None)


def _larger_classes(
    inner: st.SearchStrategy[owl.ClassExpression],
) -> st.SearchStrategy[owl.ClassExpression]:
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return st.one_of(
        st.builds(owl.And, several),
        st.builds(owl.Or, several),
        st.builds(owl.Not, inner),
        st.builds(owl.Some, properties, inner),
        st.builds(owl.Only, properties, inner),
        st.builds(owl.HasValue, properties, individuals),
        st.builds(owl.HasSelf, properties),
        st.builds(
            owl.Cardinality,
            properties,
            st.sampled_from(owl.Bound),
            st.integers(0, 9),
            st.one_of(st.none(), inner),
        ),
        st.builds(owl.OneOf, st.lists(individuals, min_size=1, max_size=3).map(tuple)),
        st.builds(owl.Restricted, names, st.lists(facets, min_size=1, max_size=2).map(tuple)),
    )


class_expressions = _short(st.recursive(names, _larger_classes, max_leaves=4))

asked_ends = st.one_of(quantities, times, references).map(ast.AskedValue)


def _range(attribute: ast.AskedAttribute, end: Term) -> ast.InRange:
    return ast.InRange(attribute, ast.AskedValue(end), ast.AskedValue(end))


simple_predicates: st.SearchStrategy[ast.Predicate] = st.one_of(
    _valid(ast.Comparison, asked_attributes, operators, asked_values),
    st.builds(ast.OneOfValues, asked_attributes, many_values),
    _valid(_range, asked_attributes, st.one_of(quantities, times, text_terms)),
    st.builds(ast.InRange, asked_attributes, references.map(ast.AskedValue), asked_ends),
    st.builds(ast.IsA, asked_attributes, class_expressions),
    st.builds(
        ast.ClassOrder, asked_attributes, st.sampled_from(ast.ClassRelation), class_expressions
    ),
    st.builds(ast.HasProperty, asked_attributes, names, operators, asked_values),
    st.builds(ast.ContainsAll, asked_attributes, many_values),
    st.builds(ast.Within, asked_attributes, many_values),
    st.builds(
        ast.WindowAggregate,
        st.sampled_from(ast.Function),
        asked_attributes,
        durations,
        operators,
        asked_numbers,
    ),
    st.builds(
        ast.WindowAggregate,
        st.just(ast.Function.COUNT),
        st.none(),
        durations,
        operators,
        asked_numbers,
    ),
)


def _conjunctions(
    predicates: st.SearchStrategy[ast.Predicate],
) -> st.SearchStrategy[ast.Conjunction]:
    return st.builds(ast.Conjunction, st.lists(predicates, min_size=1, max_size=3).map(tuple))


def _temporal(inner: st.SearchStrategy[ast.Conjunction]) -> st.SearchStrategy[ast.Predicate]:
    return st.one_of(
        st.builds(ast.After, reference_times, st.one_of(st.none(), durations), inner),
        st.builds(ast.During, reference_times, inner),
        st.builds(ast.Simultaneous, endpoints, inner),
        st.builds(
            ast.HistoryFilter,
            asked_attributes,
            operators,
            st.one_of(st.none(), st.integers(1, 999)),
            inner,
        ),
        st.builds(ast.AllenRelated, st.sampled_from(ast.AllenRelation), inner),
    )


predicates = _short(
    st.recursive(
        _short(simple_predicates), lambda inner: _temporal(_conjunctions(inner)), max_leaves=3
    )
)
conjunctions = _conjunctions(predicates)


def _compositions(inner: st.SearchStrategy[ast.Pattern]) -> st.SearchStrategy[ast.Pattern]:
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return st.one_of(
        st.builds(ast.Alternation, several),
        st.builds(ast.Sequence, several, st.one_of(st.none(), durations)),
        st.builds(ast.Coincidence, several, st.one_of(st.none(), durations)),
        st.builds(ast.Repetition, inner, st.integers(1, 99), durations),
        st.builds(ast.Absence, inner, durations, inner),
    )


patterns = _short(st.recursive(conjunctions, _compositions, max_leaves=4))
options = st.builds(
    ast.Options,
    threshold=st.one_of(st.none(), st.floats(0, 1)),
    top=st.one_of(st.none(), st.integers(1, 99)),
    mapping=st.one_of(st.none(), st.sampled_from(ast.Multiplicity)),
    aggregation=st.one_of(st.none(), st.sampled_from(ast.Aggregation)),
    exact=st.one_of(st.none(), st.sampled_from(ast.Exactness)),
    expires=st.one_of(st.none(), moments),
    at_most_once_per=st.one_of(st.none(), durations),
    on_change=st.booleans(),
)
subscription_names = st.one_of(st.none(), texts.filter(lambda name: bool(name.strip())))
subscriptions = st.builds(ast.Subscription, patterns, options, subscription_names)
derivations = st.builds(ast.Derivation, attributes, st.one_of(terms, references))
actions = st.one_of(
    st.builds(ast.Publish, st.lists(derivations, min_size=1, max_size=3).map(tuple)),
    st.builds(ast.Update, texts),
    st.builds(ast.Post, texts.map(lambda path: f"https://example.org/{path}")),
)
rules = st.builds(ast.Rule, patterns, options, subscription_names, action=actions)
