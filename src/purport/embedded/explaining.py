"""Why something was told: the engine that found it says so, when it is asked."""

from __future__ import annotations

from purport.broker.matching_engine import MatchingEngine
from purport.broker.time_engine import HistoryEngine
from purport.model.match import Explanation, Match
from purport.temporal.asked import is_in_time


def explained(matching: MatchingEngine, times: HistoryEngine, match: Match) -> Explanation:
    """Why an event matches, by the engine that found it."""
    is_of_time = is_in_time(match.subscription.pattern)
    return times.explain(match) if is_of_time else matching.explain(match)
