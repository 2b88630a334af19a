"""The measures by their names."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path

from purport.errors import InvalidInput
from purport.relatedness.array_store import StoreError
from purport.relatedness.concept_space import ConceptSpace, default_space_folder
from purport.relatedness.esa import Esa
from purport.relatedness.exact import Exact
from purport.relatedness.measure import Measure
from purport.relatedness.remote import Remote

MEASURES = ("exact", "esa", "remote")


def load_measure(name: str, *, space: str | Path | None = None, url: str | None = None) -> Measure:
    """The measure of this name, over a concept space or at an address where it needs one.

    >>> load_measure("exact").score("Ground floor", "ground  floor")
    1.0
    """
    match name:
        case "exact":
            return Exact()
        case "esa":
            return Esa(ConceptSpace.open(_space_folder(space)))
        case "remote":
            if url is None:
                raise InvalidInput("the measure 'remote' needs the url of its service")
            return Remote(url)
    near = get_close_matches(name.lower(), MEASURES, 1, 0.5)
    meant = f"; did you mean {near[0]!r}?" if near else ""
    raise InvalidInput(f"no measure {name!r} (there are {', '.join(MEASURES)}){meant}")


def _space_folder(space: str | Path | None) -> Path:
    if space is not None:
        return Path(space)
    if not default_space_folder().is_dir():
        raise StoreError(
            "the default concept space is not there: `purport concepts default` makes it, once; "
            "or name one of your own"
        )
    return default_space_folder()
