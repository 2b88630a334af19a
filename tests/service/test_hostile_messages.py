"""Whatever is said over WebSockets: each message has one answer, and the socket stays usable."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from tests.service.raw_client import LIMITS, Besieged, besieged, wait_until


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Besieged]:
    limits = LIMITS.replace("ping_seconds = 1\n", "ping_seconds = 30\n")
    with besieged(tmp_path_factory.mktemp("besieged"), limits) as made:
        yield made


@pytest.fixture
def talking(server: Besieged) -> Iterator[ClientConnection]:
    with connect(server.server.subscribe_url) as made:
        yield made


WRONG = [
    "",
    "nonsense",
    "null",
    "[]",
    "5",
    "{}",
    '{"subscribe": null}',
    '{"subscribe": []}',
    '{"subscribe": {"purport": 5}}',
    '{"subscribe": {"purport": "{a = 1}", "most_waiting": 0}}',
    '{"subscribe": {"purport": "{a = 1}", "most_waiting": 1e400}}',
    '{"subscribe": {"purport": "{a = 1}", "most_waiting": 1' + "0" * 5_000 + "}}",
    '{"subscribe": {"purport": "{a = 1}", "most_waiting": 9223372036854775808}}',
    '{"subscribe": {"purport": "{a = 1}", "overflow": "explode"}}',
    '{"subscribe": {"purport": "{a = 1}", "name": "", "durable": true}}',
    '{"subscribe": {"sparql": "LOAD <file:///etc/passwd>"}}',
    '{"subscribe": {"sparql": "SELECT * { SERVICE <http://127.0.0.1/> { ?s ?p ?o } }"}}',
    '{"subscribe": {"purport": "' + "{" * 1_000 + '"}}',
    '{"subscribe": {"purport": "{a = \\ud800}"}}',
    '{"unsubscribe": {"spuid": "../../etc/passwd"}}',
    '{"unsubscribe": {"spuid": "\\u0000"}}',
    '{"acknowledge": {"spuid": "s", "sequence": -1}}',
    '{"acknowledge": {"spuid": "s", "sequence": 1e300}}',
    '{"acknowledge": {"spuid": "s", "sequence": 1.5}}',
    "[" * 10_000,
    '{"a": ' * 70 + "1" + "}" * 70,
    '{"subscribe": {"purport": "{a = 1}"}} {}',
    "\ufeff{}",
]


@pytest.mark.parametrize("text", WRONG, ids=range(len(WRONG)))
def test_a_message_that_is_wrong_is_answered_and_the_socket_stays(
    server: Besieged, talking: ClientConnection, text: str
) -> None:
    answer = told(talking, text)

    assert set(answer) == {"error", "status_code", "error_description"}, answer
    assert_still_usable(talking)
    server.require_well()


def test_members_that_nobody_knows_are_not_looked_at(talking: ClientConnection) -> None:
    asked = {"purport": "{a = 1}", "alias": "x", "what": [{"is": None}]}

    answer = told(talking, json.dumps({"subscribe": asked, "that": 1e300}))

    assert answer["subscribed"]["alias"] == "x"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
SAID: dict[str, st.SearchStrategy[Any]] = {
    "purport": st.sampled_from(["{b = 1}", "{b ~ x} as n", "when {a = 1} publish {b = 2}", "{"]),
    "sparql": st.sampled_from(["SELECT ?s { ?s ?p ?o }", "ASK {}", "SELECT", "DROP ALL"]),
    "alias": st.text(max_size=4),
    "name": st.sampled_from(["n", "m", "", "a/b", "\0", "é"]),
    "durable": st.booleans(),
    "after": st.integers(-2, 2**65),
    "most_waiting": st.integers(-1, 2**65),
    "overflow": st.sampled_from(["drop oldest", "disconnect", "pause", "refuse", "block", "x"]),
    "acknowledge": st.sampled_from(["sent", "by hand", ""]),
    "authorization": st.text(max_size=20),
    "default-graph-uri": st.sampled_from(["urn:g", "no iri", ["urn:g", "urn:h"], []]),
    "spuid": st.sampled_from(["n", "m", "none", "sepa://subscription/1"]),
    "sequence": st.integers(-1, 2**65),
}
BODY = st.fixed_dictionaries(
    {}, optional={name: one | (JSON if name != "purport" else one) for name, one in SAID.items()}
)
MESSAGE = st.dictionaries(
    st.sampled_from(["subscribe", "unsubscribe", "acknowledge", "authorization"]),
    BODY | JSON,
    max_size=2,
)


@settings(max_examples=60, deadline=None)
@given(st.lists(JSON | MESSAGE, min_size=1, max_size=5))
def test_whatever_is_said_has_one_answer(server: Besieged, messages: list[Any]) -> None:
    with connect(server.server.subscribe_url) as talking:
        for message in messages:
            talking.send(json.dumps(message))
            answers = until_marked(talking)

            acknowledged = is_acknowledgement(message)
            assert len(answers) == 1 or (acknowledged and not answers), (message, answers)
            for one in answers:
                require_answer(one)
    assert "Traceback" not in server.server.log, server.server.log


def is_acknowledgement(message: Any) -> bool:
    """Whether it may be done without a word."""
    return isinstance(message, dict) and bool(message.get("acknowledge"))


def until_marked(talking: ClientConnection) -> list[Any]:
    """What is answered besides what is told of subscriptions, up to the answer to a question."""
    talking.send('{"subscribe": {"alias": "the mark"}}')  # which asks for nothing, and is wrong
    answers = []
    while (one := json.loads(talking.recv(timeout=30))).get("alias") != "the mark":
        if one.get("notification", {}).get("sequence", 0) == 0:
            answers.append(one)
    return answers


def require_answer(answer: Any) -> None:
    if "error" in answer:
        assert set(answer) - {"alias"} == {"error", "status_code", "error_description"}
        assert (answer["status_code"], answer["error"]) != (500, "failed"), answer
    else:
        assert len(answer) == 1
        assert set(answer) < {"subscribed", "unsubscribed", "notification"}


def told(talking: ClientConnection, text: str) -> Any:
    """What is answered first."""
    talking.send(text)
    return json.loads(talking.recv(timeout=30))


def assert_still_usable(talking: ClientConnection) -> None:
    answer = told(talking, '{"subscribe": {"purport": "{a = 2}", "alias": "still"}}')
    assert answer["subscribed"]["alias"] == "still"


def test_as_many_subscriptions_as_may_be_and_no_more(tmp_path_factory: Any) -> None:
    limits = f"{LIMITS}subscriptions_per_socket = 3\n"
    asked = '{"subscribe": {"purport": "{b > 0}"}}'
    with besieged(tmp_path_factory.mktemp("few"), limits) as server, ExitStack() as at_end:
        talking = at_end.enter_context(connect(server.server.subscribe_url))
        answers = [told(talking, asked) for _ in range(5)]
        spuid = answers[0]["subscribed"]["spuid"]
        ended = told(talking, json.dumps({"unsubscribe": {"spuid": spuid}}))
        again = told(talking, asked)

        assert ["subscribed" in one for one in answers] == [True] * 3 + [False] * 2
        assert {one["error"] for one in answers[3:]} == {"too_many_subscriptions"}
        assert "unsubscribed" in ended and "subscribed" in again
        talking.close()
        with pytest.raises(ConnectionClosed):
            talking.recv(timeout=5)
        wait_until(lambda: server.held()[2] == 0)
