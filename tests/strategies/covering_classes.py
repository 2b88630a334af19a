"""Pairs of subscriptions to classes, of which the one often covers the other."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from hypothesis import strategies as st

from purport.model import subscription as ast
from purport.model.class_expression import And, Or
from purport.ontology.data.data_ranges import is_data_range
from purport.ontology.ontology import Ontology
from tests.strategies.covering import pairs
from tests.strategies.small_ontology import (
    class_predicates,
    classes,
    drinks,
    expressions,
    properties,
)

_exact = class_predicates.map(
    lambda one: replace(
        one,
        attribute=replace(one.attribute, approximation=None),
        **(
            {"value": replace(one.value, approximation=None)}
            if isinstance(one, ast.HasProperty)
            else {}
        ),
    )
)


@st.composite
def _changed(draw: st.DrawFn, predicate: ast.Predicate) -> ast.Predicate:
    """A predicate that says something similar of the same attribute."""
    kind = draw(st.integers(0, 4))
    match predicate:
        case ast.IsA(_, expression) if kind < 3:
            wider = [draw(expressions)]
            if not is_data_range(expression):
                wider.append(Or((expression, draw(classes))))
            if isinstance(expression, And):
                wider += expression.operands
            return replace(predicate, expression=draw(st.sampled_from(wider)))
        case ast.ClassOrder() if kind < 2:
            return replace(predicate, expression=draw(classes))
        case ast.ClassOrder() if kind == 2:
            relation = draw(st.sampled_from(ast.ClassRelation))
            return replace(predicate, relation=relation, expression=draw(classes))
        case ast.HasProperty(attribute) if kind < 2:
            return replace(predicate, property=draw(properties))
        case ast.HasProperty(attribute) if kind == 2:
            other = draw(_exact)
            is_like = isinstance(other, ast.HasProperty)
            return replace(other, attribute=attribute) if is_like else predicate
    return predicate


@st.composite
def wider_classes(draw: st.DrawFn, specific: ast.Subscription) -> ast.Subscription:
    kept = draw(st.lists(st.sampled_from(specific.predicates), min_size=1, max_size=2))
    some = tuple(draw(_changed(one)) for one in kept)
    return replace(specific, pattern=ast.Conjunction(some))


@cache
def simple_drinks() -> Ontology:
    """The same drinks in OWL 2 EL: nothing says what a juice is not."""
    axioms = drinks().axioms
    kept = tuple(one for one in axioms.axioms if "Juice" not in repr(one))
    return Ontology.of_axioms(replace(axioms, axioms=kept))


class_subscriptions = st.lists(_exact, min_size=1, max_size=2).map(
    lambda some: ast.Subscription(ast.Conjunction(tuple(some)))
)
class_pairs = pairs(class_subscriptions, wider_classes)
