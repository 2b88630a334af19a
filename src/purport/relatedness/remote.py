"""A measure behind HTTP: TOIT'14 (4.1) takes measures to be services outside of the engine.

A service is sent `{"left": [terms], "right": [terms]}` by POST and answers `{"scores": [[...]]}`, a
row for each left term with a score from 0 to 1 for each right one.
"""

from __future__ import annotations

import urllib.error
import urllib.request
from collections.abc import Sequence
from functools import lru_cache

import msgspec
import numpy as np

from purport.errors import InvalidInput, PurportError
from purport.model.term import folded
from purport.relatedness.measure import Scores

CACHED_PAIRS = 1_000_000
TIMEOUT_S = 10.0


class MeasureUnavailable(PurportError):
    """A measure behind HTTP is down, slow, or answers with something else than scores."""


class _Answer(msgspec.Struct):
    scores: list[list[float]]


class Remote:
    """A measure at an address; terms with the same text score 1 without asking."""

    def __init__(self, url: str, *, timeout_s: float = TIMEOUT_S) -> None:
        if not url.startswith(("http://", "https://")):
            raise InvalidInput(f"expected an address with http:// or https://, got {url!r}")
        self.url = url
        self.timeout_s = timeout_s
        self._score = lru_cache(maxsize=CACHED_PAIRS)(self._asked_score)

    def __reduce__(self) -> tuple[object, ...]:
        return _remote, (self.url, self.timeout_s)

    @property
    def identity(self) -> str:
        """What tells this measure's scores from another's."""
        return f"remote {self.url}"

    def score(self, left: str, right: str) -> float:
        """How related two terms are; a pair is asked for once."""
        return self._score(left, right)

    def matrix(self, left: Sequence[str], right: Sequence[str]) -> Scores:
        """Scores of every pair, by one request."""
        if not left or not right:
            return np.zeros((len(left), len(right)))
        scores = np.array(self._asked(left, right), np.float64)
        same = [[folded(one) == folded(other) for other in right] for one in left]
        scores[np.array(same)] = 1.0
        return scores

    def _asked_score(self, left: str, right: str) -> float:
        return float(self.matrix([left], [right])[0, 0])

    def _asked(self, left: Sequence[str], right: Sequence[str]) -> list[list[float]]:
        question = msgspec.json.encode({"left": list(left), "right": list(right)})
        request = urllib.request.Request(
            self.url, question, {"Content-Type": "application/json"}, method="POST"
        )
        try:
            with urllib.request.urlopen(request, timeout=self.timeout_s) as response:
                answer = msgspec.json.decode(response.read(), type=_Answer)
        except (urllib.error.URLError, TimeoutError, OSError) as error:
            reason = getattr(error, "reason", None) or error
            raise MeasureUnavailable(
                f"the measure at {self.url} does not answer: {reason}"
            ) from None
        except msgspec.MsgspecError as error:
            raise MeasureUnavailable(
                f"the measure at {self.url} answers no scores: {error}"
            ) from None
        self._check(answer.scores, len(left), len(right))
        return answer.scores

    def _check(self, scores: list[list[float]], rows: int, columns: int) -> None:
        if len(scores) != rows or any(len(row) != columns for row in scores):
            raise MeasureUnavailable(
                f"the measure at {self.url} answers no {rows} x {columns} scores"
            )
        if any(not 0 <= score <= 1 for row in scores for score in row):
            raise MeasureUnavailable(f"the measure at {self.url} answers a score outside 0 to 1")


def _remote(url: str, timeout_s: float) -> Remote:
    return Remote(url, timeout_s=timeout_s)
