"""A subscriber who checks what it is told against pyoxigraph."""

from collections import Counter

from pyoxigraph import Store

from purport.sparql import LiveQuery, Notification
from tests.oracles.requery_engine import Row, answer, difference, renamed, row
from tests.strategies.sparql import Comparison, Query


class Follower:
    """A subscriber: knows the first answer and the changes that it is told, and nothing else."""

    def __init__(self, query: Query, live: LiveQuery, store: Store) -> None:
        self.query = query
        self.live = live
        self.known = Counter(map(row, live.initial))
        self.sequence = 0
        self._store = store
        self._truth, self._behind = self._answer(query.text), self._answer(query.behind)
        self._require_known()

    def hear(self, told: list[Notification]) -> bool:
        """Take in what an update told, after the store has taken in the update.

        True if there was anything; raises `AssertionError` where it is not the difference of the
        answers before and after.
        """
        before, behind = self._truth, self._behind
        self._truth, self._behind = self._answer(self.query.text), self._answer(self.query.behind)
        mine = [one for one in told if one.subscription_id == self.live.id]
        for news in mine:
            self._take_in(news)
        self._require_known()
        match self.query.comparison:
            case Comparison.EXACT:
                came, went = difference(before, self._truth)
                assert bool(mine) == bool(came or went), (came, went)
                for news in mine:  # one at most: a second would have told of no change
                    assert Counter(map(row, news.added)) == came
                    assert Counter(map(row, news.removed)) == went
            case Comparison.RENAMED:  # other solutions make other nodes, be they alike
                assert mine or renamed(before) == renamed(self._truth)
                assert not mine or behind != self._behind
            case Comparison.PART:  # which rows are part of the answer is open
                pass
        return bool(mine)

    def _take_in(self, news: Notification) -> None:
        self.sequence += 1
        assert news.sequence == self.sequence
        added, removed = (Counter(map(row, some)) for some in (news.added, news.removed))
        assert added or removed, "a notification of nothing"
        assert not added & removed, "what came has gone"
        assert removed <= self.known, "what went had not been there"
        self.known = self.known - removed + added

    def _answer(self, text: str) -> Counter[Row]:
        """The answer now, by pyoxigraph."""
        return answer(self._store, text, self.query.dataset) if text else Counter()

    def _require_known(self) -> None:
        match self.query.comparison:
            case Comparison.EXACT:
                assert self.known == self._truth
            case Comparison.RENAMED:
                assert renamed(self.known) == renamed(self._truth)
            case Comparison.PART:
                assert self.known <= self._behind
                assert self.known.total() == self._truth.total()
