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
        self._truth = self._whole()
        self._require_known()

    def hear(self, told: list[Notification]) -> bool:
        """Take in what an update told, after the store has taken in the update.

        True if there was anything; raises `AssertionError` where it is not the difference of the
        answers before and after.
        """
        before, self._truth = self._truth, self._whole()
        mine = [one for one in told if one.subscription_id == self.live.id]
        for news in mine:
            self._take_in(news)
        self._require_known()
        came, went = difference(before, self._truth)
        match self.query.comparison:
            case Comparison.EXACT:
                assert bool(mine) == bool(came or went), (came, went)
                for news in mine:  # one at most: a second would have told of no change
                    assert Counter(map(row, news.added)) == came
                    assert Counter(map(row, news.removed)) == went
            case Comparison.RENAMED:
                assert bool(mine) == (renamed(before) != renamed(self._truth))
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

    def _whole(self) -> Counter[Row]:
        """The answer now, by pyoxigraph; without LIMIT where that leaves it open."""
        return answer(self._store, self.query.uncut or self.query.text, self.query.dataset)

    def _require_known(self) -> None:
        match self.query.comparison:
            case Comparison.EXACT:
                assert self.known == self._truth
            case Comparison.RENAMED:
                assert renamed(self.known) == renamed(self._truth)
            case Comparison.PART:
                assert self.known <= self._truth
                rest = max(0, self._truth.total() - self.query.offset)
                most = rest if self.query.limit is None else self.query.limit
                assert self.known.total() == min(rest, most)
