"""Options of sources and sinks: texts from an address or a job file, read as what they mean."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from purport.errors import InvalidInput

T = TypeVar("T")


def read_options(kind: type[T], options: Mapping[str, Any], what: str) -> T:
    """Options as a struct; `InvalidInput` names one that is unknown or has a wrong value."""
    known = [field.encode_name for field in msgspec.structs.fields(kind)]  # type: ignore[arg-type]
    for name in options:
        if name not in known:
            near = get_close_matches(name, known, 1, 0.5)
            meant = f"; did you mean {near[0]!r}?" if near else ""
            there = f"there are {', '.join(known)}" if known else "it takes none"
            raise InvalidInput(f"{what}: no option {name!r} ({there}){meant}")
    try:
        return msgspec.convert(dict(options), kind, strict=False, dec_hook=_path)
    except msgspec.ValidationError as error:
        raise InvalidInput(f"{what}: {error}") from None


def _path(kind: type, value: Any) -> Any:
    """A path out of a file, where it is a text."""
    if kind is Path and isinstance(value, str | Path):
        return Path(value)
    raise ValueError(f"Expected `{kind.__name__}`, got `{type(value).__name__}`")
