"""The measures by their names."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path

from purport.errors import InvalidInput
from purport.relatedness.concept_space import ConceptSpace, SpaceError, default_space_folder
from purport.relatedness.esa import Esa
from purport.relatedness.exact import Exact
from purport.relatedness.measure import Measure


def _exact(space: Path | None) -> Measure:
    return Exact()


def _esa(space: Path | None) -> Measure:
    if space is None and not default_space_folder().is_dir():
        raise SpaceError(
            "the default concept space is not there: `purport concepts default` makes it, once; "
            "or name one of your own"
        )
    return Esa(ConceptSpace.open(space or default_space_folder()))


MEASURES: dict[str, Callable[[Path | None], Measure]] = {"exact": _exact, "esa": _esa}


def load_measure(name: str, *, space: str | Path | None = None) -> Measure:
    """The measure of this name, over a concept space where it needs one.

    >>> load_measure("exact").score("Ground floor", "ground  floor")
    1.0
    """
    make = MEASURES.get(name)
    if make is None:
        near = get_close_matches(name.lower(), MEASURES, 1, 0.5)
        meant = f"; did you mean {near[0]!r}?" if near else ""
        raise InvalidInput(f"no measure {name!r} (there are {', '.join(MEASURES)}){meant}")
    return make(None if space is None else Path(space))
