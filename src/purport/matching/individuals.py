"""The individuals that events tell of, and what an ontology says of them.

A value names an individual, or a class: then it is some member of it. Where the attribute says a
type (`type`, `wine.type`), what else is told at its level describes the same individual. In a list
of objects each is an individual of its own, as far as the order of statements shows it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from purport.errors import InvalidInput
from purport.model.class_expression import ClassExpression, Named, OneOf
from purport.model.event import Event
from purport.model.iris import last_part
from purport.model.paths import path_steps, told_objects
from purport.model.term import Attribute, Resource, Term, Text, folded, is_iri
from purport.model.words import said, says_words
from purport.ontology.data.data_ranges import is_data_range
from purport.ontology.description import Description, is_type_name
from purport.ontology.expression_index import ExpressionIndex, told_unions

if TYPE_CHECKING:
    from purport.ontology.ontology import Ontology

    GivenOntology = Ontology | Path | str | Sequence[Path | str]
_REMEMBERED = 65_536
TYPE = Text("type")


def ontology_of(given: GivenOntology) -> Ontology:
    """An ontology as it is, or the one in a file or in several."""
    from purport.ontology.ontology import Ontology  # SciPy comes with it: who has none does not pay

    if isinstance(given, Ontology):
        return given
    paths = [given] if isinstance(given, str | Path) else given
    if not isinstance(paths, Sequence) or not paths:
        raise InvalidInput(f"expected an Ontology, a file or several, got {given!r:.80}")
    return Ontology.load(*paths)


class Individuals:
    """Tells the individuals of an ontology's world from what events say."""

    def __init__(self, ontology: Ontology) -> None:
        self.ontology = ontology
        self._unions = told_unions(ontology.axioms)
        self._named = lru_cache(maxsize=_REMEMBERED)(ontology.described)
        self._types = lru_cache(maxsize=_REMEMBERED)(ontology.types_of)
        self._members = lru_cache(maxsize=_REMEMBERED)(ontology.is_member)
        self._values = lru_cache(maxsize=_REMEMBERED)(ontology.values_of)
        self._last: tuple[Event, dict[int, Description]] = Event(()), {}
        self._filing = self.index()
        self._types_of_all = self.types_of(Description())

    def index(self) -> ExpressionIndex:
        """An index without expressions yet."""
        return ExpressionIndex(self.ontology.classes, self._unions)

    def named(self, value: Term) -> Description:
        """The individual that a value names."""
        return self._named(value)

    def class_named(self, value: Term) -> str | None:
        """The class that a value names, if it names one."""
        if not isinstance(value, Text | Resource):
            return None
        return self.ontology.names.find_class(str(value))

    def described_in(self, event: Event) -> dict[int, Description]:
        """For each statement of a type, by its place, the individual that its level describes."""
        last = self._last
        if last[0] is not event:
            self._last = last = event, self._described_in(event)
        return last[1]

    def types_of(self, individual: Description) -> frozenset[str]:
        """Every named class that an individual is in."""
        return self._types(individual)

    def is_member(
        self, individual: Description, expression: ClassExpression, value: Term | None = None
    ) -> bool:
        """Whether an individual is in an expression; a `value` that names it may be data too."""
        if value is not None and is_data_range(expression):  # 25 and 25.0 are one key
            return self.ontology.is_member(value, expression)
        return self._members(individual, expression)

    def values_of(self, individual: Description, property: str) -> tuple[Description | Term, ...]:
        """The values that an individual has of a property."""
        return self._values(individual, property)

    def is_same(self, individual: Description, asked: Term) -> bool:
        """Whether a name, in any form, is that of an individual."""
        name = self.ontology.names.find_individual(str(asked))
        if name is None:
            return isinstance(asked, Resource) and asked.iri == individual.name
        return name == individual.name or self._members(individual, OneOf((Named(name),)))

    def require_individual(self, text: str) -> None:
        """`UnknownName` if no individual of the ontology is called so."""
        names = self.ontology.names
        if names.find_individual(text) is None and folded(text) not in self._said:
            names.individual_named(text)

    @cached_property
    def _said(self) -> frozenset[str]:
        """What the names of individuals say in words."""
        known = self.ontology.axioms.individuals
        return frozenset(folded(said(Resource(one))) for one in known if is_iri(one))

    def may_be_anything(self, expression: ClassExpression) -> bool:
        """Whether what the ontology does not know, such as a number, may be in an expression."""
        above = self._filing.classes_above(expression)
        return above is None or bool(above & self._types_of_all)

    @cached_property
    def has_wordless_names(self) -> bool:
        """Whether a name is a number or an identifier, and says no words."""
        axioms = self.ontology.axioms
        for iri in axioms.classes | axioms.individuals:
            names = iri, last_part(iri), *axioms.labels.get(iri, ())
            if not all(says_words(Text(name)) for name in names):
                return True
        return False

    def _described_in(self, event: Event) -> dict[int, Description]:
        if all(type_level(one.attribute) is None for one in event.statements):
            return {}
        told = [
            _Told(place, _steps_of(one.attribute), one.value)
            for place, one in enumerate(event.statements)
        ]
        found: dict[int, Description] = {}
        for several in _objects_in(told):
            types = [one for one in several if len(one.steps) == 1 and is_type_name(one.steps[0])]
            if types:
                first, *_ = types
                facts = [one.fact for one in several if one is not first and any(one.steps)]
                described = self.ontology.described(first.value, facts)
                found.update((one.place, described) for one in types)
        return found


class _Told(NamedTuple):
    """What a statement tells of an individual: its place, the steps from there, and the value."""

    place: int
    steps: tuple[str, ...]
    value: Term

    @property
    def fact(self) -> tuple[Attribute, Term]:
        return Text(".".join(self.steps)), self.value


def _steps_of(attribute: Attribute) -> tuple[str, ...]:
    return (attribute.iri,) if isinstance(attribute, Resource) else path_steps(attribute.text)


def _objects_in(told: Sequence[_Told]) -> Iterator[Sequence[_Told]]:
    """What is told of an individual, and of each one within it."""
    yield told
    within: dict[str, list[_Told]] = {}
    for place, (first, *rest), value in told:
        if rest and first:
            within.setdefault(first, []).append(_Told(place, tuple(rest), value))
    for several in within.values():
        for places in told_objects(one.steps[0] for one in several):
            yield from _objects_in([several[place] for place in places])


@lru_cache(maxsize=_REMEMBERED)
def type_level(attribute: Attribute) -> str | None:
    """What an attribute says the type of: "" for `type`, "wine" for `wine.type`; None."""
    text = str(attribute)
    if is_type_name(text):
        return ""
    if isinstance(attribute, Resource):
        return None
    *before, name = path_steps(text)
    return ".".join(before) if before and all(before) and is_type_name(name) else None


@lru_cache(maxsize=_REMEMBERED)
def thing_of(attribute: Attribute) -> Attribute | None:
    """The attribute of the thing that one says the type of: `wine` for `wine.type`.

    What says the type of the event itself, however it is called, counts as `type`.
    """
    level = type_level(attribute)
    if level == "":
        return TYPE
    return Text(level) if level and level.strip() else None
