"""Chances that follow from a seed and what they are about, in whatever order they are asked."""

from __future__ import annotations

import numpy as np

from purport.compilation import compiled

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)


@compiled
def mixed(key: int, number: int) -> int:
    """A key of 64 bits that looks like any other (SplitMix64)."""
    found = np.uint64(key) + _STEP * (np.uint64(number) + np.uint64(1))
    found = (found ^ (found >> np.uint64(30))) * _FIRST
    found = (found ^ (found >> np.uint64(27))) * _SECOND
    return found ^ (found >> np.uint64(31))  # type: ignore[return-value]


@compiled
def chance(key: int, what: int, number: int, other: int) -> float:
    """A number from 0, below 1: what for, and of which two things."""
    found = mixed(mixed(mixed(key, what), number), other)
    return np.float64(np.uint64(found) >> np.uint64(11)) / 9007199254740992.0
