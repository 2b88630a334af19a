"""Subscriptions that change while a stream runs, and the versions that they went through."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from purport.errors import PurportError, UnusablePath
from purport.matching.given import given_files, given_subscriptions
from purport.model.language.parse import parse_all
from purport.model.language.write import write
from purport.model.subscription import Subscription
from purport.pipeline.job_folder import write_whole

_ENDING = ".purport"


class Subscribed(Protocol):
    """What is subscribed to, now."""

    def current(self, tell: Callable[[str], None]) -> Sequence[Subscription]:
        """The subscriptions as they are; `tell` is told why a change was not taken up."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """Subscriptions that do not change."""

    subscriptions: Sequence[Subscription]

    def current(self, tell: Callable[[str], None]) -> Sequence[Subscription]:
        """These."""
        return self.subscriptions


class Watched:
    """Subscriptions in files, or given as texts; files are read again when they change.

    What is wrong with them at the beginning is raised. Later the last good ones are kept.
    """

    def __init__(self, given: Sequence[str]) -> None:
        self._given = tuple(given)
        self._files = given_files(given)
        self._seen = self._look()
        self._good = given_subscriptions(given)

    def current(self, tell: Callable[[str], None]) -> Sequence[Subscription]:
        """The subscriptions, or the last good ones."""
        seen = self._look()
        if seen != self._seen:
            self._seen = seen
            try:
                self._good = given_subscriptions(self._given)
            except PurportError as error:
                tell(f"the subscriptions stay as they were: {error}")
        return self._good

    def _look(self) -> list[tuple[int, int, int] | None]:
        """What changes when a file does; None for one that is gone."""
        looks: list[tuple[int, int, int] | None] = []
        for path in self._files:
            try:
                found = path.stat()
            except OSError:
                looks.append(None)
            else:
                looks.append((found.st_mtime_ns, found.st_size, found.st_ino))
        return looks


@dataclass(frozen=True, slots=True)
class Versions:
    """The versions of the subscriptions in a folder, `1.purport`, `2.purport` and so on."""

    folder: Path

    def number_of(self, subscriptions: Sequence[Subscription]) -> int:
        """The number of a version: the last one if nothing changed, or else a new one."""
        text = "\n".join(map(write, subscriptions)) + "\n"
        last = self._last()
        if last and self._path(last).read_text(encoding="utf-8") == text:
            return last
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            write_whole(self._path(last + 1), text.encode())
        except OSError as error:
            raise UnusablePath(self.folder, error.strerror or str(error)) from None
        return last + 1

    def read(self, version: int) -> list[Subscription]:
        """The subscriptions of a version; `UnusablePath` if there is none."""
        path = self._path(version)
        try:
            return parse_all(path.read_text(encoding="utf-8"), file=str(path))
        except OSError as error:
            raise UnusablePath(path, error.strerror or str(error)) from None

    def _last(self) -> int:
        found = (path.stem for path in self.folder.glob(f"*{_ENDING}"))
        return max((int(name) for name in found if name.isdigit()), default=0)

    def _path(self, version: int) -> Path:
        return self.folder / f"{version}{_ENDING}"
