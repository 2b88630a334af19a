"""A measure behind HTTP: TOIT'14 (4.1) takes measures to be services outside of the engine.

A service is sent `{"left": [terms], "right": [terms]}` by POST and answers `{"scores": [[...]]}`, a
row for each left term with a score from 0 to 1 for each right one.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from purport.errors import PurportError
from purport.model.term import folded
from purport.posting import PostFailed, address_parts, posted, whole_answer
from purport.relatedness.measure import Scores, score_by

TIMEOUT_S = 10.0
_MOST_BYTES = 512 * 1024 * 1024


class MeasureUnavailable(PurportError):
    """A measure behind HTTP is down, slow, or answers with something else than scores."""


class _Answer(msgspec.Struct):
    scores: list[list[float]]


class Remote:
    """A measure at an address; a pair of terms with the same text scores 1 without asking."""

    def __init__(self, url: str, *, timeout_s: float = TIMEOUT_S) -> None:
        address_parts(url)
        self.url = url
        self.timeout_s = timeout_s
        self._score = score_by(self.matrix)

    def __reduce__(self) -> tuple[object, ...]:
        return _remote, (self.url, self.timeout_s)

    @property
    def identity(self) -> str:
        """What tells this measure's scores from another's."""
        return f"remote {self.url}"

    def score(self, left: str, right: str) -> float:
        """How related two terms are; a pair is asked for once."""
        return 1.0 if folded(left) == folded(right) else self._score(left, right)

    def matrix(self, left: Sequence[str], right: Sequence[str]) -> Scores:
        """Scores of every pair, by one request."""
        if not left or not right:
            return np.zeros((len(left), len(right)))
        scores = np.array(self._asked(left, right), np.float64)
        same = [[folded(one) == folded(other) for other in right] for one in left]
        scores[np.array(same)] = 1.0
        return scores

    def _asked(self, left: Sequence[str], right: Sequence[str]) -> list[list[float]]:
        question = msgspec.json.encode({"left": _sendable(left), "right": _sendable(right)})
        try:
            with posted(self.url, question, timeout_seconds=self.timeout_s) as response:
                text = whole_answer(
                    response, timeout_seconds=self.timeout_s, most_bytes=_MOST_BYTES
                )
            answer = msgspec.json.decode(text, type=_Answer)
        except PostFailed as error:
            raise self._unavailable(str(error)) from None
        except msgspec.MsgspecError as error:
            raise self._unavailable(f"answers no scores: {error}") from None
        self._check(answer.scores, len(left), len(right))
        return answer.scores

    def _unavailable(self, what: str) -> MeasureUnavailable:
        return MeasureUnavailable(f"the measure at {self.url} {what}")

    def _check(self, scores: list[list[float]], rows: int, columns: int) -> None:
        if len(scores) != rows or any(len(row) != columns for row in scores):
            raise self._unavailable(f"answers no {rows} x {columns} scores")
        if any(not 0 <= score <= 1 for row in scores for score in row):
            raise self._unavailable("answers a score outside 0 to 1")


def _sendable(terms: Sequence[str]) -> list[str]:
    """Terms as JSON can hold them: halves of characters are replaced."""
    return [term.encode(errors="replace").decode() for term in terms]


def _remote(url: str, timeout_s: float) -> Remote:
    return Remote(url, timeout_s=timeout_s)
