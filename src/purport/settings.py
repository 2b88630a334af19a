"""Settings out of files, addresses and the environment, read as the structs that say what may be.

What is unknown is refused with the names that there are, and the one that was probably meant.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import inspect

from purport.errors import InvalidInput, UnusablePath

T = TypeVar("T")


class OptionError(InvalidInput):
    """An option that is unknown or has a wrong value; `place` is e.g. `source.files_per_batch`."""

    def __init__(self, what: str, place: str, message: str) -> None:
        super().__init__(what, place, message)
        self.what = what
        self.place = place
        self.message = message

    def __str__(self) -> str:
        return f"{self.what}: {self.message}"


_PLACE = re.compile(r"(?P<told>.*?) - at `\$\.?(?P<place>.*)`", re.DOTALL)
_BETWEEN = "__"  # the parts of the name of a variable


def read_toml(path: Path) -> dict[str, Any]:
    """What a TOML file says."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UnusablePath(path, error.strerror or str(error)) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path}: not TOML: {error}") from None


def read_options(kind: type[T], options: Mapping[str, Any], what: str) -> T:
    """Options as a struct or dataclass; `OptionError` names one that is unknown or wrong."""
    for place, name, known in _unknown(inspect.type_info(kind), options, ""):
        near = get_close_matches(name, known, 1, 0.5)
        meant = f"; did you mean {near[0]!r}?" if near else ""
        there = f"there are {', '.join(known)}" if known else "it takes none"
        said = f"no option {place + name!r} ({there}){meant}"
        raise OptionError(what, place + name, said)
    try:
        return msgspec.convert(dict(options), kind, strict=False, dec_hook=_path)
    except msgspec.ValidationError as error:
        raise OptionError(what, *_placed(str(error))) from None


def in_environment(environment: Mapping[str, str], prefix: str) -> dict[str, Any]:
    """What variables say: `PURPORT_LISTEN__PORT=80` is `{"listen": {"port": "80"}}`.

    Lists and tables are written as JSON. Variables without `__` mean something else.
    """
    found: dict[str, Any] = {}
    for name in sorted(environment):
        path = name.removeprefix(prefix).lower().split(_BETWEEN)
        if name.startswith(prefix) and len(path) > 1:
            found = merged(found, _nested(path, _value(name, environment[name])))
    return found


def merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Two sets of options as one: what is above counts for more."""
    both = dict(below)
    for name, value in above.items():
        before = both.get(name)
        both[name] = (
            merged(before, value)
            if isinstance(before, Mapping) and isinstance(value, Mapping)
            else value
        )
    return both


def _nested(path: list[str], value: Any) -> dict[str, Any]:
    for name in reversed(path):
        value = {name: value}
    return dict(value)


def _value(name: str, text: str) -> Any:
    if not text.startswith(("[", "{")):
        return text
    try:
        return json.loads(text)
    except ValueError as error:
        raise InvalidInput(f"{name}: expected JSON: {error}") from None


def _unknown(kind: inspect.Type, given: Any, place: str) -> Iterator[tuple[str, str, list[str]]]:
    """Where something stands that is unknown, its name, and those that there are."""
    if isinstance(kind, inspect.UnionType):
        for one in kind.types:
            yield from _unknown(one, given, place)
    elif isinstance(kind, inspect.VarTupleType) and isinstance(given, list | tuple):
        for number, one in enumerate(given):
            yield from _unknown(kind.item_type, one, f"{place[:-1]}[{number}].")
    elif isinstance(kind, inspect.StructType | inspect.DataclassType) and isinstance(
        given, Mapping
    ):
        fields = {field.encode_name: field.type for field in kind.fields}
        for name, value in given.items():
            if name in fields:
                yield from _unknown(fields[name], value, f"{place}{name}.")
            else:
                yield place, name, list(fields)


def _placed(told: str) -> tuple[str, str]:
    """Where something is wrong, and what; what stands for the whole is left out."""
    found = _PLACE.fullmatch(told)
    if found is None:
        return "", told
    place = found["place"]
    return place, f"{place}: {found['told']}" if "." in place else told


def _path(kind: type, value: Any) -> Any:
    """A path out of a file, where it is a text."""
    if kind is Path and isinstance(value, str | Path):
        return Path(value)
    raise ValueError(f"Expected `{kind.__name__}`, got `{type(value).__name__}`")
