"""Why a pattern in time has come true: what the event says, and the events around it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import msgspec

from purport.errors import InvalidInput
from purport.matching.explanation import MatchExplanation
from purport.matching.matcher import Matcher
from purport.model.language.write import write
from purport.model.match import Evidence, Match, told_evidence
from purport.model.subscription import Conjunction
from purport.temporal.asked import Parts
from purport.temporal.filters import matched_options


@dataclass(frozen=True, slots=True)
class TimeExplanation:
    """What the event says by itself, if it is asked for anything, and the others."""

    subscription: str
    probability: float
    own: MatchExplanation | None
    evidence: tuple[Evidence, ...]

    def text(self) -> str:
        """For people."""
        own = [] if self.own is None else [self.own.text()]
        return "\n".join((*own, *map(told_evidence, self.evidence)))

    def json(self) -> str:
        """For programs."""
        said = {
            "subscription": self.subscription,
            "probability": self.probability,
            "own": None if self.own is None else msgspec.json.decode(self.own.json()),
            "evidence": [
                {
                    "place": one.place,
                    "event": msgspec.json.decode(one.event.to_json()),
                    "probability": one.probability,
                }
                for one in self.evidence
            ],
        }
        return msgspec.json.encode(said).decode()

    def svg(self) -> str:
        """As a picture, of what the event says by itself."""
        if self.own is None:
            raise InvalidInput("a pattern of several events explains itself as text or json only")
        return self.own.svg()


def explain_in_time(match: Match, matcher: Matcher) -> TimeExplanation:
    """Why an event answers a pattern in time."""
    pattern = match.subscription.pattern
    own = None
    if isinstance(pattern, Conjunction):
        plain = Parts.of(pattern, is_inner=False).plain
        if plain:
            options = matched_options(match.subscription.options)
            asked = replace(
                match.subscription, pattern=Conjunction(plain), options=options, name=None
            )
            own = matcher.explain(replace(match, subscription=asked))
    return TimeExplanation(write(match.subscription), match.probability, own, match.evidence)
