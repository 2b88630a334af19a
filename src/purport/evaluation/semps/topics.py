"""What events and subscriptions are about, coarsely: for the colours of pictures."""

from __future__ import annotations

from collections.abc import Iterator

from purport.model.class_expression import And, ClassExpression, Named, Or
from purport.network.interests import Pool

EVERYTHING = "everything"
OTHER = "other"
_MOST = 9


class Topics:
    """The largest classes just below the top of an ontology; below the only one, if there is one.

    What is in several of them is told under the largest.
    """

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        classes = self._classes = pool.ontology.classes
        tops = {name for name in classes if not classes.parents(name)} - classes.unsatisfiable
        while len(tops) == 1:
            below = classes.children(*tops) - classes.unsatisfiable
            if not below:
                break
            tops = set(below)
        size = {name: len(classes.descendants(name)) for name in tops}
        self._tops = sorted(size, key=lambda name: (-size[name], name))

    def of(self, text: str) -> str:
        """The topic of an event or a subscription."""
        named = [one for one in _names(self._pool.expression(text)) if one in self._classes]
        for place, top in enumerate(self._tops):
            if any(self._classes.subsumes(top, name) for name in named):
                short = self._pool.ontology.names.short(top)
                return short.rpartition(":")[2] if place < _MOST else OTHER
        return EVERYTHING


def _names(expression: ClassExpression) -> Iterator[str]:
    """The classes that something has to be in, as far as they have names."""
    match expression:
        case Named(name):
            yield name
        case And(operands) | Or(operands):
            for operand in operands:
                yield from _names(operand)
