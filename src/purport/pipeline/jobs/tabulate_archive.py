"""The job that scores an archive's words beforehand with what subscriptions ask for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import SparkSession

from purport.errors import InvalidInput
from purport.model.subscription import Subscription
from purport.pipeline.archive.folder import Archive
from purport.pipeline.archive.vocabulary import statements, terms
from purport.pipeline.jobs.tabulate_scores import TabulateScores
from purport.pipeline.matcher_spec import MatcherSettings
from purport.relatedness.score_blocks import MANIFEST
from purport.writable import require_room_in


@dataclass(frozen=True, slots=True)
class Tabulated:
    """What was added to one table: `given` terms by those asked for, as many as are `new`."""

    folder: Path
    asked: int
    given: int
    new: int


@dataclass(frozen=True, slots=True)
class TabulateArchive:
    """Fills the tables of scores that a matcher with these settings looks into.

    Matching the archive asks no measure afterwards. Run again, it adds what is new.
    """

    archive: Archive
    subscriptions: Sequence[Subscription]
    settings: MatcherSettings

    def run(
        self, spark: SparkSession, on_step: Callable[[str], None] = lambda _: None
    ) -> list[Tabulated]:
        """Score what is not scored yet; nothing if there is no `~`."""
        if self.settings.scores is not None:
            require_scores(self.settings.scores)
        matcher = self.settings.matcher()
        for subscription in self.subscriptions:
            matcher.add(subscription)
        rows = statements(spark, self.archive)
        done = []
        for lookup in matcher.measures.lookups(self.subscriptions):
            folder = lookup.table.folder
            assert folder is not None
            on_step(f"scoring {folder.name}")
            given = terms(rows, of_names=lookup.is_of_names)
            new = TabulateScores(lookup.table, lookup.asked).run(spark, given)
            done.append(Tabulated(folder, len(lookup.asked), lookup.table.size[1], new))
        return done


def require_scores(folder: Path) -> None:
    """Refuse a folder with other things in it than scores, or in which one cannot write."""
    if folder.is_dir():
        for one in folder.iterdir():
            if one.name[0] != "." and not (one / MANIFEST).exists():
                raise InvalidInput(f"{folder}: expected a folder of scores, found {one.name!r}")
    require_room_in(folder)
