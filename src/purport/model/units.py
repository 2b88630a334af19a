"""Units and quantities: 25 °C is 77 °F, and a bare number takes the unit it is compared with."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    import pint
    from pint.facets.plain import PlainQuantity

_POWER = re.compile(r"(?<=[A-Za-zµμΩ])\^?(-?[1-3])(?![0-9])")
_SPELT_DEGREES = re.compile(
    r"^(?:degrees?|deg\.?|º)[ _]*(celsius|centigrade|fahrenheit|c|f)$", re.I
)
# A unit is a product or quotient of at most four names: what is not of this form never reaches the
# registry, which would raise 1000 to any power that somebody sends.
_FACTOR = r"(?:[A-Za-zµμΩ℃℉°º%‰]{1,20}(?:\^?-?[1-3]|⁻?[¹²³])?)"
_UNIT_TEXT = re.compile(
    rf"{_FACTOR}(?:[/·*]{_FACTOR}){{0,3}}|deg(?:rees?|\.)? [A-Za-z]{{1,10}}"
    r"|[a-z]{1,20}(?: per [a-z]{1,20}){1,2}|[a-z]{1,20} hours?"
)
_NUMBER = r"[+-]?(?:0|[1-9][0-9]*|(?=\.))(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
_ORDINAL = re.compile(r"(?:st|nd|rd|th)(?![A-Za-z])", re.I)
_NUMBER_AND_WORD = re.compile(rf"\s*{_NUMBER}\s*[^\W\d_]")
_QUANTITY = re.compile(rf"({_NUMBER})(?:\s*({_UNIT_TEXT.pattern}))?")

# The one-letter units that sensors speak of; the registry has more (c is the speed of light).
_LETTERS = frozenset("smhgdlLKVWAJNCFTBΩ℃℉°%‰")

# Spellings that the registry does not know, or knows as something no sensor means by them.
_OTHER_SPELLINGS = {
    "C": "degC", "F": "degF", "celcius": "degC", "centigrade": "degC", "pct": "percent",
    "percentage": "percent", "deg": "degree", "lux": "lx", "kmh": "km/h", "kph": "km/h", "kw": "kW",
    "wh": "Wh", "kwh": "kWh", "mwh": "MWh", "mv": "mV", "ma": "mA", "va": "VA", "var": "VA",
    "hz": "Hz", "khz": "kHz", "mhz": "MHz", "pa": "Pa", "hpa": "hPa", "kpa": "kPa", "hr": "h",
    "db": "dB", "dba": "dB", "dBA": "dB", "‰": "permille", "ug/m3": "µg/m**3", "w/m2": "W/m**2",
    "sec": "s", "ohms": "ohm", "Ohm": "ohm", "Ω": "ohm", "B": "byte", "℃": "degC", "℉": "degF",
    "°c": "degC", "°f": "degF", "KW": "kW", "KWH": "kWh", "KM": "km", "PSI": "psi", "RPM": "rpm",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit as written, e.g. `°F`, and how it maps to base units: `base = scale · x + offset`.

    A unit on a logarithmic scale (dB) is its own base: levels compare with levels only.
    """

    symbol: str
    base: str
    scale: Fraction
    offset: Fraction

    def __hash__(self) -> int:
        return hash(self.symbol)  # quick, and few units share their symbol

    def in_base(self, magnitude: float) -> Fraction:
        """The magnitude in base units; decimal notation counts, so 100.1 cm is exactly 1.001 m."""
        return Fraction(repr(magnitude)) * self.scale + self.offset


class Quantity(Struct, frozen=True, gc=False):
    """A number, with a unit or (when nobody said which) without, e.g. `25 °C` or `112`."""

    magnitude: int | float
    unit: Unit | None = None

    def __post_init__(self) -> None:
        if not is_representable(self.magnitude):
            raise ValueError("the number is too large, or not a number")
        if self.unit is not None and type(self.unit) is not Unit:
            raise ValueError(f"expected a Unit, such as find_unit('km'), got {self.unit!r:.60}")

    def __str__(self) -> str:
        return f"{self.magnitude} {self.unit.symbol}" if self.unit else str(self.magnitude)


def is_representable(number: float) -> bool:
    """Whether a number is finite and no larger than a double can hold."""
    try:
        return math.isfinite(number)
    except OverflowError:
        return False


def spells_number(text: str) -> bool:
    """Whether a text begins with a number and goes on with something else, e.g. `100 EUR`."""
    return _NUMBER_AND_WORD.match(text) is not None


def read_quantity(text: str) -> Quantity | None:
    """The quantity that a text spells, e.g. `25 °C`, or None when it spells something else.

    A number too large for a double is a `ValueError`.
    """
    found = _QUANTITY.fullmatch(text.strip())
    if found is None or not found[1]:
        return None
    unit = None
    if found[2] is not None:
        unit = find_unit(found[2])
        if unit is None:
            return None
    return Quantity(_number(found[1]), unit)


@lru_cache(maxsize=4096)
def find_unit(symbol: str) -> Unit | None:
    """The unit of this name, or None when nobody knows it."""
    symbol = symbol.strip()
    if not _UNIT_TEXT.fullmatch(symbol) or _ORDINAL.match(symbol):
        return None
    if len(symbol) == 1 and symbol not in _LETTERS:
        return None
    for spelling in _spellings(symbol):
        try:
            return _measured(symbol, _registry().parse_units(spelling))
        except Exception:  # noqa: BLE001 - the registry raises many types on what it cannot read
            continue
    return None


def _spellings(symbol: str) -> list[str]:
    """The ways to ask the registry for a symbol, most literal first."""
    spelt = _SPELT_DEGREES.match(symbol)
    if spelt:
        return ["degC" if spelt[1][0] in "cC" else "degF"]
    if symbol in _OTHER_SPELLINGS:
        return [_OTHER_SPELLINGS[symbol]]
    powers = _POWER.sub(lambda power: "**" + power[1], symbol)
    lower_case = [symbol.lower()] if len(symbol) > 3 else []
    return [powers, *lower_case]


def _measured(symbol: str, unit: pint.Unit) -> Unit:
    """A unit with its scale and offset, found by converting 0, 1 and 2."""
    try:
        zero, one, two = (
            _registry().Quantity(Fraction(number), unit).to_base_units() for number in range(3)
        )
    except TypeError:  # a logarithm of a fraction
        return _own_base(symbol, unit)
    scale = one.magnitude - zero.magnitude
    if two.magnitude - one.magnitude != scale:
        return _own_base(symbol, unit)
    return Unit(symbol, _product(zero), scale, zero.magnitude)


def _own_base(symbol: str, unit: pint.Unit) -> Unit:
    """A unit that does not map to base units along a line."""
    return Unit(symbol, _product(_registry().Quantity(Fraction(1), unit)), Fraction(1), Fraction(0))


def _product(quantity: PlainQuantity[Fraction]) -> str:
    """The units of a quantity spelt out, e.g. `meter^1 second^-1`."""
    return " ".join(f"{name}^{power}" for name, power in sorted(quantity.unit_items())) or "ratio"


def _number(text: str) -> int | float:
    return float(text) if any(mark in text for mark in ".eE") else int(text)


@cache
def _registry() -> pint.UnitRegistry[Fraction]:
    """The registry, loaded when the first unit is met (0.4 s); fractions keep conversions exact."""
    import pint

    registry: pint.UnitRegistry[Fraction] = pint.UnitRegistry(non_int_type=Fraction)
    registry.define("parts_per_billion = 1e-9 = ppb")
    return registry
