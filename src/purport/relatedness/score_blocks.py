"""Blocks of scores in a folder that any number of processes add to at the same time.

A block is written whole, under a hidden name, and then given its own; it never changes. Many small
ones are merged into one by whoever has read them, one process at a time.
"""

from __future__ import annotations

import fcntl
import os
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from purport.errors import UnusablePath
from purport.relatedness.array_store import Arrays, StoreError, Texts
from purport.whole_file import whole_file

VERSION = 1
MANIFEST = "table.json"
_LOCK = ".lock"
_FORGOTTEN_AFTER = 3600.0  # seconds: by then the process that wrote a hidden file has died

ScoreArray = NDArray[np.float32]


class BlocksManifest(msgspec.Struct, frozen=True):
    """Which measure's scores a folder holds."""

    version: int
    measure: str


@dataclass(frozen=True, slots=True)
class Block:
    """Scores of some terms asked for with some terms given; nan where nobody scored a pair."""

    asked: Sequence[str]
    given: Sequence[str]
    scores: ScoreArray


class ScoreBlocks:
    """The folder of a table of scores of one measure."""

    def __init__(self, folder: Path, measure: str) -> None:
        self.folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._claim(measure)
            manifest = msgspec.json.decode((folder / MANIFEST).read_bytes(), type=BlocksManifest)
        except OSError as error:
            raise UnusablePath(folder, error.strerror or str(error)) from None
        except msgspec.MsgspecError as error:
            what = f"{folder / MANIFEST}: the table of scores is damaged: {error}"
            raise StoreError(what) from None
        if manifest.version != VERSION:
            raise StoreError(
                f"{folder} is of version {manifest.version}; this Purport opens {VERSION}"
            )
        if manifest.measure != measure:
            raise StoreError(
                f"{folder} holds the scores of another measure ({manifest.measure}, "
                f"not {measure}): name another folder"
            )

    def names(self) -> set[str]:
        """The blocks that are there now."""
        return {path.name for path in self.folder.glob("block-*.npz")}

    def read(self, name: str) -> Block | None:
        """A block; None if another process has merged it with others meanwhile."""
        path = self.folder / name
        try:
            with path.open("rb") as file, np.load(file) as arrays:
                block = Block(
                    list(Texts(arrays["asked_ends"], arrays["asked_text"])),
                    list(Texts(arrays["given_ends"], arrays["given_text"])),
                    arrays["scores"],
                )
            if block.scores.shape != (len(block.asked), len(block.given)):
                raise ValueError(f"its shape is {block.scores.shape}")
            return block
        except FileNotFoundError:
            return None
        except Exception as error:  # noqa: BLE001 - they raise many types on what they cannot read
            raise StoreError(
                f"{path}: the block of scores is damaged ({error}); its scores are computed again"
            ) from None

    def write(self, block: Block) -> str:
        """Add a block; gives its name."""
        asked, given = Texts.of(block.asked), Texts.of(block.given)
        arrays: Arrays = {"asked_ends": asked.ends, "asked_text": asked.text}
        arrays |= {"given_ends": given.ends, "given_text": given.text, "scores": block.scores}
        name = f"block-{uuid.uuid4().hex}.npz"
        try:
            with whole_file(self.folder / name) as hidden, hidden.open("xb") as file:
                np.savez(file, allow_pickle=False, **arrays)
        except OSError as error:
            raise UnusablePath(self.folder, error.strerror or str(error)) from None
        return name

    def merge(self, names: set[str], whole: Block) -> str | None:
        """Put one block in the place of others, all of whose scores it holds.

        None if another process is at it, or the folder may not be written to.
        """
        try:
            with self._only_one() as is_ours:
                if not is_ours:
                    return None
                merged = self.write(whole)
                for name in names:
                    (self.folder / name).unlink(missing_ok=True)
                self._remove_forgotten()
                return merged
        except (OSError, UnusablePath):
            return None

    def _claim(self, measure: str) -> None:
        """Write the manifest, unless somebody has."""
        path = self.folder / MANIFEST
        if path.exists():
            return
        ours = (MANIFEST, "block-")
        if any(not entry.name.startswith((".", *ours)) for entry in self.folder.iterdir()):
            raise UnusablePath(self.folder, "there is something here that is not a table of scores")
        hidden = self.folder / f".{MANIFEST}-{uuid.uuid4().hex}"
        hidden.write_bytes(msgspec.json.encode(BlocksManifest(VERSION, measure)))
        try:
            os.link(hidden, path)
        except FileExistsError:  # another process was quicker
            pass
        finally:
            hidden.unlink()

    def _remove_forgotten(self) -> None:
        for path in self.folder.glob(".block-*"):
            if time.time() - path.stat().st_mtime > _FORGOTTEN_AFTER:
                path.unlink(missing_ok=True)

    @contextmanager
    def _only_one(self) -> Iterator[bool]:
        """Whether this process has the lock, which it gives back at the end, whatever happens."""
        with (self.folder / _LOCK).open("wb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
                return
            yield True
