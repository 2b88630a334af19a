"""The words in a term, for matching by meaning: `wind_avg_km_h` says *wind avg*, in km/h."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from purport.model.iris import last_part
from purport.model.nouns import singular
from purport.model.term import Attribute, Resource, Term, Text, Time, read_time
from purport.model.units import Quantity, Unit, find_unit, read_quantity

MOST_LETTERS = 1000
_BEFORE_NUMBERS = frozenset("0123456789+-.")
_IDENTIFIER = re.compile(
    r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{2}(?:[:-][0-9a-f]{2}){5,7}"
    r"|(?:0x)?[0-9a-f]{12,}",
    re.IGNORECASE,
)
_PREFIXED = re.compile(r"[A-Za-z][\w.-]*:(?=[A-Za-z_])")
_SEPARATOR = re.compile(r"[^\w°%µ]+|_")
_PART = re.compile(
    r"\d+(?:st|nd|rd|th)(?![a-z])"  # ordinals stay whole: 10th
    r"|[A-Z]+(?![a-zß-ÿ])|[A-Z]?[^\W\d_A-Z]+"  # HTTPServer -> HTTP Server, windDir -> wind Dir
    r"|\d+|[°%µ]+[^\W\d_]*",
    re.UNICODE,
)
# Formulas of gases and particles, whose digits belong to the word.
_FORMULA = re.compile(r"(?:co2|no2|no3|so2|o3|ch4|nh3|h2o|h2s|pm1|pm10|pm25)", re.I)
_FINE_DUST = re.compile(r"pm_?2[._]5(?![0-9])", re.I)

# What the last parts of a name may be when they name its unit; `find_unit` knows what they mean.
_UNIT_SUFFIXES = frozenset(
    (
        "C F K c f celsius fahrenheit kelvin degC degF deg degree degrees ° °C °F % pct percent "
        "percentage W w kW kw MW Wh wh kWh kwh MWh VA va var J kJ V v mV mv kV A a mA ma Hz hz kHz "
        "MHz Pa pa hPa hpa kPa kpa bar mbar inHg psi m cm mm km mi ft s sec ms h hr hour hours "
        "minutes seconds days mph kmh kph knots rpm lx lux klx lm dB db dBm dBA ppm ppb l L ml m2 "
        "m3 kg g mg bytes kB MB GB ohm ohms km_h m_s mm_h l_min ug_m3 µg_m3 mg_m3 W_m2 w_m2"
    ).split()
)
_LONG_SUFFIXES = {suffix.lower(): suffix for suffix in _UNIT_SUFFIXES if len(suffix) > 2}


@dataclass(frozen=True, slots=True)
class AttributeWords:
    """The words of an attribute's name, and the unit that the name ends in, if it does."""

    words: tuple[str, ...]
    unit: Unit | None = None


def words_of(term: Term, *, language: str = "en") -> tuple[str, ...]:
    """The words of a value; none when it is marked as being in another language.

    >>> words_of(Resource("http://dbpedia.org/resource/10th-century_BC_conflicts"))
    ('10th', 'century', 'bc', 'conflict')
    """
    return words_in(said(term, language=language))


def words_in(text: str) -> tuple[str, ...]:
    """The words in a text, in small letters and in the singular.

    >>> words_in("releaseDates")
    ('release', 'date')
    """
    return tuple(map(_normal, parts_of(text)))


def said(term: Term, *, language: str = "en") -> str:
    """What a term says for matching by meaning: its text; of an IRI the last part.

    >>> said(Resource("http://dbpedia.org/resource/Ground_floor"))
    'Ground_floor'
    """
    match term:
        case Text(text, tag):
            return text if is_in_language(tag, language) else ""
        case Resource(iri):
            return last_part(iri)
        case _:
            return str(term)


def is_in_language(tag: str | None, language: str = "en") -> bool:
    """Whether a text with this tag is in a language; one without a tag may be in any.

    >>> [is_in_language(tag) for tag in (None, "en", "en-GB", "de")]
    [True, True, True, False]
    """
    return tag is None or tag.split("-")[0].lower() == language


def says_words(term: Term) -> bool:
    """Whether a term says something that a measure can compare.

    Numbers, times and truths do not, spelt out or not, nor do identifiers, nor texts of more than a
    thousand letters: they are what they are, or not.

    >>> [says_words(Text(text)) for text in ("ground floor", "21.5 °C", "8c7d2fb0a91e44")]
    [True, False, False]
    """
    match term:
        case Text(text):
            return spelt_value(text) is None and not is_wordless(text)
        case Resource(iri):
            return len(iri) <= MOST_LETTERS
    return False


def is_wordless(text: str) -> bool:
    """Whether a text is too long to say something, or an identifier.

    Identifiers are UUIDs, hardware addresses and long hexadecimal numbers.
    """
    return len(text) > MOST_LETTERS or (
        _IDENTIFIER.fullmatch(text) is not None and not text.isalpha()
    )


def spelt_value(text: str) -> Quantity | Time | None:
    """The number or time that a text spells; None if it spells neither."""
    if text.lstrip()[:1] not in _BEFORE_NUMBERS:
        return None
    try:
        return read_time(text) or read_quantity(text)
    except ValueError:  # a number beyond all bounds
        return None


@lru_cache(maxsize=65_536)
def attribute_words(attribute: Attribute) -> AttributeWords:
    """The words of an attribute's name, with a unit at its end told apart.

    >>> attribute_words(Text("wind_avg_km_h")).words
    ('wind', 'avg')
    """
    name = last_part(attribute.iri) if isinstance(attribute, Resource) else attribute.text
    parts = parts_of(_without_prefix(name))
    for length in (2, 1) if " " not in name else ():
        stem, suffix = parts[:-length], _unit_suffix(parts[-length:])
        if stem and suffix is not None:
            return AttributeWords(tuple(map(_normal, stem)), _unit(suffix))
    return AttributeWords(tuple(map(_normal, parts)))


def _unit(suffix: str) -> Unit | None:
    """What a suffix means: `km_h` is km/h, and a lone `c` or `w` a unit that is written large."""
    is_lower_letter = suffix in ("a", "c", "f", "v", "w")
    return find_unit(suffix.upper() if is_lower_letter else suffix.replace("_", "/"))


def _unit_suffix(parts: list[str]) -> str | None:
    """The unit that the last parts of a name spell, e.g. `km_h`, `kWh` (cut as K, Wh) or `Kmh`."""
    for symbol in ("_".join(parts), "".join(parts)):
        if symbol in _UNIT_SUFFIXES:
            return symbol
        if symbol.lower() in _LONG_SUFFIXES:
            return _LONG_SUFFIXES[symbol.lower()]
    return None


def _without_prefix(name: str) -> str:
    """A name such as `ayto:temperature` without its `ayto:`."""
    return name if " " in name else _PREFIXED.sub("", name, count=1)


def parts_of(text: str) -> list[str]:
    """The text cut at punctuation, underscores, digits and changes of case.

    >>> parts_of("10thCenturyBCConflicts")
    ['10th', 'Century', 'BC', 'Conflicts']
    """
    parts: list[str] = []
    for piece in _SEPARATOR.split(_FINE_DUST.sub("pm25", text.strip())):
        parts += [piece] if _FORMULA.fullmatch(piece) else _cut(piece)
    return parts


def _cut(piece: str) -> list[str]:
    """A run of letters and digits cut into words; `m3` at the end of a unit stays whole."""
    return [piece] if piece in _UNIT_SUFFIXES else _PART.findall(piece)


def _normal(part: str) -> str:
    return singular(part.casefold())
