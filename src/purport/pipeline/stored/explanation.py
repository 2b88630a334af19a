"""Why a stored match was one: its event and its subscription are found and matched again."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

from purport.errors import InvalidInput
from purport.matching.asked import matched_predicates
from purport.matching.explanation import MatchExplanation
from purport.matching.matcher import Matcher
from purport.model.event import Event
from purport.model.language.write import write_predicate
from purport.model.match import Mapping, Match
from purport.model.subscription import Subscription
from purport.model.term import printable
from purport.pipeline.stored.catalogue import source_events
from purport.pipeline.stored.in_time import TimedExplanation, explain_in_time
from purport.pipeline.stored.job import StoredJob
from purport.pipeline.stored.matches import StoredMatch
from purport.pipeline.stored.source_events import EventGone

_SAME = 1e-4  # rows keep single precision


class StoredExplanations:
    """Explains the matches of a job; what matched a version is loaded once."""

    def __init__(self, job: StoredJob) -> None:
        self._job = job
        self._source = source_events(job.identity.source)
        self._matcher = lru_cache(maxsize=2)(self._load_matcher)

    def in_time(self, match: StoredMatch) -> TimedExplanation:
        """Why one is a match that has `parts`: by the events that the job keeps for time."""
        return explain_in_time(match, self._subscription(match), self._job.folder.timed)

    def explain(self, match: StoredMatch) -> MatchExplanation:
        """Why it is a match; `EventGone` if the event is not what it was."""
        subscription = self._subscription(match)
        event = self._source.event(match)
        mapping = stored_mapping(match, subscription, event)
        matcher = self._matcher(match.version)
        try:
            found = matcher.explain(Match(subscription, event, mapping))
        except InvalidInput as error:
            raise EventGone(f"{match.event_id}: the event has changed: {error}") from None
        _require_same(match, mapping, found)
        return found

    def _subscription(self, match: StoredMatch) -> Subscription:
        found = self._job.versions.find(match.version, match.subscription)
        if found is None:
            raise InvalidInput(
                f"{self._job.folder.subscriptions}: version {match.version} has no subscription "
                f"{match.subscription!r}"
            )
        return found

    def _load_matcher(self, version: int) -> Matcher:
        settings = self._job.versions.settings(version)
        matcher = settings.matcher()
        if settings.competition:  # or the others would have no say in it
            for subscription in self._job.versions.read(version):
                matcher.add(subscription)
        return matcher


def stored_mapping(match: StoredMatch, subscription: Subscription, event: Event) -> Mapping:
    """The mapping of a stored match; `EventGone` if the event does not have its statements."""
    predicates = matched_predicates(subscription)
    similarities = [0.0 if math.isnan(one) else one for one in match.similarities]
    fits = len(predicates) == len(match.mapping) == len(similarities)
    if not fits or not all(0 <= place < len(event.statements) for place in match.mapping):
        raise EventGone(
            f"{match.event_id}: the event has changed: it has {len(event.statements)} statements, "
            f"and was matched by its statements {_told(match.mapping)}"
        )
    statements = [event.statements[place] for place in match.mapping]
    return Mapping.of(zip(predicates, statements, similarities, strict=True), match.probability)


def _require_same(match: StoredMatch, mapping: Mapping, now: MatchExplanation) -> None:
    """Raise unless an event is still matched by its stored mapping, as well as it was."""
    for pair, place, kept, row in zip(
        mapping.correspondences, match.mapping, match.similarities, now.similarities, strict=True
    ):
        if abs(kept - row[place]) > _SAME:  # never of what is not a number
            raise EventGone(
                f"{match.event_id}: the event has changed, or the measure: "
                f"{printable(write_predicate(pair.predicate))} was answered with "
                f"{kept:.2f}, and {printable(str(pair.statement))} answers it with "
                f"{row[place]:.2f} now"
            )
    if abs(match.probability - now.probability) > _SAME:
        raise EventGone(
            f"{match.event_id}: the event has changed, or the measure: it matched with "
            f"{match.probability:.2f}, and now does with {now.probability:.2f}"
        )


def _told(places: Sequence[int]) -> str:
    return ", ".join(str(place + 1) for place in places)
