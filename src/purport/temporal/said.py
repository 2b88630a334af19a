"""What an event says of an attribute: all of it, or what a mapping has read."""

from __future__ import annotations

from itertools import product

from purport.matching.keys import asked_attribute_key, told_attribute_keys
from purport.model.event import Statement
from purport.model.subscription import AskedAttribute
from purport.model.term import Attribute, Term
from purport.temporal.instance import Bindings, Read, agree
from purport.temporal.occurrence import Occurrence

Binds = tuple[tuple[str, AskedAttribute], ...]  # names, and what gives them their values
_NO_BINDINGS: list[Bindings] = [()]


def values_of(statements: tuple[Statement, ...], attribute: Attribute) -> list[Term]:
    """What an event says of an exact attribute."""
    key = asked_attribute_key(attribute)
    return [one.value for one in statements if key in told_attribute_keys(one.attribute)]


def values_read(read: Read, occurrence: Occurrence, attribute: AskedAttribute) -> list[Term]:
    """The values of an attribute: the one that a mapping chose, or all that it has."""
    if read and attribute in read:
        return [read[attribute]]
    if attribute.approximation is not None:
        return []
    return values_of(occurrence.statements, attribute.term)


def bindings_of(binds: Binds, read: Read, occurrence: Occurrence) -> list[Bindings]:
    """The values that an event gives to names: each combination of them."""
    if not binds:
        return _NO_BINDINGS
    names = [name for name, _ in binds]
    values = [dict.fromkeys(values_read(read, occurrence, one)) for _, one in binds]
    found = (tuple(zip(names, some, strict=True)) for some in product(*values))
    return [tuple(sorted(dict(one).items())) for one in found if agree(one, one)]
