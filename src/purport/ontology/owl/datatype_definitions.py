"""Datatypes that an ontology defines, put in the place of their names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from purport.model import class_expression as owl
from purport.ontology import axioms as told

# A definition of definitions may double with each step: one larger than this stays a name.
_MOST_NODES = 1000


def with_definitions(
    axioms: Iterable[told.Axiom], definitions: Mapping[str, owl.ClassExpression]
) -> list[told.Axiom]:
    """The axioms with every defined datatype spelt out; one defined by itself stays a name."""
    if not definitions:
        return list(axioms)
    known = _spelt_out(definitions)
    return [_axiom(axiom, known) for axiom in axioms]


def _spelt_out(definitions: Mapping[str, owl.ClassExpression]) -> dict[str, owl.ClassExpression]:
    """Definitions in terms of datatypes that nobody defines."""
    done: dict[str, owl.ClassExpression] = {}
    left = dict(definitions)
    while left:
        ready = [name for name in left if left.keys().isdisjoint(_names(left[name]))]
        if not ready:
            return done
        for name in ready:
            spelt = _spelt(left.pop(name), done)
            if len(_names(spelt)) <= _MOST_NODES:
                done[name] = spelt
    return done


def _axiom(axiom: told.Axiom, known: Mapping[str, owl.ClassExpression]) -> told.Axiom:
    match axiom:
        case told.SubClass(narrower, wider):
            return told.SubClass(_spelt(narrower, known), _spelt(wider, known))
        case told.EquivalentClasses(operands) | told.DisjointClasses(operands):
            return replace(axiom, operands=tuple(_spelt(one, known) for one in operands))
        case told.Domain(name, domain):
            return told.Domain(name, _spelt(domain, known))
        case told.Range(name, values):
            return told.Range(name, _spelt(values, known))
        case told.ClassAssertion(individual, expression):
            return told.ClassAssertion(individual, _spelt(expression, known))
        case _:
            return axiom


def _spelt(
    expression: owl.ClassExpression, known: Mapping[str, owl.ClassExpression]
) -> owl.ClassExpression:
    match expression:
        case owl.Named(name):
            return known.get(name, expression)
        case owl.And(operands) | owl.Or(operands):
            return replace(expression, operands=tuple(_spelt(one, known) for one in operands))
        case owl.Not(operand):
            return owl.Not(_spelt(operand, known))
        case owl.Some(_, filler) | owl.Only(_, filler):
            return replace(expression, filler=_spelt(filler, known))
        case owl.Cardinality(_, _, _, counted):
            return replace(expression, filler=None if counted is None else _spelt(counted, known))
        case owl.HasValue() | owl.HasSelf() | owl.OneOf() | owl.Restricted():
            return expression


def _names(expression: owl.ClassExpression) -> list[str]:
    """The datatypes that a data range is made of, each as often as it stands there."""
    match expression:
        case owl.Named(name) | owl.Restricted(owl.Named(name), _):
            return [name]
        case owl.And(operands) | owl.Or(operands):
            return [name for operand in operands for name in _names(operand)]
        case owl.Not(operand):
            return _names(operand)
        case _:
            return []
