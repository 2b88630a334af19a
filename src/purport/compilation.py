"""How functions become machine code: once, into a cache, free of the interpreter's lock."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeVar

import numba

Function = TypeVar("Function", bound=Callable[..., object])
_MATCHING = Path(__file__).parent / "matching"
_numba: Any = numba.config
_njit: Callable[..., Any] = partial(numba.njit, cache=True, nogil=True, _nrt=False)


def compiled(function: Function) -> Function:
    """A function over arrays and numbers, compiled when it is first called.

    It may not allocate: so nothing has to count references, which on every look into a tuple of
    arrays and on every call would cost more than the work itself.
    """
    return _compile(function)


def inlined(function: Function) -> Function:
    """The same, for a small function in an inner loop: a call hands over every part of an array."""
    return _compile(function, forceinline=True)


def _compile(function: Function, **options: bool) -> Function:
    with _cached_in(_cache_folder(Path(function.__code__.co_filename).parent)):
        machine_code: Function = _njit(function, **options)
    return machine_code


@cache
def _cache_folder(folder: Path) -> Path:
    """Where the machine code of these very sources is kept.

    Numba looks whether the file of a function has changed, but not at the files of the functions
    and constants that it uses: they are in its own folder, or in the one of matching.
    """
    sources = blake2b(digest_size=8)
    for one in sorted({folder, _MATCHING}):
        for path in sorted(one.glob("*.py")):
            sources.update(path.read_bytes())
    base = Path(_numba.CACHE_DIR or folder / "__pycache__")
    return base / f"kernels-{sources.hexdigest()}"


@contextmanager
def _cached_in(folder: Path) -> Iterator[None]:
    """Numba keeps machine code in this folder, or in one of its own if nobody may write here."""
    before = _numba.CACHE_DIR
    _numba.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        _numba.CACHE_DIR = before
