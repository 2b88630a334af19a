"""What a worker needs to build the matcher, small and fit to be sent with every batch."""

from __future__ import annotations

import hashlib
import pickle
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Self

from purport.errors import UnusablePath
from purport.matching.matcher import Matcher
from purport.model.subscription import Subscription
from purport.ontology.ontology import Ontology


@dataclass(frozen=True, slots=True)
class MatcherSettings:
    """How to match: what `Matcher` takes besides the subscriptions."""

    measure: str | None = None
    mode: str = "default"
    lexicon: Path | None = None
    competition: bool = False
    scores: Path | None = None
    ontology: tuple[Path, ...] = ()

    def told(self) -> str:
        """In words, as far as they are not the defaults."""
        said = [
            f"measure {self.measure}" if self.measure is not None else "",
            f"mode {self.mode}" if self.mode != "default" else "",
            "a lexicon" if self.lexicon is not None else "",
            "competition" if self.competition else "",
            "an ontology" if self.ontology else "",
        ]
        return ", ".join(filter(None, said)) or "defaults"

    def matcher(self) -> Matcher:
        """A matcher without subscriptions."""
        return Matcher(
            measure=self.measure,
            mode=self.mode,
            lexicon=self.lexicon,
            competition=self.competition,
            scores=self.scores,
            ontology=loaded_ontology(self.ontology) if self.ontology else None,
        )


@dataclass(frozen=True, slots=True)
class MatcherSpec:
    """Settings and subscriptions; these are packed, so that a worker that knows them skips them."""

    settings: MatcherSettings
    version: int
    packed: bytes
    key: str

    @classmethod
    def of(
        cls,
        subscriptions: Sequence[Subscription],
        settings: MatcherSettings | None = None,
        version: int = 1,
    ) -> Self:
        """The spec of some subscriptions."""
        packed = pickle.dumps(tuple(subscriptions), pickle.HIGHEST_PROTOCOL)
        key = hashlib.sha256(packed).hexdigest()
        return cls(settings or MatcherSettings(), version, packed, key)

    def build(self) -> Matcher:
        """The matcher; `NotSupportedYet` if it cannot run one of the subscriptions.

        A worker builds it once. When subscriptions change it takes up the new ones and drops those
        that have gone; words and scores that it has met stay known.
        """
        return _worker_matcher(self.settings).at(self)


class _WorkerMatcher:
    """The matcher of a worker, which follows the specs that come with the batches."""

    def __init__(self, settings: MatcherSettings) -> None:
        self._settings = settings
        self._matcher = settings.matcher()
        self._key = ""

    def at(self, spec: MatcherSpec) -> Matcher:
        if spec.key != self._key:
            self._key = ""
            self._change(pickle.loads(spec.packed))
            self._key = spec.key
        return self._matcher

    def _change(self, wanted: Sequence[Subscription]) -> None:
        here = Counter(self._matcher.subscriptions)
        gone, new = here - Counter(wanted), Counter(wanted) - here
        if 2 * gone.total() > here.total():
            self._matcher, gone, new = self._settings.matcher(), Counter(), Counter(wanted)
        for subscription in gone.elements():
            self._matcher.remove(subscription)
        for subscription in new.elements():
            self._matcher.add(subscription)


def loaded_ontology(paths: Sequence[Path]) -> Ontology:
    """The ontology of some files, which a process reads and classifies once."""
    return _loaded(tuple(paths), tuple(map(_stamp, paths)))


def _stamp(path: Path) -> tuple[int, int]:
    """What changes when a file does."""
    try:
        found = path.stat()
    except OSError as error:
        raise UnusablePath(path, error.strerror or str(error)) from None
    return found.st_mtime_ns, found.st_size


@lru_cache(maxsize=2)
def _loaded(paths: tuple[Path, ...], _: tuple[tuple[int, int], ...]) -> Ontology:
    return Ontology.load(*paths)


@lru_cache(maxsize=2)
def _worker_matcher(settings: MatcherSettings) -> _WorkerMatcher:
    return _WorkerMatcher(settings)
