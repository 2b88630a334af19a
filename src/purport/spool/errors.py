"""What can go wrong with a spool."""

from __future__ import annotations

from purport.errors import NotFound, PurportError
from purport.mqtt.errors import CannotKeep


class SpoolFull(CannotKeep):
    """A spool has as many bytes as it may have, until what was read is dropped."""


class SpoolFailed(CannotKeep):
    """The disk did not take what a spool was to keep."""


class SpoolTaken(PurportError):
    """Another process writes the spool."""


class SpoolDamaged(PurportError):
    """What a spool kept cannot be read any more."""


class MessagesGone(NotFound):
    """Messages that a spool does not have any more, or does not have yet."""
