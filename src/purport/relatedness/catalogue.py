"""The measures by their names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from purport.errors import InvalidInput
from purport.relatedness.array_store import StoreError
from purport.relatedness.calibrated import Calibrated
from purport.relatedness.calibration import Calibration
from purport.relatedness.concept_space import ConceptSpace, default_space_folder
from purport.relatedness.embedding import Embedding
from purport.relatedness.esa import Esa
from purport.relatedness.exact import Exact
from purport.relatedness.hybrid import Hybrid
from purport.relatedness.lexicon import Lexicon
from purport.relatedness.measure import Measure
from purport.relatedness.remote import Remote
from purport.relatedness.under_lexicon import under_lexicon
from purport.relatedness.word_features import WordFeatures
from purport.relatedness.wordnet import WordNet, wordnet_folder
from purport.relatedness.wordnet_measures import Relation, wordnet_measure


@dataclass(frozen=True, slots=True)
class MeasureSettings:
    """What a measure may be made from: a space, a service, counts of WordNet's synsets."""

    space: Path | None = None
    url: str | None = None
    counts: Path | None = None
    calibration: Path | None = None

    def esa(self) -> Esa:
        """Explicit semantic analysis over the space, or over the default one."""
        return Esa(
            ConceptSpace.open(self.space or _made(default_space_folder(), "the default space"))
        )

    def wordnet(self) -> WordNet:
        """WordNet, with the counts that come with it or with others."""
        return WordNet.open(_made(wordnet_folder(), "WordNet"), self.counts)

    def calibrated(self) -> Calibrated:
        """The default measure, with the calibration that comes with Purport or with another."""
        features = WordFeatures(self.esa(), self.wordnet())
        return Calibrated(features, Calibration.read(self.calibration))

    def remote(self) -> Remote:
        """A measure behind HTTP."""
        if self.url is None:
            raise InvalidInput("the measure 'remote' needs the url of its service")
        return Remote(self.url)


_MAKERS: dict[str, Callable[[MeasureSettings], Measure]] = {
    "exact": lambda _: Exact(),
    "esa": lambda settings: settings.esa(),
    "wordnet": lambda settings: wordnet_measure(settings.wordnet()),
    "wordnet-lin": lambda settings: wordnet_measure(settings.wordnet(), Relation.LIN),
    "wordnet-path": lambda settings: wordnet_measure(settings.wordnet(), Relation.PATH),
    "wordnet-gloss": lambda settings: wordnet_measure(
        settings.wordnet(), Relation.GLOSS, settings.esa()
    ),
    "hybrid": lambda settings: Hybrid(settings.esa(), wordnet_measure(settings.wordnet())),
    "embedding": lambda _: Embedding(),
    "calibrated": lambda settings: settings.calibrated(),
    "remote": lambda settings: settings.remote(),
}
MEASURES = tuple(_MAKERS)


def load_measure(
    name: str,
    *,
    space: str | Path | None = None,
    url: str | None = None,
    counts: str | Path | None = None,
    calibration: str | Path | None = None,
    lexicon: Lexicon | str | Path | None = None,
) -> Measure:
    """The measure of this name, over a concept space or at an address where it needs one.

    A lexicon, or the path of one, goes above the measure.

    >>> load_measure("exact").score("Ground floor", "ground  floor")
    1.0
    """
    settings = MeasureSettings(_path(space), url, _path(counts), _path(calibration))
    if lexicon is not None and not isinstance(lexicon, Lexicon):
        lexicon = Lexicon.read(Path(lexicon))
    return measure_of(name, settings, lexicon)


def measure_of(name: str, settings: MeasureSettings, lexicon: Lexicon | None = None) -> Measure:
    """The measure of this name, made with settings, under a lexicon if there is one."""
    require_known(name)
    measure = _MAKERS[name](settings)
    return measure if lexicon is None else under_lexicon(measure, lexicon)


def require_known(name: str) -> None:
    """Raise `InvalidInput` if there is no measure of this name."""
    if name not in _MAKERS:
        near = get_close_matches(name.lower(), MEASURES, 1, 0.5)
        meant = f"; did you mean {near[0]!r}?" if near else ""
        raise InvalidInput(f"no measure {name!r} (there are {', '.join(MEASURES)}){meant}")


def defaults_are_made() -> bool:
    """Whether the default space and WordNet are in the cache, and can be opened."""
    return default_space_is_made() and wordnet_is_made()


def default_space_is_made() -> bool:
    """Whether the default space is in the cache, and can be opened."""
    return _opens(ConceptSpace.open, default_space_folder())


def wordnet_is_made() -> bool:
    """Whether WordNet is in the cache, and can be opened."""
    return _opens(WordNet.open, wordnet_folder())


def _opens(open_it: Callable[[Path], object], folder: Path) -> bool:
    try:
        open_it(folder)
    except StoreError:
        return False
    return True


def _path(path: str | Path | None) -> Path | None:
    return Path(path) if path is not None else None


def _made(folder: Path, what: str) -> Path:
    if not folder.is_dir():
        raise StoreError(f"{what} is not there: `purport concepts default` makes it, once")
    return folder
