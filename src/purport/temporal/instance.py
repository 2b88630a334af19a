"""What answers a pattern: an event, or several that belong together, and how surely."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from operator import attrgetter
from types import MappingProxyType
from typing import ClassVar, NamedTuple

from msgspec import Struct

from purport.model.comparison import Operator, holds
from purport.model.subscription import AskedAttribute
from purport.model.term import Term
from purport.temporal.occurrence import Occurrence
from purport.temporal.timeline import Timeline

Bindings = tuple[tuple[str, Term], ...]
Read = Mapping[AskedAttribute, Term]  # values that a mapping chose for approximate attributes
NOTHING_READ: Read = MappingProxyType({})


class Part(NamedTuple):
    """One of those that an instance rests on, and the place of the pattern that it fills."""

    place: str
    instance: Instance


class Instance(Struct, eq=False, gc=False):
    """Something that answers a pattern; of single events, `about` is all there is to it.

    `known` is the time by which it could be told, whenever it was: what looks at a period
    that is over counts those that were known by then. `values` are those of the attributes that a
    mapping chose for approximate ones. There are very many: what they refer to is always older, so
    no rings come about that a garbage collector would have to look for.
    """

    about: Occurrence
    start: int
    end: int | None
    probability: float
    known: int
    parts: tuple[Part, ...] = ()
    bindings: Bindings = ()
    values: Read = NOTHING_READ

    is_event: ClassVar[bool] = True  # a single one, and not a composition that ends with it

    def all_parts(self) -> Iterator[Part]:
        """Those that it rests on, and those that these rest on, as they come in the pattern."""
        for part in self.parts:
            yield part
            yield from part.instance.all_parts()


class Composed(Instance, eq=False, gc=False):
    """A composition; `about` is the event that it is told of."""

    is_event: ClassVar[bool] = False


def timeline() -> Timeline[Instance]:
    """Instances by time, of which none are there yet."""
    return Timeline(_NAME, _PROBABILITY)


_NAME, _PROBABILITY = attrgetter("about.id"), attrgetter("probability")


def agree(first: Bindings, second: Bindings) -> bool:
    """Whether names that both bind have equal values."""
    known = dict(first)
    return all(name not in known or is_same(known[name], value) for name, value in second)


def is_same(one: Term, other: Term) -> bool:
    """Whether two values are equal, whichever of them is asked for."""
    return holds(one, Operator.EQUAL, other) or holds(other, Operator.EQUAL, one)


def joined(first: Bindings, second: Bindings) -> Bindings:
    """All names that either binds, in their order."""
    return tuple(sorted(({**dict(second), **dict(first)}).items()))
