"""Tries, waits and giving up, with a clock that does not run."""

from collections.abc import Sequence

import pytest

from purport.courier import Courier, Patience
from purport.posting import PostFailed

NOW = 1_700_000_000.0  # 2023-11-14, 22:13:20
PATIENCE = Patience(tries=4, first_wait_seconds=1, longest_wait_seconds=30)


class Post:
    """Fails as it is told to, and keeps how often it was asked and how long was waited."""

    def __init__(self, failures: Sequence[PostFailed | None]) -> None:
        self._failures = list(failures)
        self.asked = 0
        self.waits: list[float] = []

    def __call__(self, body: bytes, key: str) -> None:
        self.asked += 1
        failure = self._failures.pop(0) if self._failures else None
        if failure is not None:
            raise failure

    def courier(self, patience: Patience = PATIENCE) -> Courier:
        return Courier(self, patience, sleep=self.waits.append, now=lambda: NOW)


def busy(retry_after: str | None = None, status: int | None = 429) -> PostFailed:
    return PostFailed("busy", status=status, retry_after=retry_after)


def test_a_wait_is_twice_as_long_as_the_one_before() -> None:
    post = Post([busy(status=500), busy(status=503), busy(status=None)])

    post.courier().deliver(b"", "")

    assert (post.asked, post.waits) == (4, [1, 2, 4])


def test_no_wait_is_longer_than_the_longest() -> None:
    patience = Patience(tries=100, first_wait_seconds=1, longest_wait_seconds=5)
    post = Post([busy()] * 99)

    post.courier(patience).deliver(b"", "")

    assert post.waits == [1, 2, 4] + [5] * 96


@pytest.mark.parametrize("status", [301, 400, 401, 404, 413, 422])
def test_what_the_service_refuses_is_not_tried_again(status: int) -> None:
    post = Post([busy(status=status)] * 2)
    courier = post.courier()

    for _ in range(2):
        with pytest.raises(PostFailed, match=f"answers {status}"):
            courier.deliver(b"", "")
    courier.deliver(b"", "")

    assert (post.asked, post.waits) == (3, [])


@pytest.mark.parametrize(
    ("retry_after", "wait"),
    [
        ("7", 7),
        (" 7 ", 7),
        ("0", 1),
        ("Tue, 14 Nov 2023 22:13:32 GMT", 12),
        ("Tue, 14 Nov 2023 22:13:00 GMT", 1),
        ("Tue, 14 Nov 2023 22:13:32", 12),
        ("999999999999999999999", 30),
        ("-7", 1),
        ("soon", 1),
        ("", 1),
        ("²", 1),
        (None, 1),
    ],
)
def test_a_service_is_left_alone_for_as_long_as_it_asks(
    retry_after: str | None, wait: float
) -> None:
    post = Post([busy(retry_after)])

    post.courier().deliver(b"", "")

    assert post.waits == [wait]


def test_a_service_that_is_down_gets_one_try_until_it_is_up_again() -> None:
    down = busy(status=503)
    post = Post([down] * 4 + [down, down, None, down, None])
    courier = post.courier()

    def is_delivered() -> bool:
        before = post.asked
        try:
            courier.deliver(b"", "")
        except PostFailed:
            tries.append(post.asked - before)
            return False
        tries.append(post.asked - before)
        return True

    tries: list[int] = []
    assert [is_delivered() for _ in range(5)] == [False, False, False, True, True]
    assert tries == [4, 1, 1, 1, 2]
    assert post.waits == [1, 2, 4, 1]
