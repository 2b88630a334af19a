"""What the names of attributes say: prefixes, short forms and units made into words.

`ayto:temp` says *temperature*; `total_power_import_kwh`, through its unit, *energy* as well.
"""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import files

from purport.model.term import Text
from purport.model.units import Unit
from purport.model.words import attribute_words
from purport.relatedness.array_store import digest
from purport.relatedness.lexicon import Lexicon
from purport.relatedness.phrases import Phrase, content_words

# What is measured in a unit, by the unit in base units.
_QUANTITIES = {
    "kelvin^1": "temperature",
    "kilogram^1 meter^2 second^-2": "energy",
    "kilogram^1 meter^2 second^-3": "power",
    "ampere^-1 kilogram^1 meter^2 second^-3": "voltage",
    "ampere^1": "current",
    "ampere^-2 kilogram^1 meter^2 second^-3": "resistance",
    "kilogram^1 meter^-1 second^-2": "pressure",
    "meter^1 second^-1": "speed",
    "second^-1": "frequency",
    "meter^1": "length",
    "meter^2": "area",
    "meter^3": "volume",
    "meter^3 second^-1": "flow",
    "kilogram^1": "weight",
    "second^1": "time",
    "candela^1 meter^-2": "light",
    "candela^1 meter^-2 radian^2": "light",
    "candela^1 radian^2": "light",
    "kilogram^1 meter^-3": "concentration",
    "kilogram^1 second^-3": "radiation",
    "bit^1": "data",
    "decibel^1": "level",
    "decibelmilliwatt^1": "signal strength",
}
# Words that say only that something is said.
_EMPTY_WORDS = frozenset(
    "body data detail dashboard entry field item payload reading value".split()
)


@lru_cache(maxsize=65_536)
def attribute_phrase(name: str, lexicon: Lexicon | None = None) -> Phrase:
    """The words that an attribute's name stands for, with what its unit measures.

    >>> attribute_phrase("total_power_import_kwh")
    ('total', 'power', 'import', 'energy')
    """
    words = name_words(name, lexicon)
    said = content_words(tuple(word for word in words if word not in _EMPTY_WORDS) or words)
    unit = attribute_words(Text(name)).unit or (lexicon.unit_of(name) if lexicon else None)
    implied = quantity(unit) if unit is not None else ()
    return said + tuple(word for word in implied if word not in said)


def name_words(name: str, lexicon: Lexicon | None = None) -> Phrase:
    """The words of a name, its short forms written out: a user's own before those of everybody."""
    words = attribute_words(Text(name)).words
    if lexicon is not None:
        words = lexicon.rewritten(words)
    written_out = tuple(long for word in words for long in expanded(word))
    return lexicon.rewritten(written_out) if lexicon is not None else written_out


def reading_identity() -> str:
    """What tells this way to read names from that of another version."""
    return digest(
        sorted(abbreviations().items()), sorted(_QUANTITIES.items()), sorted(_EMPTY_WORDS)
    )


def quantity(unit: Unit) -> Phrase:
    """What is measured in a unit: `kWh` implies *energy*; `%` nothing."""
    return tuple(_QUANTITIES.get(unit.base, "").split())


def expanded(word: str) -> Phrase:
    """What a short form stands for; any other word as it is."""
    return abbreviations().get(word, (word,))


@cache
def abbreviations() -> dict[str, Phrase]:
    """The short forms that every user has."""
    table = {}
    text = files("purport.relatedness").joinpath("abbreviations.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line and not line.startswith("#"):
            short, _, long = line.partition(" = ")
            table[short] = tuple(long.split())
    return table
