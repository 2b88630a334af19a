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
from purport.pipeline.timed.asked import Asked


@dataclass(frozen=True, slots=True)
class MatcherSettings:
    """How to match: what `Matcher` takes besides the subscriptions."""

    measure: str | None = None
    mode: str = "default"
    lexicon: Path | None = None
    competition: bool = False
    scores: Path | None = None
    ontology: tuple[Path, ...] = ()
    ignores_missing_imports: bool = False

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

    def loaded_ontology(self) -> Ontology | None:
        """The ontology of the files, which a process reads and classifies once."""
        if not self.ontology:
            return None
        stamps = tuple(map(_stamp, self.ontology))
        return _loaded(self.ontology, self.ignores_missing_imports, stamps)

    def matcher(self) -> Matcher:
        """A matcher without subscriptions."""
        return Matcher(
            measure=self.measure,
            mode=self.mode,
            lexicon=self.lexicon,
            competition=self.competition,
            scores=self.scores,
            ontology=self.loaded_ontology(),
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
        return _worker_matcher(self.settings).at(self).matcher

    def asked(self) -> Asked:
        """What the matcher is asked, of single events and of time."""
        return _worker_matcher(self.settings).at(self).asked

    def subscriptions(self) -> tuple[Subscription, ...]:
        """What is subscribed to."""
        found: tuple[Subscription, ...] = pickle.loads(self.packed)
        return found


class _WorkerMatcher:
    """The matcher of a worker, which follows the specs that come with the batches."""

    def __init__(self, settings: MatcherSettings) -> None:
        self._settings = settings
        self.matcher = settings.matcher()
        self.asked = Asked(())
        self._key = ""

    def at(self, spec: MatcherSpec) -> Self:
        if spec.key != self._key:
            self._key = ""
            asked = Asked.of(
                spec.subscriptions(), self._settings.matcher, competes=self._settings.competition
            )
            self._change(asked.matched)
            self.asked = asked
            self._key = spec.key
        return self

    def _change(self, wanted: Sequence[Subscription]) -> None:
        here = Counter(self.matcher.subscriptions)
        gone, new = here - Counter(wanted), Counter(wanted) - here
        if 2 * gone.total() > here.total():
            self.matcher, gone, new = self._settings.matcher(), Counter(), Counter(wanted)
        for subscription in gone.elements():
            self.matcher.remove(subscription)
        for subscription in new.elements():
            self.matcher.add(subscription)


def _stamp(path: Path) -> tuple[int, int]:
    """What changes when a file does."""
    try:
        found = path.stat()
    except OSError as error:
        raise UnusablePath(path, error.strerror or str(error)) from None
    return found.st_mtime_ns, found.st_size


@lru_cache(maxsize=2)
def _loaded(paths: tuple[Path, ...], ignores: bool, _: tuple[tuple[int, int], ...]) -> Ontology:
    return Ontology.load(*paths, ignores_missing_imports=ignores)


@lru_cache(maxsize=2)
def _worker_matcher(settings: MatcherSettings) -> _WorkerMatcher:
    return _WorkerMatcher(settings)
