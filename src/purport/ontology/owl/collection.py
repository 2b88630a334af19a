"""What is read of ontologies, gathered file by file, and told as one `Axioms` in the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from purport.model.class_expression import ClassExpression
from purport.ontology import axioms as told
from purport.ontology.owl.datatype_definitions import with_definitions
from purport.ontology.owl.usage import Usage

_CALLED = {
    told.SubClass: "subclass axioms",
    told.EquivalentClasses: "class equivalences",
    told.DisjointClasses: "disjoint classes",
    told.SubProperty: "subproperty axioms",
    told.PropertyChain: "property chains",
    told.InverseProperties: "inverse properties",
    told.DisjointProperties: "disjoint properties",
    told.Domain: "domains",
    told.Range: "ranges",
    told.PropertyIs: "property characteristics",
    told.ClassAssertion: "class assertions",
    told.PropertyAssertion: "property assertions",
    told.PropertyDenial: "negative property assertions",
    told.SameIndividuals: "same individuals",
    told.DifferentIndividuals: "different individuals",
}


class Malformed(Exception):
    """Triples that should spell something and do not; the text names what, in the plural."""


@dataclass(slots=True)
class Collection:
    """Axioms, declared names, labels and prefixes so far; an axiom that is said twice counts once.

    `properties` are declared as properties without saying of which kind.
    """

    axioms: dict[told.Axiom, None] = field(default_factory=dict)
    classes: set[str] = field(default_factory=set)
    object_properties: set[str] = field(default_factory=set)
    data_properties: set[str] = field(default_factory=set)
    annotation_properties: set[str] = field(default_factory=set)
    properties: set[str] = field(default_factory=set)
    individuals: set[str] = field(default_factory=set)
    datatypes: set[str] = field(default_factory=set)
    definitions: dict[str, ClassExpression] = field(default_factory=dict)
    labels: dict[str, dict[str, None]] = field(default_factory=dict)
    prefixes: dict[str, str] = field(default_factory=dict)
    ignored: Counter[str] = field(default_factory=Counter)

    def add(self, *axioms: told.Axiom) -> None:
        """Keep axioms."""
        self.axioms.update(dict.fromkeys(axioms))

    @contextmanager
    def counting_malformed(self) -> Iterator[None]:
        """Count what turns out to be malformed, and go on."""
        try:
            yield
        except Malformed as malformed:
            self.ignored[f"malformed {malformed}"] += 1

    def is_property(self, name: str) -> bool:
        """Whether a name is declared as a property of things or of data."""
        return name in self.object_properties or name in self.data_properties

    def add_label(self, name: str, label: str) -> None:
        """Keep what people call something."""
        self.labels.setdefault(name, {})[label] = None

    def add_prefixes(self, prefixes: Mapping[str, str]) -> None:
        """Keep prefixes; one whose name is taken by another namespace gets a number behind it.

        The empty one is the first file's.
        """
        for name, namespace in prefixes.items():
            if name in self.prefixes and (not name or namespace in self.prefixes.values()):
                continue
            number, free = 1, name
            while self.prefixes.get(free, namespace) != namespace:
                number += 1
                free = f"{name}{number}"
            self.prefixes[free] = namespace

    def told(self, files: Iterable[Path]) -> told.Axioms:
        """Everything as one; a name that nobody declared is what it is used as."""
        axioms = with_definitions(self.axioms, self.definitions)
        usage = Usage.of(axioms, self.datatypes | self.definitions.keys())
        classes = self.classes | usage.classes
        data, objects = self._kinds_of_properties(usage)
        named = classes | data | objects | self.individuals | usage.individuals
        declared = self.classes | self.data_properties | self.object_properties | self.properties
        called = Counter(_CALLED[type(axiom)] for axiom in axioms)
        if self.definitions:
            called["datatype definitions"] = len(self.definitions)
        return told.Axioms(
            axioms=tuple(axioms),
            classes=frozenset(classes),
            object_properties=frozenset(objects),
            data_properties=frozenset(data),
            individuals=frozenset(self.individuals | usage.individuals),
            labels={name: tuple(said) for name, said in self.labels.items() if name in named},
            prefixes=dict(self.prefixes),
            used=dict(sorted(called.items())),
            ignored=dict(sorted((+self.ignored).items())),
            files=tuple(files),
            undeclared=frozenset(named - declared - self.individuals),
        )

    def _kinds_of_properties(self, usage: Usage) -> tuple[set[str], set[str]]:
        """Data properties and object properties: as declared, or else as they are used."""
        declared = self.data_properties | self.object_properties
        undeclared = (usage.properties | self.properties) - declared
        sure_data, sure_objects = set(self.data_properties), set(self.object_properties)
        sure_data |= usage.data_properties & undeclared
        sure_objects |= (usage.object_properties & undeclared) - sure_data
        left = undeclared - sure_data - sure_objects
        changed = True
        while changed:
            data = {name for name in left if not sure_data.isdisjoint(usage.akin.get(name, ()))}
            changed = bool(data)
            sure_data |= data
            left -= data
        return sure_data, sure_objects | left
