"""The individuals that events tell of, and what an ontology says of them.

A value names an individual, or a class: then it is some member of it. Where the attribute says a
type (`type`, `wine.type`), what else is told at its level describes the same individual.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from purport.model.class_expression import ClassExpression, Named, OneOf
from purport.model.event import Event
from purport.model.iris import last_part
from purport.model.term import Attribute, Resource, Term, Text
from purport.model.words import says_words
from purport.ontology.data.data_ranges import is_data_range
from purport.ontology.description import Description, is_type_name
from purport.ontology.expression_index import ExpressionIndex, told_unions

if TYPE_CHECKING:
    from purport.ontology.ontology import Ontology

    GivenOntology = Ontology | Path | str | Sequence[Path | str]
_REMEMBERED = 65_536
_NOBODY = Text("")


def ontology_of(given: GivenOntology) -> Ontology:
    """An ontology as it is, or the one in a file or in several."""
    from purport.ontology.ontology import Ontology  # SciPy comes with it: who has none does not pay

    if isinstance(given, Ontology):
        return given
    paths = [given] if isinstance(given, str | Path) else given
    return Ontology.load(*paths)


class Individuals:
    """Tells the individuals of an ontology's world from what events say."""

    def __init__(self, ontology: Ontology) -> None:
        self.ontology = ontology
        self._unions = told_unions(ontology.axioms)
        self._named = lru_cache(maxsize=_REMEMBERED)(ontology.described)
        self._class_named = lru_cache(maxsize=_REMEMBERED)(ontology.names.find_class)
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
        return self._class_named(str(value)) if isinstance(value, Text | Resource) else None

    def described_in(self, event: Event) -> dict[int, Description]:
        """For each statement of a type, by its place, the individual that its level describes."""
        if self._last[0] is not event:
            self._last = event, self._described_in(event)
        return self._last[1]

    def types_of(self, individual: Description) -> frozenset[str]:
        """Every named class that an individual is in."""
        return self._types(individual)

    def is_member(
        self, individual: Description, expression: ClassExpression, value: Term | None = None
    ) -> bool:
        """Whether an individual is in an expression; a `value` that names it may be data too."""
        if value is not None and is_data_range(expression):
            return self.ontology.is_member(
                value, expression
            )  # 25 and 25.0 are not told apart by keys
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

    def may_be_anything(self, expression: ClassExpression) -> bool:
        """Whether what the ontology does not know, such as a number, may be in an expression."""
        above = self._filing.classes_above(expression)
        return above is None or bool(above & self._types_of_all)

    def has_wordless_names(self) -> bool:
        """Whether a name is a number or an identifier, which words are told from."""
        axioms = self.ontology.axioms
        for iri in axioms.classes | axioms.individuals:
            names = iri, last_part(iri), *axioms.labels.get(iri, ())
            if not all(says_words(Text(name)) for name in names):
                return True
        return False

    def _described_in(self, event: Event) -> dict[int, Description]:
        levels: dict[str, list[int]] = {}
        for place, one in enumerate(event.statements):
            level = type_level(one.attribute)
            if level is not None:
                levels.setdefault(level, []).append(place)
        found = {}
        for level, places in levels.items():
            described = self._described(event, level, places[0])
            found.update(dict.fromkeys(places, described))
        return found

    def _described(self, event: Event, level: str, place: int) -> Description:
        """The individual that the statements of a level describe; one of them says its type."""
        facts: list[tuple[Attribute, Term]] = []
        for number, one in enumerate(event.statements):
            name = str(one.attribute)
            if number == place or (level and not name.startswith(f"{level}.")):
                continue
            rest = name[len(level) + 1 :] if level else name
            if rest:
                facts.append((Text(rest), one.value))
        return self.ontology.described(event.statements[place].value, facts)


@lru_cache(maxsize=_REMEMBERED)
def type_level(attribute: Attribute) -> str | None:
    """What an attribute says the type of: "" for `type`, "wine" for `wine.type`; None."""
    text = str(attribute)
    if is_type_name(text):
        return ""
    if isinstance(attribute, Resource):
        return None
    level, dot, name = text.rpartition(".")
    return level if dot and level and is_type_name(name) else None


@lru_cache(maxsize=_REMEMBERED)
def thing_of(attribute: Attribute) -> Attribute | None:
    """The attribute of the thing that one says the type of: `wine` for `wine.type`."""
    level = type_level(attribute)
    return Text(level) if level and level.strip() else None
