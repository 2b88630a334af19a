"""Why a pattern in time has come true."""

from purport import Event, parse
from purport.matching.matcher import Matcher
from purport.model.match import Match
from purport.temporal.explanation import explain_in_time


def test_what_the_event_says_is_explained_however_often_it_is_told() -> None:
    matcher = Matcher(measure="exact")
    event = Event.from_json({"x": 1})
    subscription = parse("{x = 1, start after(10 s) {y = 2}} on change at most once per 1 min")
    [mapping] = matcher.mappings(event, parse("{x = 1}"), 1)

    explanation = explain_in_time(Match(subscription, event, mapping), matcher)

    assert "x = 1" in explanation.text()
