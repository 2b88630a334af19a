"""What is wrong is said, and harms nothing else."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pyarrow as pa
import pytest

from purport import Event, EventError, InvalidInput, Matcher, parse
from purport.relatedness.measure import Measure, Scores
from tests.strategies.approximate import Steps

LAPTOP = parse("{device = laptop~} as l")
TABLE = pa.table({"event_id": ["a"], "statements": [[{"attribute": "a", "value": "1"}]]})


def test_a_text_that_is_no_unicode_harms_nothing_else() -> None:
    matcher = Matcher([LAPTOP])
    odd = Event.from_json(json.loads('{"device": "\\ud83d"}'))

    assert matcher.match(odd) == []
    assert len(matcher.match(Event.from_json({"device": "computer"}))) == 1
    assert "\\ud83d" in Matcher([parse("{device != x} as other")]).match(odd)[0].explain()


class Refusing(Steps):
    """A measure that cannot score one word."""

    def matrix(self, left: Sequence[str], right: Sequence[str]) -> Scores:
        if "boom" in right:
            raise ConnectionError("no answer")
        return super().matrix(left, right)


def test_a_word_that_a_measure_cannot_score_harms_its_own_event_only() -> None:
    matcher = Matcher([LAPTOP], measure=Refusing())

    with pytest.raises(ConnectionError):
        matcher.match(Event.from_json({"device": "boom"}))

    assert len(matcher.match(Event.from_json({"device": "laptop"}))) == 1
    assert len(matcher.match_batch([{"device": "laptop"}])) == 1


class Constant(Steps):
    """A measure that gives what it is told to."""

    given: object = 0.0

    def matrix(self, left: Sequence[str], right: Sequence[str]) -> Scores:
        given = Constant.given
        if isinstance(given, float):
            return np.full((len(left), len(right)), given)
        return given  # type: ignore[return-value]


@pytest.mark.parametrize("score", [0.1, 0.3, 0.6, 0.7, 0.8, 0.9, 1.0, 1.0000001])
def test_a_score_that_is_just_the_threshold_reaches_it(score: float) -> None:
    subscription = parse(f"{{device = laptop~}} threshold {min(score, 1.0)}")
    Constant.given = score
    matcher = Matcher([subscription], measure=Constant())

    assert len(matcher.match(Event.from_json({"device": "other"}))) == 1
    assert len(matcher.match_batch([{"device": "other"}])) == 1


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (2.5, "the measure Constant gave 2.5 for 'laptop' and 'other', expected a number from 0"),
        (float("nan"), "gave nan for 'laptop' and 'other'"),
        (None, r"gave object of shape \(\), expected numbers of shape \(1, 1\)"),
        (np.zeros((3, 1)), r"gave float64 of shape \(3, 1\)"),
        (np.zeros((1, 1), np.complex128), "gave complex128"),
    ],
)
def test_a_measure_that_gives_no_scores_is_told(given: object, reason: str) -> None:
    Constant.given = given
    with pytest.raises(InvalidInput, match=reason):
        Matcher([LAPTOP], measure=Constant()).match_batch([{"device": "other"}])


@pytest.mark.parametrize("measure", [5, "", Steps, object()])
def test_what_is_no_measure_is_told(measure: Measure) -> None:
    with pytest.raises(InvalidInput, match="measure"):
        Matcher([LAPTOP], measure=measure)


def test_a_lexicon_may_be_a_path(tmp_path: Path) -> None:
    (tmp_path / "ours.txt").write_text("reading is in °F\n", encoding="utf-8")
    matcher = Matcher([parse("{reading > 25 °C}")], lexicon=tmp_path / "ours.txt")

    assert not matcher.match_batch([{"reading": 70}])
    with pytest.raises(InvalidInput):
        Matcher(lexicon=str(tmp_path / "none.txt"))


CALLS: list[tuple[Callable[[Matcher], object], type[Exception], str]] = [
    (lambda m: m.match({"a": 1}), InvalidInput, "expected an Event"),  # type: ignore[arg-type]
    (lambda m: m.match(None), InvalidInput, "expected an Event"),  # type: ignore[arg-type]
    (lambda m: m.add("{a = 1}"), InvalidInput, "expected a Subscription"),  # type: ignore[arg-type]
    (lambda m: Matcher(LAPTOP), InvalidInput, "expected several"),  # type: ignore[arg-type]
    (lambda m: m.remove(parse("{z = 1} as z")), KeyError, "^'z'$"),
    (lambda m: m.match_batch([{"a": 1}, None]), EventError, "event 1 of the batch: expected"),  # type: ignore[list-item]
    (lambda m: m.match_batch([{"a": 1}] * 40 + [{"a": float("nan")}]), EventError, "event 40 of"),
    (lambda m: m.match_batch([{"a": 1}], threads=2.0), InvalidInput, "threads are"),  # type: ignore[arg-type]
    (lambda m: m.match_batch([{"a": 1}], threads=10**9), InvalidInput, "threads are from 1 to"),
    (lambda m: m.match_table([{"a": 1}]), InvalidInput, "expected an Arrow table, got list"),
    (lambda m: m.match_table(TABLE.append_column("statements", TABLE[1])), InvalidInput, "more t"),
    (lambda m: m.match_batch([{"a": 1}])[0].explain("html"), InvalidInput, "no form 'html'"),
]


@pytest.mark.parametrize(("call", "kind", "reason"), CALLS)
def test_what_cannot_be_taken_is_told(
    call: Callable[[Matcher], object], kind: type[Exception], reason: str
) -> None:
    matcher = Matcher([parse("{a = 1} as one")])

    with pytest.raises(kind, match=reason):
        call(matcher)

    assert [match.subscription.name for match in matcher.match_batch([{"a": 1}])] == ["one"]


def test_what_an_event_says_cannot_forge_an_explanation() -> None:
    event = Event.from_json({"k": "x\n\x1b[31mforged  1.00", "other": "]]>\x01\x00\ufffe"})
    [match] = Matcher([parse("{k != y} as z")]).match(event)

    assert match.explain().count("\n") == 0
    assert "\x1b" not in match.explain()
    ElementTree.fromstring(match.explain("svg"))
