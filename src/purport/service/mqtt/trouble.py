"""What is wrong with a bridge, said in the log when it changes and not at each try."""

from __future__ import annotations

import logging

_LOG = logging.getLogger("purport.service")


class Trouble:
    """One reason at a time, or none."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.reason = ""

    def note(self, reason: str) -> None:
        """Something is wrong."""
        if reason != self.reason:
            _LOG.warning("mqtt, %r: %s", self._name, reason)
        self.reason = reason

    def clear(self) -> None:
        """All is well."""
        if self.reason:
            _LOG.info("mqtt, %r: all is well again", self._name)
        self.reason = ""
