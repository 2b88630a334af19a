"""The words in a term, for matching by meaning: `wind_avg_km_h` says *wind avg*, in km/h."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote

from purport.model.term import Attribute, Resource, Term, Text
from purport.model.units import Unit, find_unit

_PREFIXED = re.compile(r"[A-Za-z][\w.-]*:(?=[A-Za-z_])")
_SEPARATOR = re.compile(r"[^\w°%µ]+|_")
_PART = re.compile(
    r"\d+(?:st|nd|rd|th)(?![a-z])"  # ordinals stay whole: 10th
    r"|[A-Z]+(?![a-zß-ÿ])|[A-Z]?[^\W\d_A-Z]+"  # HTTPServer -> HTTP Server, windDir -> wind Dir
    r"|\d+|[°%µ]+[^\W\d_]*",
    re.UNICODE,
)
# Formulas of gases and particles, whose digits belong to the word.
_FORMULA = re.compile(
    r"(?:co2|no2|no3|so2|o3|ch4|nh3|h2o|h2s|pm1|pm2_?5|pm10|co)(?![a-z0-9])", re.I
)

# What the last parts of an attribute's name may be when they name its unit, and the unit they name
# where that is spelt otherwise.
_SUFFIX_UNITS = {symbol: symbol for symbol in (
    "C F K celsius fahrenheit kelvin degC degF degree degrees ° °C °F % percent W kW MW Wh "
    "kWh MWh VA J kJ V mV kV A mA Hz kHz MHz Pa hPa kPa bar mbar inHg psi m cm mm km mi ft s "
    "ms us min h hour hours minutes seconds days mph knots rpm lx lm dB dBm ppm ppb l L ml m2 "
    "m3 kg g mg bytes kB MB GB ohm ohms"
).split()} | {
    "km_h": "km/h", "m_s": "m/s", "mm_h": "mm/h", "l_min": "l/min", "ug_m3": "µg/m3",
    "µg_m3": "µg/m3", "mg_m3": "mg/m3", "W_m2": "W/m2", "w_m2": "W/m2", "kmh": "km/h",
    "kph": "km/h", "deg": "degree", "Deg": "degree", "pct": "%", "percentage": "%", "w": "W",
    "kw": "kW", "wh": "Wh", "kwh": "kWh", "KWH": "kWh", "va": "VA", "var": "VA", "v": "V",
    "mv": "mV", "a": "A", "ma": "mA", "hz": "Hz", "pa": "Pa", "hpa": "hPa", "kpa": "kPa",
    "sec": "s", "hr": "h", "lux": "lx", "klx": "klx", "db": "dB", "dBA": "dB", "Celsius": "°C",
    "Fahrenheit": "°F", "Ohm": "ohm",
}  # fmt: skip
_IRREGULAR = {
    "people": "person", "men": "man", "women": "woman", "children": "child", "feet": "foot",
    "teeth": "tooth", "mice": "mouse", "geese": "goose", "criteria": "criterion",
    "phenomena": "phenomenon", "indices": "index", "matrices": "matrix", "vertices": "vertex",
    "analyses": "analysis", "axes": "axis", "crises": "crisis", "leaves": "leaf", "knives": "knife",
    "lives": "life", "halves": "half", "shelves": "shelf", "wolves": "wolf", "wives": "wife",
    "buses": "bus", "gases": "gas", "lenses": "lens", "statuses": "status", "movies": "movie",
    "shoes": "shoe", "caches": "cache", "axles": "axle", "toes": "toe",
}  # fmt: skip
_ALIKE_IN_PLURAL = frozenset(
    (
        "gas lens bus series species news means physics always perhaps plus minus bias atlas "
        "canvas alias this its was has does yes us celsius sms gps cms ios dns os avg"
    ).split()
)


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
    match term:
        case Text(text, tag):
            foreign = tag is not None and tag.split("-")[0].lower() != language
            return () if foreign else tuple(map(_normal, _parts(text)))
        case Resource(iri):
            return tuple(map(_normal, _parts(_last_part(iri))))
        case _:
            return tuple(map(_normal, _parts(str(term))))


@lru_cache(maxsize=65_536)
def attribute_words(attribute: Attribute) -> AttributeWords:
    """The words of an attribute's name, with a unit at its end told apart.

    >>> attribute_words(Text("wind_avg_km_h")).words
    ('wind', 'avg')
    """
    name = _last_part(attribute.iri) if isinstance(attribute, Resource) else attribute.text
    parts = _parts(_without_prefix(name))
    for length in (2, 1):
        stem, suffix = parts[:-length], parts[-length:]
        symbol = "_".join(suffix)
        if stem and symbol in _SUFFIX_UNITS:
            unit = find_unit(_SUFFIX_UNITS[symbol])
            return AttributeWords(tuple(map(_normal, stem)), unit)
    return AttributeWords(tuple(map(_normal, parts)))


def _last_part(iri: str) -> str:
    """What follows the last `/`, `#` or `:` of an IRI."""
    return unquote(re.split(r"[/#]|:(?!.*[/#])", iri.rstrip("/#"))[-1])


def _without_prefix(name: str) -> str:
    """A name such as `ayto:temperature` without its `ayto:`."""
    return name if " " in name else _PREFIXED.sub("", name, count=1)


def _parts(text: str) -> list[str]:
    """The text cut at punctuation, underscores, digits and changes of case."""
    parts: list[str] = []
    for piece in _SEPARATOR.split(text.strip()):
        parts += [piece] if _FORMULA.fullmatch(piece) else _cut(piece)
    return parts


def _cut(piece: str) -> list[str]:
    """A run of letters and digits cut into words; `m3` at the end of a unit stays whole."""
    return [piece] if piece in _SUFFIX_UNITS else _PART.findall(piece)


def _normal(part: str) -> str:
    return singular(part.casefold())


def singular(word: str) -> str:
    """The singular of an English noun; a word that is no plural comes back as it is.

    >>> [singular(word) for word in ("conflicts", "batteries", "matches", "status")]
    ['conflict', 'battery', 'match', 'status']
    """
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < 4 or word in _ALIKE_IN_PLURAL or not word.endswith("s"):
        return word
    if word.endswith(("ss", "us", "is", "itis", "ous")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zzes", "oes")):
        return word[:-2]
    return word[:-1]
