"""The names of an ontology, in the forms that people write them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from purport.model.iris import last_part
from purport.model.term import folded
from purport.ontology.axioms import OWL, Axioms
from purport.ontology.errors import UnknownName

_BUILT_IN = (OWL + "Thing", OWL + "Nothing")


class Names:
    """Finds classes, properties and individuals by full IRI, prefixed name, last part or label."""

    def __init__(self, axioms: Axioms) -> None:
        self._prefixes = dict(axioms.prefixes)
        labels = axioms.labels
        self._classes = _forms([*axioms.classes, *_BUILT_IN], labels, self._prefixes)
        properties = axioms.object_properties | axioms.data_properties
        self._properties = _forms(properties, labels, self._prefixes)
        self._individuals = _forms(axioms.individuals, labels, self._prefixes)

    def find_class(self, text: str) -> str | None:
        """The class of this name."""
        return _found(self._classes, text)

    def find_property(self, text: str) -> str | None:
        """The property of this name."""
        return _found(self._properties, text)

    def find_individual(self, text: str) -> str | None:
        """The individual of this name."""
        return _found(self._individuals, text)

    def class_named(self, text: str) -> str:
        """The class of this name; `UnknownName` otherwise."""
        return self._named("class", self._classes, text)

    def property_named(self, text: str) -> str:
        """The property of this name; `UnknownName` otherwise."""
        return self._named("property", self._properties, text)

    def individual_named(self, text: str) -> str:
        """The individual of this name; `UnknownName` otherwise."""
        return self._named("individual", self._individuals, text)

    def short(self, iri: str) -> str:
        """The prefixed name of an IRI, or itself."""
        for prefix, start in self._prefixes.items():
            if iri.startswith(start):
                return f"{prefix}:{iri[len(start) :]}"
        return iri

    def _named(self, kind: str, forms: Mapping[str, set[str]], text: str) -> str:
        found = _found(forms, text)
        if found is None:
            raise UnknownName(kind, text, tuple(get_close_matches(text, forms, 2)))
        return found


def _forms(
    iris: Iterable[str], labels: Mapping[str, Iterable[str]], prefixes: Mapping[str, str]
) -> dict[str, set[str]]:
    forms: dict[str, set[str]] = {}
    for iri in iris:
        written = [iri, last_part(iri), *labels.get(iri, ())]
        written += [
            f"{prefix}:{iri[len(start) :]}"
            for prefix, start in prefixes.items()
            if iri.startswith(start)
        ]
        for one in written:
            forms.setdefault(folded(one), set()).add(iri)
    return forms


def _found(forms: Mapping[str, set[str]], text: str) -> str | None:
    found = forms.get(folded(text), ())
    return next(iter(found)) if len(found) == 1 else None
