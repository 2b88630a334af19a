"""An archived event matches as the event does."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from purport import Event, Matcher, parse
from purport.matching import tellings
from purport.matching.compiled_matcher import Optimisations
from purport.model.event import Statement
from purport.model.match import Match
from purport.model.subscription import Subscription
from purport.pipeline.archive.folder import Archive
from tests.matching.test_batches import objects
from tests.pipeline.archive.archives import archive_of, codes_of, events_of
from tests.strategies.approximate import Steps, near_subscriptions
from tests.strategies.exact import events as typed_events
from tests.strategies.terms import attributes, terms

subscriptions = st.lists(near_subscriptions, max_size=4)
any_events = st.one_of(
    typed_events,
    objects.map(Event.from_json),
    st.lists(st.builds(Statement, attributes, terms), max_size=4).map(
        lambda said: Event(tuple(said))
    ),
)


def matched(matcher: Matcher, archive: Archive) -> list[tuple[str, Match, list[int]]]:
    """The matches of all events of an archive: the event's id, the match, its statements."""
    codes = codes_of(archive)
    found: list[tuple[str, Match, list[int]]] = []
    for events in events_of(archive, codes):
        one = events.match(matcher)
        assert not one.dead_letters
        [(named, matches)] = one.found
        ids = named.places(matches.events).ids.to_pylist()
        mappings = [matches.mapping(number).tolist() for number in range(len(matches))]
        found += zip(ids, matches, mappings, strict=True)
    return found


def matched_in_process(matcher: Matcher, events: list[Event]) -> list[tuple[str, Match, list[int]]]:
    matches = matcher.match_batch(events)
    ids = [f"events:{number + 1}" for number in matches.events.tolist()]
    mappings = [matches.mapping(number).tolist() for number in range(len(matches))]
    return list(zip(ids, matches, mappings, strict=True))


@given(subscriptions, st.lists(any_events, max_size=6))
def test_archived_events_match_as_the_events_do(
    several: list[Subscription], events: list[Event]
) -> None:
    with TemporaryDirectory() as folder:
        archive = archive_of(Path(folder), events)

        assert matched(Matcher(several, measure=Steps()), archive) == matched_in_process(
            Matcher(several, measure=Steps()), events
        )
        told = [
            event for part in events_of(archive) for one in part.parts() for event in one.events
        ]
        assert told == events


@given(subscriptions, subscriptions, st.lists(any_events, min_size=1, max_size=4))
def test_codes_hold_while_subscriptions_change_and_words_are_forgotten(
    first: list[Subscription], second: list[Subscription], events: list[Event]
) -> None:
    matcher = Matcher(first, measure=Steps())
    with TemporaryDirectory() as folder:
        archive = archive_of(Path(folder), events)
        [archived] = events_of(archive)
        archived.match(matcher)
        for one in second:
            matcher.add(one)
        [(_, grown)] = archived.match(matcher).found
        expected = matched_in_process(Matcher([*first, *second], measure=Steps()), events)
        assert list(grown) == [match for _, match, _ in expected]

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(tellings, "MOST_WORDS", 0)
            [(_, after)] = archived.match(matcher).found
        assert list(after) == list(grown)


@given(subscriptions, st.lists(any_events, max_size=4))
def test_without_scales_they_match_the_same(
    several: list[Subscription], events: list[Event]
) -> None:
    use = Optimisations(scales=False)
    with TemporaryDirectory() as folder:
        archive = archive_of(Path(folder), events)

        found = matched(Matcher(several, measure=Steps(), optimisations=use), archive)

    expected = matched_in_process(Matcher(several, measure=Steps()), events)
    assert found == expected


def test_an_identifier_is_found_by_who_asks_for_it(tmp_path: Path) -> None:
    said = [{"device": f"0a1b2c3d4e5{number}", "value": "21.5"} for number in range(3)]
    archive = archive_of(tmp_path, [Event.from_json(one) for one in said])

    found = matched(Matcher([parse('{device = "0A1B2C3D4E51"}')]), archive)

    assert [identifier for identifier, _, _ in found] == ["events:2"]


def test_texts_are_read_only_when_somebody_asks_for_one(tmp_path: Path) -> None:
    archive = archive_of(tmp_path, [Event.from_json({"device": "0a1b2c3d4e5f", "value": 5})])
    [events] = events_of(archive)

    events.match(Matcher([parse("{value > 3}")]))
    assert events.rest._read is None

    events.match(Matcher([parse('{device = "0a1b2c3d4e5f"}')]))
    assert events.rest._read is not None


def test_an_event_keeps_when_it_happened(tmp_path: Path) -> None:
    said: list[dict[str, object]] = [
        {"@start": "2026-01-01T10:00:00+05:30", "@end": "2026-01-01T06:00:00.000001Z", "a": 1},
        {"@start": -1.5},
        {"@end": "2026-01-01"},
        {"a": 1},
    ]
    events = [Event.from_json(one) for one in said]

    [part] = events_of(archive_of(tmp_path, events))[0].parts()

    assert [part.intervals.get(number) for number in range(4)] == [one.interval for one in events]


def test_an_event_that_a_measure_cannot_score_is_set_aside(tmp_path: Path) -> None:
    class Picky(Steps):
        def score(self, left: str, right: str) -> float:
            if "unheard" in right:
                raise ValueError("an unheard word")
            return super().score(left, right)

    words = ["laptop", "unheard of", "notebook"]
    archive = archive_of(tmp_path, [Event.from_json({"device": word}) for word in words])
    [events] = events_of(archive)

    found = events.match(Matcher([parse("{device = laptop~} threshold 0")], measure=Picky()))

    [letter] = found.dead_letters
    assert (letter.source, letter.line) == ("events", 2)
    assert letter.reason == "cannot be matched: an unheard word"
    ids = [one for part, some in found.found for one in part.places(some.events).ids.to_pylist()]
    assert ids == ["events:1", "events:3"]
