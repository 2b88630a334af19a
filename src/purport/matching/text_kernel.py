"""Texts that spell a number, a time or an identifier, told apart from words at the speed of a scan.

What is claimed here is what `spelt_value` and `is_wordless` say in Python; a form that is rare or
doubtful is left to them (`UNDECIDED`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from purport.compilation import compiled
from purport.matching.flat_lists import Integers, Numbers, Places

UNDECIDED, NUMBER, TIME, IDENTIFIER = 0, 1, 2, 3

Letters = NDArray[np.uint8]

SHORTEST_TIME = 19
_SHORTEST_HEXADECIMAL = 12
_MOST_DIGITS = 15  # so many make an integer that a double holds
_MOST_DIGITS_OF_FRACTION = 18  # so many make an integer of 60 bits; Python writes up to 17
_EXACT_INTEGERS = 2**53
_EXACT_POWERS = np.array([10.0**power for power in range(23)])
_LOW_BITS = 10
_HALVES = 2.0**27 + 1  # makes two doubles of half the digits out of one
_DOUBT = 2.0**-40
_DAYS_BEFORE_2000 = 730_426
_ZERO, _NINE, _POINT, _PLUS, _MINUS, _COLON = 48, 57, 46, 43, 45, 58
_T, _Z, _E, _LOWER = 84, 90, 101, 32
_HEXADECIMAL = np.array([chr(letter) in "0123456789abcdefABCDEF" for letter in range(256)])


@compiled
def read_texts(
    letters: Letters, starts: Places, ends: Places, kinds: Integers, numbers: Numbers
) -> None:
    """Say of each text, from its start to its end, what it spells, and the number or time."""
    for at in range(len(kinds)):
        kinds[at] = read_text(letters, starts[at], ends[at], numbers, at)


@compiled
def read_text(letters: Letters, begin: int, end: int, numbers: Numbers, at: int) -> int:
    """What one text spells; the number or time is written to its place."""
    if begin == end:
        return UNDECIDED
    if end - begin == 36 and _is_uuid(letters, begin):
        return IDENTIFIER
    if _is_digit(letters[begin]) or letters[begin] == _MINUS:
        if read_number(letters, begin, end, numbers, at):
            return NUMBER
        if end - begin >= SHORTEST_TIME and read_time(letters, begin, end, numbers, at):
            return TIME
    if end - begin >= _SHORTEST_HEXADECIMAL and _is_long_hexadecimal(letters, begin, end):
        return IDENTIFIER
    return UNDECIDED


@compiled
def _is_digit(letter: int) -> bool:
    return _ZERO <= letter <= _NINE


@compiled
def _is_hexadecimal(letter: int) -> bool:
    return bool(_HEXADECIMAL[letter])


@compiled
def _is_uuid(letters: Letters, begin: int) -> bool:
    dashes = 0
    for place in (8, 13, 18, 23):
        dashes += letters[begin + place] == _MINUS
    others = 0
    for place in range(36):
        others += _HEXADECIMAL[letters[begin + place]]
    return dashes == 4 and others == 32


@compiled
def _is_long_hexadecimal(letters: Letters, begin: int, end: int) -> bool:
    """Hexadecimal with digits and letters that cannot be a number, an exponent and a unit.

    It begins with a letter, or there are two digits behind one that stands for no exponent.
    """
    digits, behind, is_unit = 0, 0, not _is_digit(letters[begin])
    for place in range(begin, end):
        letter = letters[place]
        if not _is_hexadecimal(letter):
            return False
        if _is_digit(letter):
            digits += 1
            behind += is_unit
        elif (letter | _LOWER) != _E:
            is_unit = True
    return behind >= 2 or (digits > 0 and not _is_digit(letters[begin]))


@compiled
def read_number(letters: Letters, begin: int, end: int, numbers: Numbers, at: int) -> bool:
    """A decimal number that is not too long, such as -21.5; its nearest double."""
    place = begin
    is_negative = letters[place] == _MINUS
    if is_negative:
        place += 1
    whole, mantissa = place, 0
    while place < end and _is_digit(letters[place]):
        mantissa = 10 * mantissa + (letters[place] - _ZERO)
        place += 1
        if place - whole > _MOST_DIGITS:
            return False
    if place == whole or (place - whole > 1 and letters[whole] == _ZERO):
        return False
    decimals, digits = 0, place - whole if mantissa else 0
    if place < end:
        if letters[place] != _POINT or place + 1 == end:
            return False
        place += 1
        while place < end and _is_digit(letters[place]):
            mantissa = 10 * mantissa + (letters[place] - _ZERO)
            place += 1
            decimals += 1
            digits += mantissa != 0
            if digits > _MOST_DIGITS_OF_FRACTION:
                return False
    if place < end or decimals >= len(_EXACT_POWERS):
        return False
    number = _nearest_quotient(mantissa, _EXACT_POWERS[decimals])
    numbers[at] = -number if is_negative else number
    return not np.isnan(number)


@compiled
def _nearest_quotient(mantissa: int, power: float) -> float:
    """The double nearest to a quotient; not a number if it lies too near the middle of two.

    Of an integer beyond the exact ones the rest is divided too, which gives twice the digits: what
    the first quotient leaves is known exactly, from its product by parts.
    """
    if mantissa <= _EXACT_INTEGERS:
        return mantissa / power
    low = mantissa & ((1 << _LOW_BITS) - 1)
    high = np.float64(mantissa - low)
    first = high / power
    product = first * power
    first_high = first * _HALVES - (first * _HALVES - first)
    power_high = power * _HALVES - (power * _HALVES - power)
    first_low, power_low = first - first_high, power - power_high
    lost = first_low * power_low - (
        ((product - first_high * power_high) - first_low * power_high) - first_high * power_low
    )
    second = ((high - product) - lost + low) / power
    nearest = first + second
    is_sure = first + second * (1 - _DOUBT) == first + second * (1 + _DOUBT)
    return nearest if is_sure else np.nan


@compiled
def read_time(letters: Letters, begin: int, end: int, numbers: Numbers, at: int) -> bool:
    """A time such as 2016-04-11T13:24:19.250Z, in microseconds since the year 2000."""
    if not (
        letters[begin + 4] == _MINUS
        and letters[begin + 7] == _MINUS
        and letters[begin + 10] == _T
        and letters[begin + 13] == _COLON
        and letters[begin + 16] == _COLON
    ):
        return False
    year, month = _digits(letters, begin, 4), _digits(letters, begin + 5, 2)
    day, hour = _digits(letters, begin + 8, 2), _digits(letters, begin + 11, 2)
    minute, second = _digits(letters, begin + 14, 2), _digits(letters, begin + 17, 2)
    if not (1800 <= year <= 2200 and 1 <= month <= 12 and 1 <= day <= _length(year, month)):
        return False
    if hour < 0 or hour > 23 or minute < 0 or minute > 59 or second < 0 or second > 59:
        return False
    place, fraction = begin + 19, 0
    if place < end and letters[place] == _POINT:
        if end - place >= 7 and _digits(letters, place + 1, 6) >= 0:
            fraction = _digits(letters, place + 1, 6)
            place += 7
        elif end - place >= 4 and _digits(letters, place + 1, 3) >= 0:
            fraction = 1000 * _digits(letters, place + 1, 3)
            place += 4
        else:
            return False
    shift = 0
    if place < end and letters[place] == _Z:
        place += 1
    elif place + 6 == end and (letters[place] == _PLUS or letters[place] == _MINUS):
        hours, minutes = _digits(letters, place + 1, 2), _digits(letters, place + 4, 2)
        if letters[place + 3] != _COLON or not (0 <= hours <= 23 and 0 <= minutes <= 59):
            return False
        shift = 60 * hours + minutes
        if letters[place] == _MINUS:
            shift = -shift
        place += 6
    if place != end:
        return False
    minutes_passed = 1440 * _days(year, month, day) + 60 * hour + minute - shift
    numbers[at] = np.float64((60 * minutes_passed + second) * 1_000_000 + fraction)
    return True


@compiled
def _digits(letters: Letters, begin: int, count: int) -> int:
    """The number that so many digits spell; -1 if they are not digits."""
    number = 0
    for place in range(begin, begin + count):
        if not _is_digit(letters[place]):
            return -1
        number = 10 * number + (letters[place] - _ZERO)
    return number


@compiled
def _length(year: int, month: int) -> int:
    """How many days a month has."""
    if month == 12:
        return 31
    return _days(year, month + 1, 1) - _days(year, month, 1)


@compiled
def _days(year: int, month: int, day: int) -> int:
    """Days since the first of January 2000; a year is counted from March on."""
    if month <= 2:
        year -= 1
        month += 12
    return (
        365 * year + year // 4 - year // 100 + year // 400 + (153 * month - 457) // 5 + day
    ) - _DAYS_BEFORE_2000
