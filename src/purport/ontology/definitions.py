"""Classes that are defined by an expression, and which classes an expression rests on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from graphlib import CycleError, TopologicalSorter
from typing import NamedTuple

from purport.model.class_expression import (
    And,
    Cardinality,
    ClassExpression,
    Named,
    Not,
    Only,
    Or,
    Some,
)
from purport.ontology.axioms import Axioms, EquivalentClasses
from purport.ontology.el_profile import is_el


class Definition(NamedTuple):
    """A class, and what it takes to be in it."""

    name: str
    expression: ClassExpression


def definitions_beyond_el(axioms: Axioms) -> tuple[Definition, ...]:
    """The definitions that tell more of what is known than rules do, those they rest on first.

    Those that rest on each other in a ring are left out: they say nothing about what is not.
    """
    found: dict[str, list[ClassExpression]] = {}
    for axiom in axioms.axioms:
        if isinstance(axiom, EquivalentClasses):
            names = [one.name for one in axiom.operands if isinstance(one, Named)]
            others = [one for one in axiom.operands if not isinstance(one, Named)]
            for name in names:
                found.setdefault(name, []).extend(one for one in others if not is_el(one))
    found = {name: expressions for name, expressions in found.items() if expressions}
    rests_on = {
        name: {one for expression in expressions for one in named_in(expression)} & found.keys()
        for name, expressions in found.items()
    }
    return tuple(
        Definition(name, expression) for name in _in_order(rests_on) for expression in found[name]
    )


def _in_order(rests_on: dict[str, set[str]]) -> Iterable[str]:
    """Names after those that they rest on; without the rings."""
    left = dict(rests_on)
    while True:
        try:
            return list(TopologicalSorter(left).static_order())
        except CycleError as error:
            ring = set(error.args[1])
            left = {name: others - ring for name, others in left.items() if name not in ring}


def named_in(expression: ClassExpression) -> Iterator[str]:
    """The classes that an expression names."""
    match expression:
        case Named(name):
            yield name
        case And(operands) | Or(operands):
            for operand in operands:
                yield from named_in(operand)
        case Not(operand):
            yield from named_in(operand)
        case Some(_, filler) | Only(_, filler):
            yield from named_in(filler)
        case Cardinality(_, _, _, filler) if filler is not None:
            yield from named_in(filler)
