"""The versions that the subscriptions of a job went through."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from purport.errors import UnusablePath
from purport.model.language.label import label
from purport.model.language.parse import parse, parse_all
from purport.model.language.write import write
from purport.model.subscription import Subscription
from purport.pipeline.matcher_spec import MatcherSettings
from purport.whole_file import write_whole

_ENDING = ".purport"
_SETTINGS = ".json"
_LEXICON = ".lexicon"
_ENDINGS = (_LEXICON, _SETTINGS, _ENDING)


@dataclass(frozen=True, slots=True)
class Versions:
    """The versions of what is matched, in a folder.

    Beside `1.purport`, the subscriptions, stand `1.json`, the settings of the matcher, and
    `1.lexicon`, the rules of its lexicon if it has one: whoever looks at a match later can match
    the same way again.
    """

    folder: Path

    def number_of(
        self, subscriptions: Sequence[Subscription], settings: MatcherSettings | None = None
    ) -> int:
        """The number of a version: the last one if nothing changed, or else a new one."""
        last = self._last()
        try:
            wanted = _texts_of(subscriptions, settings or MatcherSettings())
            if last and self._texts(last) == wanted:
                return last
            self.folder.mkdir(parents=True, exist_ok=True)
            for ending in _ENDINGS:  # the subscriptions last: by them a version is there
                path, text = self._path(last + 1, ending), wanted[ending]
                if text is None:
                    path.unlink(missing_ok=True)
                else:
                    write_whole(path, text)
        except OSError as error:
            raise UnusablePath(self.folder, error.strerror or str(error)) from None
        return last + 1

    def read(self, version: int) -> list[Subscription]:
        """The subscriptions of a version; `UnusablePath` if there is none."""
        return parse_all("\n".join(self.lines(version)), file=str(self._path(version)))

    def find(self, version: int, name: str) -> Subscription | None:
        """The subscription of a version that a person calls so."""
        line = self.line(version, name)
        return None if line is None else parse(line)

    def line(self, version: int, name: str) -> str | None:
        """The same as it was written; the others are not parsed."""
        spelt = (name, json.dumps(name, ensure_ascii=False))
        for line in self.lines(version):
            is_near = line == name or any(f" as {one}" in line for one in spelt)
            if is_near and label(parse(line)) == name:
                return line
        return None

    def lines(self, version: int) -> list[str]:
        """The subscriptions of a version as they were written, one on each line."""
        path = self._path(version)
        try:
            *lines, _ = path.read_text(encoding="utf-8").split("\n")
        except OSError as error:
            raise UnusablePath(path, error.strerror or str(error)) from None
        return lines

    def settings(self, version: int) -> MatcherSettings:
        """How the matcher of a version was set; `UnusablePath` if nobody knows."""
        path, lexicon = self._path(version, _SETTINGS), self._path(version, _LEXICON)
        try:
            kept = msgspec.json.decode(path.read_bytes(), type=_KeptSettings)
        except OSError as error:
            raise UnusablePath(path, error.strerror or str(error)) from None
        except msgspec.MsgspecError as error:
            raise UnusablePath(path, str(error)) from None
        rules = lexicon if lexicon.exists() else None
        files = () if kept.ontology is msgspec.UNSET else tuple(map(Path, kept.ontology))
        return MatcherSettings(
            kept.measure,
            kept.mode,
            rules,
            kept.competition,
            ontology=files,
            ignores_missing_imports=bool(files),  # what was found is among the files
        )

    def _last(self) -> int:
        found = (path.stem for path in self.folder.glob(f"*{_ENDING}"))
        return max((int(name) for name in found if name.isdigit()), default=0)

    def _texts(self, version: int) -> dict[str, bytes | None]:
        paths = {ending: self._path(version, ending) for ending in _ENDINGS}
        return {end: path.read_bytes() if path.exists() else None for end, path in paths.items()}

    def _path(self, version: int, ending: str = _ENDING) -> Path:
        return self.folder / f"{version}{ending}"


class _KeptSettings(msgspec.Struct, frozen=True):
    """Settings of the matcher as they are kept."""

    measure: str | None
    mode: str
    competition: bool
    ontology: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET  # files that do not change


def _texts_of(
    subscriptions: Sequence[Subscription], settings: MatcherSettings
) -> dict[str, bytes | None]:
    """What is kept of a version, by the endings of its files."""
    files = tuple(map(str, settings.ontology)) or msgspec.UNSET
    kept = _KeptSettings(settings.measure, settings.mode, settings.competition, files)
    rules = settings.lexicon.read_bytes() if settings.lexicon is not None else None
    return {
        _LEXICON: rules,
        _SETTINGS: msgspec.json.format(msgspec.json.encode(kept)) + b"\n",
        _ENDING: ("\n".join(map(write, subscriptions)) + "\n").encode(),
    }
