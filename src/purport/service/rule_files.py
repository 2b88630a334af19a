"""Files of subscriptions and rules that a service registers, and registers anew as they change."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from purport.broker.access import AccessRules, Action, Forbidden
from purport.broker.registry_text import imported
from purport.embedded.broker import Broker
from purport.errors import InvalidInput, PurportError, UnusablePath
from purport.service.settings import RuleFile
from purport.whole_file import write_whole

_LOG = logging.getLogger("purport.service")


class ReadFile(NamedTuple):
    """A file as it was read, and found to be right."""

    file: RuleFile
    text: str
    owners: dict[str, str | None]  # by the ids of what it registers


def read_rule_files(files: Sequence[RuleFile], access: AccessRules) -> list[ReadFile]:
    """What some files register; `InvalidInput` says what is wrong, and in which file."""
    read = [_read(one, access) for one in files]
    seen: dict[str, Path] = {}
    for one in read:
        for name in one.owners:
            if name in seen:
                raise InvalidInput(f"{one.file.file}: {name!r} stands in {seen[name]} too")
            seen[name] = one.file.file
    return read


def _read(file: RuleFile, access: AccessRules) -> ReadFile:
    try:
        text = file.file.read_text(encoding="utf-8")
    except OSError as error:
        raise UnusablePath(file.file, error.strerror or str(error)) from None
    except UnicodeDecodeError:
        raise UnusablePath(file.file, "not UTF-8") from None
    try:
        owners = {line.id: line.owner for line, _ in imported(text, owner=file.owner)}
        for owner in set(owners.values()):
            if not access.allows_somewhere(owner, Action.SUBSCRIBE):
                raise Forbidden(f"by the access rules, {owner!r} may not subscribe")
    except PurportError as error:
        raise InvalidInput(f"{file.file}: {error}") from None
    return ReadFile(file, text, owners)


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

    def take(self, read: Sequence[ReadFile]) -> None:
        """Register what has changed, and let go of what has gone from the files."""
        for one in read:
            try:
                self._broker.import_registry(one.text, owner=one.file.owner)
            except PurportError as error:
                raise InvalidInput(f"{one.file.file}: {error}") from None
        wanted = {name: owner for one in read for name, owner in one.owners.items()}
        for name, owner in self._registered.items():
            if name not in wanted:
                self._end(name, owner)
        if wanted != self._registered:
            self._registered = wanted
            if self._path is not None:
                write_whole(self._path, msgspec.json.encode(wanted))

    def _end(self, name: str, owner: str | None) -> None:
        try:
            self._broker.unsubscribe(name, who=owner)
        except PurportError as error:  # it has gone already, or became another's
            _LOG.warning("%r is in no file any more: %s", name, error)
