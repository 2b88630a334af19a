"""What the paper reports, as data."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class PublishedTime:
    """Milliseconds that the paper gives for a publication."""

    where: str
    what: str
    system: str
    low: float
    high: float
    about: str  # in its own words

    def __str__(self) -> str:
        return f"{self.low:,g}" if self.low == self.high else f"{self.low:,g}-{self.high:,g}"


@cache
def published() -> dict[str, PublishedTime]:
    """What is published, by what it is about."""
    text = (files("purport.evaluation.kbn") / "published.toml").read_text(encoding="utf-8")
    found = [PublishedTime(**one) for one in tomllib.loads(text)["figures"]]
    return {one.what: one for one in found}
