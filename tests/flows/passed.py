"""Which functions of the package a run passes, in their order."""

from __future__ import annotations

import json
import sys
import threading
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, Self

_OURS = "/purport/"


class Passed:
    """The functions that are called while it is entered, in this thread and in new ones."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def __enter__(self) -> Self:
        threading.setprofile(self._note)
        sys.setprofile(self._note)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        sys.setprofile(None)
        threading.setprofile(None)

    def _note(self, frame: FrameType, what: str, _: Any) -> None:
        code = frame.f_code
        _, ours, path = code.co_filename.rpartition(_OURS)
        if what == "call" and ours:
            self.names.append(f"{path.removesuffix('.py').replace('/', '.')} {code.co_qualname}")


def passing(function: Callable[[Any], Iterator[Any]], folder: Path) -> Callable[[Any], Any]:
    """A function for Spark's workers that leaves the names of what it passes in a folder."""

    def noted(batches: Any) -> Iterator[Any]:
        with Passed() as passed:
            yield from function(batches)
        (folder / f"{uuid.uuid4().hex}.json").write_text(json.dumps(passed.names))

    return noted
