"""Names as people write them, and what they stand for.

A name is a full IRI, a prefixed name, the last part of the IRI, or a label. As it is written comes
first, then without regard to case and spaces; of those, last parts come before labels. Where one of
several is declared and others are only spoken of, it is the one that is declared.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from purport.model.iris import last_part
from purport.model.term import folded
from purport.ontology.axioms import Axioms
from purport.ontology.errors import AmbiguousName, MistakenName, UnknownName
from purport.ontology.prefixes import Prefixes
from purport.ontology.spelling import nearest
from purport.ontology.vocabulary import (
    BUILT_IN_CLASSES,
    BUILT_IN_DATA_PROPERTIES,
    BUILT_IN_OBJECT_PROPERTIES,
    BUILT_IN_PREFIXES,
    DATATYPES,
)

_MOST_SEEN = 100_000


class Names:
    """The classes, properties, individuals and datatypes of an ontology by what people call them.

    >>> axioms = Axioms((), frozenset(["http://example.org/wine#RedWine"]), frozenset(),
    ...     frozenset(), frozenset(), prefixes={"wine": "http://example.org/wine#"})
    >>> Names(axioms).class_named("wine:RedWine"), Names(axioms).find_class("redwine")
    ('http://example.org/wine#RedWine', 'http://example.org/wine#RedWine')
    """

    def __init__(self, axioms: Axioms) -> None:
        self._prefixes = Prefixes.of({**BUILT_IN_PREFIXES, **axioms.prefixes})
        self._undeclared = axioms.undeclared
        self._data_properties = axioms.data_properties | BUILT_IN_DATA_PROPERTIES
        properties = axioms.object_properties | self._data_properties | BUILT_IN_OBJECT_PROPERTIES
        self._classes = self._words("class", axioms.classes | BUILT_IN_CLASSES, axioms.labels)
        self._properties = self._words("property", properties, axioms.labels)
        self._individuals = self._words("individual", axioms.individuals, axioms.labels)
        self._datatypes = self._words("datatype", DATATYPES, {})

    def class_named(self, text: str) -> str:
        """The IRI of a class; an `UnknownName` if there is none, or several of that name."""
        return self._named(self._classes, text)

    def property_named(self, text: str) -> str:
        """The IRI of a property; an `UnknownName` if there is none, or several of that name."""
        return self._named(self._properties, text)

    def individual_named(self, text: str) -> str:
        """The IRI of an individual; an `UnknownName` if there is none, or several of that name."""
        return self._named(self._individuals, text)

    def named(self, text: str) -> str:
        """The IRI of a class, else of an individual, else of a property; `UnknownName` if none."""
        found = self.find_class(text) or self.find_individual(text) or self.find_property(text)
        if found is not None:
            return found
        try:
            return self.class_named(text)
        except AmbiguousName:
            raise
        except UnknownName as unknown:
            kinds = "class, individual or property"
            raise UnknownName(kinds, text, unknown.suggestions) from None

    def datatype_named(self, text: str) -> str:
        """The IRI of a datatype that XSD or OWL knows, e.g. of `xsd:integer` or `integer`."""
        return self._named(self._datatypes, text)

    def find_class(self, text: str) -> str | None:
        """The IRI of a class; None if there is none, or several of that name."""
        return self._classes.find(text)

    def find_property(self, text: str) -> str | None:
        """The IRI of a property; None if there is none, or several of that name."""
        return self._properties.find(text)

    def find_individual(self, text: str) -> str | None:
        """The IRI of an individual; None if there is none, or several of that name."""
        return self._individuals.find(text)

    def find_datatype(self, text: str) -> str | None:
        """The IRI of a datatype; None if there is none of that name."""
        return self._datatypes.find(text)

    def is_data_property(self, iri: str) -> bool:
        """Whether the values of a property are literals."""
        return iri in self._data_properties

    def is_written_so(self, text: str, iri: str) -> bool:
        """Whether a text is a name of an IRI to the letter, and not but for case, or a label."""
        return text in (iri, self.short(iri), last_part(iri))

    def short(self, iri: str) -> str:
        """A name for people: prefixed if there is a prefix for it, or else the IRI.

        What comes out names the same again.
        """
        return self._prefixes.short(iri)

    def _named(self, words: _Words, text: str) -> str:
        try:
            return words.named(text)
        except AmbiguousName:
            raise
        except UnknownName:
            for others in (self._classes, self._properties, self._individuals, self._datatypes):
                if others.find(text) is not None:
                    raise MistakenName(words.kind, text, others.kind) from None
            raise

    def _words(
        self, kind: str, iris: frozenset[str], labels: Mapping[str, tuple[str, ...]]
    ) -> _Words:
        return _Words.of(kind, iris, labels, self._prefixes, self._undeclared)


class _Words:
    """The words for things of one kind: to one IRI, or to several where a word is ambiguous."""

    def __init__(
        self,
        kind: str,
        exact: dict[str, tuple[str, ...]],
        loose: dict[str, tuple[str, ...]],
        prefixes: Prefixes,
    ) -> None:
        self.kind = kind
        self._exact = exact
        self._loose = loose
        self._prefixes = prefixes
        self._seen: dict[str, str | None] = {}

    @classmethod
    def of(
        cls,
        kind: str,
        iris: Iterable[str],
        labels: Mapping[str, tuple[str, ...]],
        prefixes: Prefixes,
        undeclared: frozenset[str],
    ) -> _Words:
        ordered = sorted(iri for iri in iris if not iri.startswith("_:"))
        levels = (
            [(iri, iri) for iri in ordered],
            [(prefixes.short(iri), iri) for iri in ordered],
            [(word, iri) for iri in ordered for word in _local_names(iri)],
            [(label, iri) for iri in ordered for label in labels.get(iri, ())],
        )
        exact = _by_word(levels, undeclared)
        loose = _by_word(
            [[(folded(word), iri) for word, iri in level] for level in levels], undeclared
        )
        return cls(kind, exact, loose, prefixes)

    def find(self, text: str) -> str | None:
        """The one IRI that a text names, or None; a text that was seen before is looked up once."""
        try:
            return self._seen[text]
        except KeyError:
            found = self._candidates(text)
            if len(self._seen) >= _MOST_SEEN:
                self._seen.clear()
            self._seen[text] = answer = found[0] if len(found) == 1 else None
            return answer

    def named(self, text: str) -> str:
        """The one IRI that a text names; otherwise an error that lists what may be meant."""
        found = self._candidates(text)
        if len(found) == 1:
            return found[0]
        if found:
            raise AmbiguousName(self.kind, text, tuple(map(self._prefixes.short, found)))
        words = nearest(folded(text), (word for word in self._loose if "://" not in word))
        suggestions = dict.fromkeys(
            self._prefixes.short(iri) for word in words for iri in self._loose[word]
        )
        raise UnknownName(self.kind, text, tuple(suggestions)[:3])

    def _candidates(self, text: str) -> tuple[str, ...]:
        if text.startswith("<") and text.endswith(">"):
            text = text[1:-1]
        return (
            self._exact.get(text)
            or self._exact.get(self._prefixes.expanded(text))
            or self._loose.get(folded(text))
            or ()
        )


def _local_names(iri: str) -> Iterator[str]:
    """The last part, and the fragment where that is another one."""
    last, (_, hash_sign, fragment) = last_part(iri), iri.rpartition("#")
    if last:
        yield last
    if hash_sign and fragment and fragment != last:
        yield fragment


def _by_word(
    levels: Iterable[Iterable[tuple[str, str]]], undeclared: frozenset[str]
) -> dict[str, tuple[str, ...]]:
    """What words name; where several levels know a word, the first has it."""
    found: dict[str, tuple[str, ...]] = {}
    for level in levels:
        here: dict[str, tuple[str, ...]] = {}
        for word, iri in level:
            before = here.get(word, ())
            if iri not in before:
                here[word] = (*before, iri)
        for word, iris in here.items():
            if len(iris) > 1:
                here[word] = tuple(iri for iri in iris if iri not in undeclared) or iris
        found = {**here, **found}
    return found
