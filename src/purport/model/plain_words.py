"""IRIs in plain English words, as DEBS'12 reads RDF: `birthPlace` is *birth place*.

Of an IRI the last part counts. Underscores give way to spaces, words in camelCase are taken apart,
nouns become singular; but the names of things stay as they are: `United_States` is no state.
"""

from __future__ import annotations

import re
from functools import lru_cache

from purport.model.iris import last_part
from purport.model.nouns import singular
from purport.model.words import is_wordless, parts_of, words_in

# A word, perhaps in brackets or behind a hyphen; not the parts of `www.example.org` or `O'Hara`.
_NOUN = re.compile(r"(\W*(?:\w+-)*)([^\W\d_]+)(\W*)")
_CACHED_IRIS = 100_000


@lru_cache(maxsize=_CACHED_IRIS)
def attribute_name(iri: str) -> str:
    """A property in plain words, in small letters; the IRI itself if there are none in it.

    >>> attribute_name("http://dbpedia.org/ontology/birthPlaces")
    'birth place'
    """
    return " ".join(words_in(last_part(iri))) or iri


@lru_cache(maxsize=_CACHED_IRIS)
def kind_name(iri: str) -> str:
    """A class in plain words, each in the singular.

    >>> kind_name("http://dbpedia.org/class/yago/AviationAccidentsAndIncidentsIn2001")
    'Aviation Accident And Incident In 2001'
    """
    return " ".join(_ones(_spelt(last_part(iri)))) or iri


@lru_cache(maxsize=_CACHED_IRIS)
def thing_name(iri: str) -> str:
    """Anything else in plain words; the words of a name stay as they are.

    Written with underscores, a word with a capital letter belongs to a name if a later one has a
    capital letter too, or if something stands behind it in brackets, as in titles of Wikipedia.

    >>> [thing_name(f"http://dbpedia.org/resource/{title}")
    ...  for title in ("Music_festivals", "Los_Angeles_Lakers", "Cars_(film)")]
    ['Music festival', 'Los Angeles Lakers', 'Cars (film)']
    """
    name = last_part(iri)
    words = _spelt(name)
    if not name.isalnum() and any(word[0].isupper() or word[0] == "(" for word in words[1:]):
        return " ".join(word if word[0].isupper() else _one(word) for word in words)
    return " ".join(_ones(words)) or iri


def _spelt(name: str) -> list[str]:
    """The words of a name as they are written; an identifier is one."""
    if is_wordless(name):
        return [name]
    return parts_of(name) if name.isalnum() else name.replace("_", " ").split()


def _ones(words: list[str]) -> list[str]:
    """Each noun in the singular; what is *united* belongs to a name: `CityInTheUnitedStates`."""
    pairs = zip(["", *words], words, strict=False)
    return [word if before == "United" else _one(word) for before, word in pairs]


def _one(word: str) -> str:
    """A noun as it is written, in the singular; short forms in capital letters have none."""
    found = _NOUN.fullmatch(word)
    if found is None:
        return word
    before, noun, after = found.groups()
    small = noun.lower()
    one = singular(small)
    if one == small or noun.isupper() or len(small) != len(noun):
        return word
    if small.startswith(one):
        return before + noun[: len(one)] + after
    return before + (one.capitalize() if noun[0].isupper() else one) + after
