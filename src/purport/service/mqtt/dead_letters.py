"""What could not be taken or told, in a file of bounded size beside the broker."""

from __future__ import annotations

import base64
import logging
import threading
from collections import deque
from collections.abc import Sequence
from pathlib import Path

import msgspec

_LOG = logging.getLogger("purport.service")
_MOST_BYTES = 8 << 20  # of a file; there are two of them, the one before too
_MOST_PAYLOAD = 1_024
_MOST_REASON = 500
_SHOWN = 20
_TAIL = 1 << 16


class DeadLetter(msgspec.Struct, frozen=True, omit_defaults=True):
    """A message that is no event, or a match that the broker did not take, with the reason."""

    reason: str
    topic: str
    position: int | None = None  # in the spool
    spool: str = ""  # its identity
    received: str | None = None
    payload: str = ""  # the beginning of it
    base64: bool = False  # the payload is no text
    match: str | None = None  # the id of a notification


def dead_letter(reason: str, topic: str, payload: bytes, **more: object) -> DeadLetter:
    """One with as much of its payload as is kept."""
    shown = payload[:_MOST_PAYLOAD]
    try:
        text, is_base64 = shown.decode(), False
    except UnicodeDecodeError as error:
        is_cut = error.start > len(shown) - 4 and len(payload) > _MOST_PAYLOAD  # in a letter
        text = shown[: error.start].decode() if is_cut else base64.b64encode(shown).decode()
        is_base64 = not is_cut
    return msgspec.convert(
        {
            "reason": reason[:_MOST_REASON],
            "topic": topic[:_MOST_PAYLOAD],
            "payload": text,
            "base64": is_base64,
            **more,
        },
        DeadLetter,
    )


class DeadLetters:
    """Lines of JSON in `dead-letters.jsonl`; when that is long, it becomes `....1`.

    A position that is written is not written again after a crash. What cannot be written is
    counted and said once: it holds up nothing.
    """

    def __init__(self, folder: Path, spool: str) -> None:
        self._path, self._before = folder / "dead-letters.jsonl", folder / "dead-letters.jsonl.1"
        self._lock, self._is_failing = threading.Lock(), False
        self.count = 0  # since the process began
        self.last: deque[DeadLetter] = deque(self._lately(), _SHOWN)
        positions = [one.position or 0 for one in self.last if one.spool == spool]
        self._through = max(positions, default=-1)

    def add(self, letters: Sequence[DeadLetter], *, are_late: bool = False) -> None:
        """Write some; those that are late are written though others after them have been."""
        with self._lock:
            fresh = [
                one
                for one in letters
                if are_late or one.position is None or one.position > self._through
            ]
            if fresh:
                self._add(fresh)

    def shown(self) -> list[DeadLetter]:
        """The last ones, the very last first."""
        with self._lock:
            return list(self.last)[::-1]

    def _add(self, fresh: Sequence[DeadLetter]) -> None:
        self.count += len(fresh)
        self.last.extend(fresh)
        self._through = max(
            [self._through, *(-1 if one.position is None else one.position for one in fresh)]
        )
        try:
            self._write(b"".join(msgspec.json.encode(one) + b"\n" for one in fresh))
            self._is_failing = False
        except OSError as error:
            if not self._is_failing:
                _LOG.warning("%s: %s; dead letters are only counted", self._path, error.strerror)
            self._is_failing = True

    def _write(self, lines: bytes) -> None:
        with self._path.open("ab") as file:
            file.write(lines)
            size = file.tell()
        if size >= _MOST_BYTES:
            self._path.replace(self._before)

    def _lately(self) -> list[DeadLetter]:
        """The last ones that are on disk, as far as they can be read."""
        found: list[DeadLetter] = []
        for path in (self._before, self._path):
            try:
                with path.open("rb") as file:
                    file.seek(max(0, file.seek(0, 2) - _TAIL))
                    lines = file.read().split(b"\n")
            except OSError:
                continue
            for line in lines:
                try:
                    found.append(msgspec.json.decode(line, type=DeadLetter))
                except msgspec.MsgspecError:  # the beginning of what is cut, or what a crash left
                    continue
        return found[-_SHOWN:]
