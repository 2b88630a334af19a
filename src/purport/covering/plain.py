"""What braces ask of one event by itself, and when that follows from what others ask of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from purport.covering.judging import Judging
from purport.covering.known_classes import KnownClasses
from purport.covering.pairing import can_pair_all
from purport.covering.rows import Facts, Row, can_share, follows
from purport.matching.asked import MatchedPredicate
from purport.model.language.write import write_predicate

_MARGIN = 1e-6  # more than what a sum of similarities in another order may differ by


@dataclass(frozen=True, slots=True)
class Plain:
    """The predicates of braces that one event alone answers or not, and how they are judged.

    `texts` has the approximate ones as they are written, and None in the places of the others.
    `facts` are what is so of every event that is a match.
    """

    rows: tuple[Row, ...]
    texts: tuple[str | None, ...]
    judging: Judging
    facts: Facts

    @classmethod
    def of(
        cls, predicates: Sequence[MatchedPredicate], judging: Judging, classes: KnownClasses | None
    ) -> Plain:
        """What predicates ask, none of which has a reference."""
        rows = tuple(Row.of(one, classes) for one in predicates)
        texts = tuple(
            None if row.is_exact else write_predicate(one)
            for row, one in zip(rows, predicates, strict=True)
        )
        holding = [one for one in rows if one.is_exact] if judging.must_hold(len(rows)) else []
        return cls(rows, texts, judging, Facts.of(holding))

    def follows_fully(self, other: Plain) -> bool:
        """Whether every event that answers the other answers this with probability 1."""
        if not all(map(other.facts.meet, self.rows)):
            return False
        return not self._needs_different_statements or self._has_different_statements(other)

    def follows(self, other: Plain) -> bool:
        """Whether every event that is a match of the other is one of this."""
        if self.follows_fully(other) or self._follows_in_part(other):
            return True
        return any(self.texts) and self._is_at_least_as_likely_as(other)

    @property
    def _needs_different_statements(self) -> bool:
        return self.judging.is_one_to_one and any(
            can_share(one, other) for one, other in combinations(self.rows, 2)
        )

    def _has_different_statements(self, other: Plain) -> bool:
        """Whether each row follows from another row of the other, which has its own statement."""
        if not other.judging.is_one_to_one or not other.judging.must_hold(len(other.rows)):
            return False
        asked = [row.alone for row in self.rows]
        given = [row.alone for row in other.rows if row.is_exact]
        return can_pair_all(
            asked,
            given,
            lambda one, fact: one is not None and fact is not None and follows(fact, one),
        )

    def _follows_in_part(self, other: Plain) -> bool:
        """Whether so many predicates are answered fully that the others do not matter."""
        enough = self.judging.least_held(len(self.rows))
        if self.judging.is_one_to_one or enough == len(self.rows):
            return False
        return sum(map(other.facts.meet, self.rows)) >= enough

    def _is_at_least_as_likely_as(self, other: Plain) -> bool:
        """Whether it asks for the same approximately, and else only for what is so.

        To an aggregate of some similarities, being met fully adds, and not being asked takes away.
        """
        if self.judging.is_one_to_one or not self.judging.is_as_lenient_as(other.judging):
            return False
        if len(self.rows) < len(other.rows):
            return False
        near, others = (tuple(one for one in two.texts if one) for two in (self, other))
        if sorted(near) != sorted(others):
            return False
        exact = [row for row in self.rows if row.is_exact]
        if not all(map(other.facts.meet, exact)):
            return False
        is_sum_the_same = self.texts == other.texts or len(self.rows) == len(other.rows) <= 2
        margin = 0.0 if is_sum_the_same else _MARGIN
        return self.judging.threshold <= other.judging.threshold - margin
