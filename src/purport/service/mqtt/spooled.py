"""A bridge's spool in the folder of the broker, and the identity by which the journal knows it."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from purport.errors import UnusablePath
from purport.mqtt.message import Message
from purport.spool.inlet import SpoolInlet, WhenFull
from purport.spool.spool import Spool
from purport.whole_file import write_whole

_IDENTITY = re.compile("[0-9a-f]{16}")


def open_spool(folder: Path, most_bytes: int, is_behind: Callable[[str, int], bool]) -> OpenSpool:
    """Open a spool with its identity, which is made if there is none.

    `is_behind` says whether the journal knows messages of an identity from a position on: then the
    spool is an older copy, whose positions mean others now, and gets a new identity.
    """
    spool = Spool.open(folder, most_bytes=most_bytes)
    path = folder / "identity"
    try:
        identity = path.read_text(encoding="ascii") if path.exists() else ""
        if not _IDENTITY.fullmatch(identity) or is_behind(identity, spool.end):
            identity = secrets.token_hex(8)
            write_whole(path, identity.encode())
    except (OSError, UnicodeDecodeError) as error:
        spool.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise UnusablePath(path, reason) from None
    return OpenSpool(spool, identity)


class OpenSpool:
    """A spool that is open, and what it is known by."""

    def __init__(self, spool: Spool, identity: str) -> None:
        self.spool, self.identity = spool, identity


class RingingInlet:
    """Keeps messages in a spool, and says so to whoever reads it."""

    def __init__(self, spool: Spool, when_full: WhenFull, ring: Callable[[], object]) -> None:
        self._inlet, self._ring = SpoolInlet(spool, when_full=when_full), ring

    @property
    def dropped(self) -> int:
        """Messages that were lost because the spool was full."""
        return self._inlet.dropped

    def adopt(self, session: str) -> frozenset[int]:
        """The ids that are open in a session with a broker; those of others are forgotten."""
        return self._inlet.adopt(session)

    def keep(
        self, messages: Sequence[Message], *, opened: Collection[int], released: Collection[int]
    ) -> None:
        """Have all of this on disk when it returns; `CannotKeep` if that cannot be done now."""
        self._inlet.keep(messages, opened=opened, released=released)
        if messages:
            self._ring()
