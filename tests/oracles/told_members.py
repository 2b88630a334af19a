"""Members of class expressions, by names; what is told is all there is."""

from __future__ import annotations

from collections.abc import Iterator

from purport.model.class_expression import (
    And,
    Bound,
    Cardinality,
    ClassExpression,
    HasSelf,
    HasValue,
    Inverse,
    Named,
    Not,
    OneOf,
    Only,
    Or,
    Property,
    Restricted,
    Some,
)
from purport.model.comparison import told_quantity
from purport.model.term import Term
from purport.ontology.data.data_ranges import data_range
from purport.ontology.description import Description
from purport.ontology.hierarchy import Hierarchy

Triple = tuple[object, str, object]


class ToldMembers:
    """What one description tells, as triples of keys; a key is a name, or a path of places."""

    def __init__(
        self,
        description: Description,
        classes: Hierarchy,
        properties: Hierarchy,
        known: dict[str, list[str]],
    ) -> None:
        self._classes, self._properties = classes, properties
        self._types: list[tuple[object, str]] = [
            (name, one) for name, types in known.items() for one in types
        ]
        self._triples: list[Triple] = []
        self._keys: set[object] = set()
        self.root = self._add(description, ())

    def _add(self, description: Description, path: tuple[int, ...]) -> object:
        key = path if description.name is None else description.name
        self._keys.add(key)
        self._types += [(key, one) for one in description.types]
        for place, (property, value) in enumerate(description.facts):
            if isinstance(value, Description):
                self._triples.append((key, property, self._add(value, (*path, place))))
            else:
                self._triples.append((key, property, value))
        return key

    def is_member(self, key: object, expression: ClassExpression) -> bool:
        is_individual = key in self._keys
        match expression:
            case And(operands):
                return all(self.is_member(key, one) for one in operands)
            case Or(operands):
                return any(self.is_member(key, one) for one in operands)
            case Not(operand):
                return not self.is_member(key, operand)
            case Named(name) if name in self._classes:
                return any(
                    one == key and self._classes.subsumes(name, type) for one, type in self._types
                )
            case Named() | Restricted():
                return not is_individual and _is_read_within(key, expression)
            case OneOf(members):
                return any(self._is_same(key, member) for member in members)
            case Some(property, filler):
                return any(self.is_member(one, filler) for one in self._values(key, property))
            case Only(property, filler):
                values = self._values(key, property)
                return is_individual and all(self.is_member(one, filler) for one in values)
            case HasValue(property, member):
                return any(self._is_same(one, member) for one in self._values(key, property))
            case HasSelf(property):
                return is_individual and key in list(self._values(key, property))
            case Cardinality(property, bound, count, filler):
                values = self._values(key, property)
                found = {one for one in values if filler is None or self.is_member(one, filler)}
                return (
                    is_individual
                    and {
                        Bound.MIN: len(found) >= count,
                        Bound.MAX: len(found) <= count,
                        Bound.EXACTLY: len(found) == count,
                    }[bound]
                )

    def _values(self, key: object, property: Property) -> Iterator[object]:
        for subject, told, value in self._triples:
            if isinstance(property, Inverse):
                is_so = key in self._keys and value == key
                if is_so and self._properties.subsumes(property.property.name, told):
                    yield subject
            elif subject == key and self._properties.subsumes(property.name, told):
                yield value

    def _is_same(self, key: object, member: Named | Term) -> bool:
        if isinstance(member, Named):
            return key in self._keys and key == member.name
        return key not in self._keys and _is_read_within(key, OneOf((member,)))


def _is_read_within(key: object, expression: ClassExpression) -> bool:
    """Whether a value is in a range as it is told, or as the number that it spells."""
    assert isinstance(key, Term)
    number = told_quantity(key)
    wanted = data_range(expression)
    return wanted.contains(key) or (number is not None and wanted.contains(number))
