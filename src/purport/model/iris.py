"""What an IRI says: its last part, unless that is an id that says nothing."""

from __future__ import annotations

import re
from urllib.parse import unquote

_FREEBASE = re.compile(r"https?://(?:[a-z]+\.)?freebase\.com/")
_MACHINE_ID = re.compile(_FREEBASE.pattern + r"(?:ns/)?([mg])[./]([0-9a-z_]+)")
_NAMESPACE = re.compile(r"[^\W\d_]+:(?=[^_\s])")


def last_part(iri: str) -> str:
    """What follows the last `/` or `#` of an IRI, or the last `:` where it has neither.

    A namespace before it is left out, as is what comes before the last dot of a Freebase name.

    >>> last_part("http://dbpedia.org/resource/Category:Music_festivals")
    'Music_festivals'
    >>> last_part("http://rdf.freebase.com/ns/location.location.containedby")
    'containedby'
    """
    *before, part = re.split(r"[/#]", iri.rstrip("/#"))
    if not before:
        return unquote(part.rpartition(":")[2])
    if _FREEBASE.match(iri) and opaque_id(iri) is None:
        return unquote(part.rpartition(".")[2])
    return unquote(_NAMESPACE.sub("", part, count=1))


def opaque_id(iri: str) -> str | None:
    """The machine id of a Freebase topic, however it is written; None of any other IRI.

    >>> opaque_id("http://rdf.freebase.com/ns/m.02mjmr"), opaque_id("http://freebase.com/m/02mjmr")
    ('m.02mjmr', 'm.02mjmr')
    """
    found = _MACHINE_ID.fullmatch(iri)
    return f"{found[1]}.{found[2]}" if found else None
