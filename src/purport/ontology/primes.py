"""Prime numbers: the first ones, those after a number, and whether a number is one."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

_FEW = 6  # for fewer the formula does not hold
_WITNESSES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
LARGEST = 2**64  # below it the witnesses decide


def first_primes(count: int) -> list[int]:
    """The smallest primes, by the sieve of Eratosthenes.

    >>> first_primes(5)
    [2, 3, 5, 7, 11]
    """
    enough = max(count, _FEW)
    limit = int(enough * (math.log(enough) + math.log(math.log(enough)))) + 1
    is_left = np.ones(limit + 1, np.bool_)
    is_left[:2] = False
    for number in range(2, math.isqrt(limit) + 1):
        if is_left[number]:
            is_left[number * number :: number] = False
    found: list[int] = np.flatnonzero(is_left)[:count].tolist()
    return found


def primes_after(number: int) -> Iterator[int]:
    """The primes larger than a number, from the smallest on.

    >>> next(primes_after(7))
    11
    """
    candidate = max(number, 1) + 1
    while True:
        if is_prime(candidate):
            yield candidate
        candidate += 1


def is_prime(number: int) -> bool:
    """Whether a number below 2**64 is a prime, by the test of Miller and Rabin."""
    if number < 2 or number >= LARGEST:
        return False
    for witness in _WITNESSES:
        if number % witness == 0:
            return number == witness
    twos = (number - 1 & 1 - number).bit_length() - 1
    return all(_is_passed(number, witness, twos) for witness in _WITNESSES)


def _is_passed(number: int, witness: int, twos: int) -> bool:
    power = pow(witness, number - 1 >> twos, number)
    if power in (1, number - 1):
        return True
    for _ in range(twos - 1):
        power = power * power % number
        if power == number - 1:
            return True
    return False
