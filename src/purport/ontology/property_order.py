"""Which property contains which, read forwards and backwards."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from purport.model.class_expression import Inverse, Property
from purport.ontology.axioms import (
    Axioms,
    Characteristic,
    InverseProperties,
    PropertyIs,
    SubProperty,
)
from purport.ontology.reachable import reachable

Role = tuple[str, bool]  # a property by its name, and whether it is read backwards


def role_of(property: Property) -> Role:
    """The role that a property in an expression plays."""
    if isinstance(property, Inverse):
        return property.property.name, True
    return property.name, False


def backwards(role: Role) -> Role:
    """The same property, read the other way."""
    return role[0], not role[1]


class PropertyOrder:
    """For each role the roles that contain it: the order is reflexive and transitive.

    What an inverse and a symmetric property say is followed: where p is part of q, p read backwards
    is part of q read backwards.
    """

    def __init__(self, axioms: Axioms) -> None:
        direct: dict[Role, set[Role]] = {}
        for narrower, wider in _told(axioms):
            direct.setdefault(narrower, set()).add(wider)
            direct.setdefault(backwards(narrower), set()).add(backwards(wider))
        self._direct: Mapping[Role, set[Role]] = direct
        self._above: dict[Role, frozenset[Role]] = {}

    def above(self, role: Role) -> frozenset[Role]:
        """The roles that contain this one, itself among them."""
        found = self._above.get(role)
        if found is None:
            above = reachable([role], lambda one: self._direct.get(one, ()))
            found = self._above[role] = frozenset(above)
        return found

    def named_above(self, name: str) -> list[str]:
        """The properties that contain a property, itself among them."""
        return [wider for wider, is_backwards in self.above((name, False)) if not is_backwards]


def _told(axioms: Axioms) -> Iterable[tuple[Role, Role]]:
    for axiom in axioms.axioms:
        match axiom:
            case SubProperty(narrower, wider):
                yield role_of(narrower), role_of(wider)
            case InverseProperties(first, second):
                yield role_of(first), backwards(role_of(second))
                yield backwards(role_of(second)), role_of(first)
            case PropertyIs(property, Characteristic.SYMMETRIC):
                yield role_of(property), backwards(role_of(property))
