"""How functions become machine code: once, into a cache, free of the interpreter's lock."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import numba

Function = TypeVar("Function", bound=Callable[..., object])
_compile: Callable[..., Any] = partial(numba.njit, cache=True, nogil=True, _nrt=False)


def compiled(function: Function) -> Function:
    """A function over arrays and numbers, compiled when it is first called.

    It may not allocate: so nothing has to count references, which on every look into a tuple of
    arrays and on every call would cost more than the work itself.
    """
    machine_code: Function = _compile(function)
    return machine_code


def inlined(function: Function) -> Function:
    """The same, for a small function in an inner loop: a call hands over every part of an array."""
    machine_code: Function = _compile(function, forceinline=True)
    return machine_code
