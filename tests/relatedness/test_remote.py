"""A measure behind HTTP, asked over loopback."""

import json
import time
from collections.abc import Iterator
from typing import ClassVar

import numpy as np
import pytest

from purport import InvalidInput
from purport.relatedness.exact import Exact
from purport.relatedness.measure import Measure
from purport.relatedness.remote import MeasureUnavailable, Remote
from tests.contracts.measure import MeasureContract
from tests.http_service import PostHandler, serving


class Service(PostHandler):
    """Answers as its address asks it to."""

    requests: ClassVar[list[str]] = []

    def answer(self, body: bytes) -> None:
        question = json.loads(body)
        self.requests.append(self.path)
        scores = Exact().matrix(question["left"], question["right"]).tolist()
        answers = {
            "/ok": json.dumps({"scores": scores}),
            "/half": json.dumps({"scores": (np.array(scores) * 0 + 0.5).tolist()}),
            "/shape": json.dumps({"scores": [[0.5] * 99]}),
            "/range": json.dumps({"scores": (np.array(scores) + 7).tolist()}),
            "/words": "hello",
            "/slow": json.dumps({"scores": scores}),
        }
        if self.path == "/slow":
            time.sleep(1)
        if self.path == "/garbage":
            self.wfile.write(b"\x00\x01 garbage\r\n\r\n")
            return
        if self.path in ("/short", "/drip"):
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            for _ in range(20 if self.path == "/drip" else 1):
                self.wfile.write(b"{")
                self.wfile.flush()
                time.sleep(0.1 if self.path == "/drip" else 0)
            return
        self.send_response(200 if self.path in answers else 500)
        self.end_headers()
        self.wfile.write(answers.get(self.path, "").encode())


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serving(Service) as url:
        yield url


class TestRemote(MeasureContract):
    @pytest.fixture
    def measure(self, address: str) -> Measure:
        return Remote(f"{address}/ok")


def test_a_pair_is_asked_for_once(address: str) -> None:
    measure = Remote(f"{address}/half")
    before = Service.requests.count("/half")

    assert [measure.score("a", "b") for _ in range(5)] == [0.5] * 5
    assert Service.requests.count("/half") == before + 1
    assert measure.score("Ground  floor", "ground floor") == 1


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/shape", "answers no 1 x 1 scores"),
        ("/range", "a score outside 0 to 1"),
        ("/words", "answers no scores"),
        ("/missing", "answers 500: Internal Server Error"),
        ("/slow", "does not answer: timed out"),
        ("/drip", "does not answer: timed out"),
        ("/short", "does not answer: the answer breaks off"),
        ("/garbage", "does not answer: "),
    ],
)
def test_a_service_that_fails_is_told(address: str, path: str, reason: str) -> None:
    with pytest.raises(MeasureUnavailable, match=reason):
        Remote(f"{address}{path}", timeout_s=0.2).score("a", "b")


def test_a_service_that_is_down_is_told(address: str) -> None:
    with pytest.raises(MeasureUnavailable, match=r"does not answer: .*refused"):
        Remote("http://127.0.0.1:9").score("a", "b")


def test_equal_terms_need_no_service() -> None:
    assert Remote("http://127.0.0.1:9").score("a", " A") == 1


def test_halves_of_characters_are_sent_replaced(address: str) -> None:
    assert Remote(f"{address}/half").score("\ud800", "b") == 0.5


@pytest.mark.parametrize(
    "address",
    ["ftp://h", "http://127.0.0.1:abc/", "http:// x/", "http://[::1/", "http://h/é", "http://"],
)
def test_an_address_that_is_none_is_told(address: str) -> None:
    with pytest.raises(InvalidInput, match="address"):
        Remote(address)
