"""Commands, run in the process of the tests as a person would type them."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from purport.cli.app import main


class Done(NamedTuple):
    """What a command has left behind."""

    status: int | str | None
    output: str
    errors: str


class Run:
    """Runs commands one after the other; those on Spark use the one of the tests, if it is there.

    What Spark itself would print does not come here: that needs a process of its own.
    """

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *first: str
    ) -> None:
        self._monkeypatch, self._capsys, self._first = monkeypatch, capsys, first

    def below(self, *first: str) -> Run:
        """The same for commands that begin so."""
        return Run(self._monkeypatch, self._capsys, *self._first, *first)

    def __call__(
        self, *arguments: object, given: str | None = None, folder: Path | None = None
    ) -> Done:
        """Run a command, in a folder, with an input."""
        typed = ["purport", *self._first, *map(str, arguments)]
        with self._monkeypatch.context() as changed:
            changed.setattr(sys, "argv", typed)
            changed.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO((given or "").encode())))
            if folder is not None:
                changed.chdir(folder)
            self._capsys.readouterr()
            with pytest.raises(SystemExit) as ended:
                main()
        return Done(ended.value.code, *self._capsys.readouterr())
