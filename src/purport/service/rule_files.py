"""Files of subscriptions and rules that a service registers, and registers anew as they change."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from purport.broker.access import AccessRules, Action, Forbidden
from purport.broker.registry_text import RegistryLine, imported
from purport.embedded.broker import Broker
from purport.errors import InvalidInput, PurportError, UnusablePath
from purport.service.settings import RuleFile
from purport.whole_file import write_whole

_LOG = logging.getLogger("purport.service")


class ReadFile(NamedTuple):
    """A file as it was read, and found to be right."""

    file: Path
    lines: list[RegistryLine]


def read_rule_files(files: Sequence[RuleFile], access: AccessRules) -> list[ReadFile]:
    """What some files register; `InvalidInput` says what is wrong, and in which file."""
    read = [_read(one, access) for one in files]
    seen: dict[str, Path] = {}
    for one in read:
        for line in one.lines:
            if line.id in seen:
                raise InvalidInput(f"{one.file}: {line.id!r} stands in {seen[line.id]} too")
            seen[line.id] = one.file
    return read


def _read(file: RuleFile, access: AccessRules) -> ReadFile:
    try:
        text = file.file.read_text(encoding="utf-8")
    except OSError as error:
        raise UnusablePath(file.file, error.strerror or str(error)) from None
    except UnicodeDecodeError:
        raise UnusablePath(file.file, "not UTF-8") from None
    try:
        read = imported(text, owner=file.owner, claim=lambda told: told or file.owner)
        lines = [line for line, _ in read]
        for owner in {line.owner for line in lines}:
            if not access.allows_somewhere(owner, Action.SUBSCRIBE):
                raise Forbidden(f"by the access rules, {owner!r} may not subscribe")
    except PurportError as error:
        raise InvalidInput(f"{file.file}: {error}") from None
    return ReadFile(file.file, lines)


class RuleFiles:
    """What files have registered with a broker, which is remembered in its folder."""

    def __init__(self, broker: Broker, folder: Path | None) -> None:
        self._broker = broker
        self._path = None if folder is None else folder / "rule-files.json"
        self._registered: dict[str, str | None] = {}  # owners, by id
        if self._path is not None and self._path.exists():
            try:
                self._registered = msgspec.json.decode(
                    self._path.read_bytes(), type=dict[str, str | None]
                )
            except (OSError, msgspec.MsgspecError) as error:
                raise UnusablePath(self._path, str(error)) from None

    def require_takable(self, read: Sequence[ReadFile], access: AccessRules) -> None:
        """Raise what keeps some of it from being registered, by the access rules that are to hold.

        Nothing is registered by that.
        """
        for one in read:
            try:
                self._broker.require_adoptable(_text(one.lines), access)
            except PurportError as error:
                raise InvalidInput(f"{one.file}: {error}") from None

    def take(self, read: Sequence[ReadFile]) -> None:
        """Register what has changed, all or none, and let go of what has gone from the files."""
        lines = [line for one in read for line in one.lines]
        wanted = {line.id: line.owner for line in lines}
        self._remember({**self._registered, **wanted})  # what a crash leaves behind, too
        if lines:
            self._broker.adopt_registry(_text(lines))
        for name, owner in self._registered.items():
            if name not in wanted:
                self._end(name, owner)
        self._remember(wanted)

    def _remember(self, registered: dict[str, str | None]) -> None:
        if registered != self._registered and self._path is not None:
            try:
                write_whole(self._path, msgspec.json.encode(registered))
            except OSError as error:
                raise UnusablePath(self._path, error.strerror or str(error)) from None
        self._registered = registered

    def _end(self, name: str, owner: str | None) -> None:
        try:
            self._broker.unsubscribe(name, who=owner)
        except PurportError as error:  # it has gone already, or became another's
            _LOG.warning("%r is in no file any more: %s", name, error)


def _text(lines: Sequence[RegistryLine]) -> str:
    return "".join(f"{msgspec.json.encode(line).decode()}\n" for line in lines)
