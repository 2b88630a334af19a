"""The settings that hold while a service runs: who may do what, rules, and how fast one may ask."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path

from purport.embedded.broker import Broker
from purport.errors import PurportError
from purport.service.auth import Auth
from purport.service.desk import Desk
from purport.service.door import Door
from purport.service.rule_files import RuleFiles, read_rule_files
from purport.service.settings import ServiceSettings

_LOG = logging.getLogger("purport.service")
_SECONDS_BETWEEN_LOOKS = 1.0

Stamp = tuple[tuple[int, int] | None, ...]  # of files: when they were changed, and their sizes


class Governing:
    """Has new settings hold; those that are wrong change nothing, and are told."""

    def __init__(
        self,
        settings: ServiceSettings,
        reread: Callable[[], ServiceSettings],
        file: Path | None,
        broker: Broker,
        auth: Auth,
        rules: RuleFiles,
    ) -> None:
        self._settings, self._reread, self._file = settings, reread, file
        self._broker, self._auth, self._rules = broker, auth, rules
        self._stamp = self._stamped()

    def begin(self) -> None:
        """Register what the files say, before anybody is let in."""
        read = read_rule_files(self._settings.rules, self._settings.access_rules())
        self._rules.take(read)

    async def watch(self, desk: Desk, door: Door) -> None:
        """Look for changes of the files, for as long as the service runs."""
        while True:
            await asyncio.sleep(_SECONDS_BETWEEN_LOOKS)
            if self._stamped() != self._stamp:
                await self.reload(desk, door)

    async def reload(self, desk: Desk, door: Door) -> None:
        """Read the settings again, and have them hold if all of them are right."""
        self._stamp = self._stamped()
        before = self._settings
        try:
            settings = self._reread()
            await desk.write(lambda: self._take(settings))
        except PurportError as error:
            _LOG.error("the settings stay as they were: %s", error)
            return
        self._stamp = self._stamped()  # there may be other files now
        if settings.limits.requests_per_second != before.limits.requests_per_second:
            door.set_rate(settings.limits.requests_per_second)
        _LOG.info("the settings were read again")
        for name in ("listen", "broker", "triples", "changes"):
            if getattr(settings, name) != getattr(before, name):
                _LOG.warning("what was changed under [%s] holds after a restart", name)

    def _take(self, settings: ServiceSettings) -> None:
        access, before = settings.access_rules(), self._settings
        read = read_rule_files(settings.rules, access)
        self._auth.take(settings.auth)
        try:
            if access != before.access_rules():
                self._broker.set_access(access)
            self._rules.take(read)
        except PurportError:
            self._auth.take(before.auth)
            self._broker.set_access(before.access_rules())
            raise
        self._settings = settings

    def _stamped(self) -> Stamp:
        files = [one.file for one in self._settings.rules]
        return tuple(map(_stamp, files if self._file is None else [self._file, *files]))


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
