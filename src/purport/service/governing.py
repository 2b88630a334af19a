"""The settings that hold while a service runs: who may do what and ask how fast, and rules."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from purport.embedded.broker import Broker
from purport.errors import PurportError
from purport.service.auth import Auth
from purport.service.desk import Desk
from purport.service.door import Door
from purport.service.rule_files import RuleFiles, read_rule_files
from purport.service.settings import ServiceSettings, require_sound

_LOG = logging.getLogger("purport.service")
_SECONDS_BETWEEN_LOOKS = 1.0
_QUIET_SECONDS = 0.2  # without a change, and a file has been written
_AFTER_A_RESTART = ("listen", "broker", "limits", "triples", "changes", "overlay", "mqtt")

Stamp = tuple[int, int] | None  # when a file was changed, and its size


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
        self._listening = settings.listen  # for as long as the service runs
        self._broker, self._auth, self._rules = broker, auth, rules
        self._stamps = _stamps(self._files(settings))

    def begin(self) -> None:
        """Register what the files say, before anybody is let in."""
        access = self._settings.access_rules()
        read = read_rule_files(self._settings.rules, access)
        self._rules.require_takable(read, access)
        self._rules.take(read)

    async def watch(self, desk: Desk, door: Door) -> None:
        """Look for changes of the files, for as long as the service runs."""
        while True:
            await asyncio.sleep(_SECONDS_BETWEEN_LOOKS)
            if (found := _stamps(self._stamps)) != self._stamps:
                await self._until_written(found)
                await self.reload(desk, door)

    async def _until_written(self, found: dict[Path, Stamp]) -> None:
        """Wait while files are being written: what half of one does not name would be let go of."""
        await asyncio.sleep(_QUIET_SECONDS)
        while (later := _stamps(found)) != found:
            found = later
            await asyncio.sleep(_QUIET_SECONDS)

    async def reload(self, desk: Desk, door: Door) -> None:
        """Read the settings again, and have them hold if all of them are right."""
        self._stamps = _stamps(self._stamps)
        before = self._settings
        try:
            settings = self._reread()
            held = msgspec.structs.replace(settings, listen=self._listening)
            require_sound(held, "with [listen] as it is until a restart")
            now = _stamps(self._files(settings))  # which may be others
            self._stamps = {path: self._stamps.get(path, stamp) for path, stamp in now.items()}
            await desk.clean_up(lambda: self._take(settings))
        except PurportError as error:
            _LOG.error("the settings stay as they were: %s", str(error).partition("\n")[0])
            return
        except Exception as error:  # noqa: BLE001 - whatever it is, the service goes on
            _LOG.error("the settings stay as they were: a mistake in here", exc_info=error)
            return
        door.take(settings)
        _LOG.info("the settings were read again")
        for name in _AFTER_A_RESTART:
            if getattr(_lasting(settings), name) != getattr(_lasting(before), name):
                _LOG.warning("what was changed under [%s] holds after a restart", name)

    def _take(self, settings: ServiceSettings) -> None:
        access, before = settings.access_rules(), self._settings
        read = read_rule_files(settings.rules, access)
        self._rules.require_takable(read, access)
        self._auth.take(settings.auth)
        try:
            if access != before.access_rules():
                self._broker.set_access(access)
            self._rules.take(read)
        except Exception:  # the journal cannot be written
            self._auth.take(before.auth)
            self._broker.set_access(before.access_rules())
            raise
        self._settings = settings

    def _files(self, settings: ServiceSettings) -> list[Path]:
        files = [one.file for one in settings.rules]
        return files if self._file is None else [self._file, *files]


def _lasting(settings: ServiceSettings) -> ServiceSettings:
    """Settings without that of the limits which holds at once."""
    limits = msgspec.structs.replace(settings.limits, requests_per_second=None)
    return msgspec.structs.replace(settings, limits=limits)


def _stamps(files: Iterable[Path]) -> dict[Path, Stamp]:
    return {path: _stamp(path) for path in files}


def _stamp(path: Path) -> Stamp:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
