"""What is done when something fails half-way."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType


class OnFailure:
    """Does something if what stands below it raises, and lets that go on.

    It keeps nothing, so that one serves for every publication, also within itself: to make a
    context anew for each would take as long as much of the rest.

    >>> half_way = OnFailure(lambda: print("as it was"))
    >>> try:
    ...     with half_way:
    ...         int("five")
    ... except ValueError:
    ...     print("and that it failed is known")
    as it was
    and that it failed is known
    """

    __slots__ = ("_mend",)

    def __init__(self, mend: Callable[[], None]) -> None:
        self._mend = mend

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None:
            self._mend()
