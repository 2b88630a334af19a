"""Where the file of an import is found: never on the network.

In this order: among the files that were given, by what their ontologies are called; in Protégé's
`catalog-v001.xml` beside the importing file; in the files and folders given for imports and in the
folder of the importing file, by what the ontology is called; and there by the name of the file.
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

from purport.errors import UnusablePath
from purport.model.iris import last_part
from purport.ontology.errors import OntologyError
from purport.ontology.owl.documents import Document, names_in
from purport.ontology.owl.syntaxes import SUFFIXES

CATALOG = "catalog-v001.xml"
_OASIS = "{urn:oasis:names:tc:entity:xmlns:xml:catalog}"


@dataclass(slots=True)
class Imports:
    """Finds the files of imports.

    A file found by its own name must hold an ontology with that name in the end of its IRI, or with
    none: `food.rdf` with `http://example.org/2003/food` is taken for an import of
    `http://example.org/food.owl`, but not with `http://example.org/animals`.
    """

    given: Sequence[Path]
    places: Sequence[Path]
    _names: dict[Path, tuple[str, ...]] = field(default_factory=dict)

    def remember(self, document: Document) -> None:
        """Keep what the ontology in a file is called, so that it is not looked up again."""
        self._names[document.path] = document.names

    def find(self, iri: str, importing: Path) -> Path | None:
        """The file of an import; None if there is none."""
        by_catalog = _catalogued(importing.parent / CATALOG)
        listed = by_catalog.get(_plain(iri))
        around = list(dict.fromkeys(self._candidates(importing)))
        return (
            self._called(iri, self.given)
            or (listed if listed is not None and listed.is_file() else None)
            or self._called(iri, around)
            or self._with_file_name(iri, around)
        )

    def missing(self, iri: str, importing: Path) -> OntologyError:
        """What to say of an import that is nowhere."""
        folders = [str(place) for place in (*self.places, importing.parent)]
        where = ", ".join(dict.fromkeys(folders))
        return OntologyError(
            f"{importing}: imports <{iri}>, which is none of the files given and was not found in "
            f"{where}; give its file as one more, or its folder (imports=, or --imports of purport "
            f"ontology and purport match), or put it into {CATALOG}, or go on without "
            "(ignores_missing_imports=, --ignore-missing-imports)"
        )

    def _candidates(self, importing: Path) -> Iterator[Path]:
        yield from self.given
        for place in self.places:
            yield from _files(place) if place.is_dir() else (place,)
        yield from _files(importing.parent)

    def _called(self, iri: str, candidates: Iterable[Path]) -> Path | None:
        wanted = _plain(iri)
        for path in candidates:
            if wanted in map(_plain, self._names_in(path)):
                return path
        return None

    def _with_file_name(self, iri: str, candidates: Sequence[Path]) -> Path | None:
        name = last_part(_plain(iri)).casefold()
        stem = _stem(name)
        by_name = [path for path in candidates if path.name.casefold() == name]
        by_stem = [path for path in candidates if path.stem.casefold() == stem]
        for path in (*by_name, *by_stem):
            names = self._names_in(path)
            if stem and (not names or stem in (_stem(last_part(_plain(one))) for one in names)):
                return path
        return None

    def _names_in(self, path: Path) -> tuple[str, ...]:
        if path not in self._names:
            self._names[path] = names_in(path)
        return self._names[path]


def checked_places(places: Iterable[Path | str]) -> tuple[Path, ...]:
    """Files and folders given for imports, all of which must be there."""
    found = tuple(map(Path, places))
    for place in found:
        if not place.exists():
            raise UnusablePath(place, "no such file or folder")
    return found


def _files(folder: Path) -> list[Path]:
    try:
        found = sorted(folder.iterdir())
    except OSError as error:
        raise UnusablePath(folder, error.strerror or str(error)) from None
    return [path for path in found if path.suffix.lower() in SUFFIXES and path.is_file()]


def _catalogued(catalog: Path) -> dict[str, Path]:
    """The local files that a catalog names, by IRI."""
    if not catalog.is_file():
        return {}
    try:
        root = ElementTree.parse(catalog).getroot()
    except (ElementTree.ParseError, OSError) as error:
        raise OntologyError(f"{catalog}: not a catalog in XML: {error}") from None
    found = {}
    for entry in root.iter(_OASIS + "uri"):
        address = urlsplit(entry.get("uri", ""))
        if entry.get("name") and address.path and address.scheme in ("", "file"):
            found[_plain(entry.get("name", ""))] = catalog.parent / unquote(address.path)
    return found


def _plain(iri: str) -> str:
    """An IRI without what does not matter for which document it names."""
    return iri.rstrip("#/").removeprefix("http://").removeprefix("https://")


def _stem(name: str) -> str:
    stem, dot, suffix = name.casefold().rpartition(".")
    return stem if dot and f".{suffix}" in SUFFIXES else name.casefold()
