"""POST over loopback, and addresses that cannot be posted to."""

import time
from collections.abc import Iterator
from contextlib import suppress
from typing import ClassVar

import pytest

from purport.errors import InvalidInput
from purport.posting import PostFailed, address_parts, posted, whole_answer
from tests.http_service import PostHandler, serving


class Service(PostHandler):
    """Keeps what it is sent, and answers with the status in its address."""

    sent: ClassVar[list[tuple[str, bytes, str | None]]] = []

    def answer(self, body: bytes) -> None:
        self.sent.append((self.path, body, self.headers["X-Team"]))
        self.send_response(int(self.path[1:]))
        self.send_header("Location", "/200")
        self.send_header("Retry-After", "7")
        self.end_headers()
        self.wfile.write(b"thanks")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serving(Service) as url:
        yield url


def test_what_is_posted_arrives_and_is_answered(address: str) -> None:
    with posted(f"{address}/201", b"{}", timeout_seconds=5, headers={"X-Team": "a"}) as response:
        assert response.read() == b"thanks"

    assert ("/201", b"{}", "a") in Service.sent


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308, 400, 429, 500])
def test_an_answer_that_is_no_success_is_told_with_its_status(address: str, status: int) -> None:
    with (
        pytest.raises(PostFailed, match=f"^answers {status}: ") as failed,
        posted(f"{address}/{status}", b"{}", timeout_seconds=5),
    ):
        pass

    assert (failed.value.status, failed.value.retry_after) == (status, "7")


def test_a_proxy_is_not_asked_for_this_machine(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")

    with posted(f"{address}/200", b"{}", timeout_seconds=5) as response:
        assert response.status == 200


class Dripping(PostHandler):
    """Answers a letter at a time, and never to the end."""

    def answer(self, body: bytes) -> None:
        self.wfile.write(self.path[1:].replace("_", " ").encode() + b"\r\nX-More: ")
        with suppress(OSError):
            for _ in range(2_000):
                self.wfile.write(b"\r\n\r\n" if self.path.endswith("!") else b"a")
                time.sleep(0.01)


@pytest.mark.parametrize("start", ["HTTP/1.1_200_OK", "HTTP/1.1_500_No", "HTTP/1.1_500_No!"])
def test_an_answer_that_comes_a_little_at_a_time_has_no_more_time(start: str) -> None:
    began = time.monotonic()
    with (
        serving(Dripping) as url,
        pytest.raises(PostFailed) as failed,
        posted(f"{url}/{start}", b"{}", timeout_seconds=0.2),
    ):
        pass

    assert failed.value.is_late or failed.value.status == 500
    assert time.monotonic() - began < 10


def test_an_answer_that_is_too_long_is_not_read_to_its_end(address: str) -> None:
    with posted(f"{address}/200", b"{}", timeout_seconds=5) as response:
        assert whole_answer(response, timeout_seconds=5, most_bytes=6) == b"thanks"

    with (
        pytest.raises(PostFailed, match="the answer is too long"),
        posted(f"{address}/200", b"{}", timeout_seconds=5) as response,
    ):
        whole_answer(response, timeout_seconds=5, most_bytes=5)


@pytest.mark.parametrize("address", ["http://", "http://h:x/", "http://h/\n", "ftp://h", "http:h"])
def test_an_address_that_is_none_is_told(address: str) -> None:
    with pytest.raises(InvalidInput, match="address"):
        address_parts(address)


@pytest.mark.parametrize(
    "address",
    ["https://me:hush@example.org/hook", "https://me:hush@example.org:x/", "https://a b?key=hush"],
)
def test_a_secret_in_an_address_that_is_refused_is_not_repeated(address: str) -> None:
    with pytest.raises(InvalidInput, match="address") as refused:
        address_parts(address)

    assert "hush" not in str(refused.value)
