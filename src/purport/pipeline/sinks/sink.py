"""What a sink for matches is, and those that are registered under a scheme."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from purport.pipeline.addresses import Address
from purport.pipeline.found_matches import Matches
from purport.pipeline.notes import Notes
from purport.pipeline.schemes import Schemes


class Sink(Protocol):
    """Where matches go.

    A batch may come twice under the same number, after a crash. A sink that keeps what it gets has
    it once then; any other one hands on the same ids (`match_id`) a second time.
    """

    @property
    def place(self) -> str:
        """Where it writes, in full: by this a job knows its sink again."""

    @property
    def home(self) -> Path | None:
        """Where a job keeps what it has to remember, unless the user says; None: nowhere."""

    def claim(self, job: str) -> None:
        """Make sure that matches of this job can go here; `InvalidInput` says why they cannot."""

    def write(self, matches: Matches, batch: int, notes: Notes) -> None:
        """Take the matches of a batch, each of them once; what cannot be delivered is noted."""


class Fleeting:
    """A sink inherits this if nothing of what it is given stays, as on a screen.

    Its job remembers nothing either, and begins anew each time, unless the user names a checkpoint.
    """

    __slots__ = ()


# Makes a sink of an address.
MakeSink = Callable[[Address], Sink]

SINKS: Schemes[MakeSink] = Schemes("sink", "purport.sinks")
