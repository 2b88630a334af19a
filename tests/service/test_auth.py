"""Who asks: registering, tokens, and what becomes of those who guess, over HTTP and WebSockets."""

import base64
import json
import logging
import stat
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from purport.service.settings import Authentication, Identity, Keeping, Token
from purport.service.tokens import token_hash
from tests.service.secured import Secured, Talking, bearing, known, secured, token_of
from tests.service.server_process import running_server

IDENTITIES = (
    Identity("ann", lifetime_seconds=60),
    Identity("bob", register_again=True),
    Identity("eve", disabled=True),
)
SUBSCRIBE = {"sparql": "SELECT ?s { ?s ?p ?o }"}


@contextmanager
def service_of(*identities: Identity, **settings: Any) -> Iterator[Secured]:
    auth = Authentication(identities or IDENTITIES)
    with secured(**{"auth": auth, **settings}) as service:
        yield service


@pytest.fixture
def service() -> Iterator[Secured]:
    with service_of() as made:
        yield made


def register(client: httpx.Client, name: str, **others: object) -> httpx.Response:
    wish = {"client_identity": name, "grant_types": ["client_credentials"], **others}
    return client.post("/oauth/register", json={"register": wish})


def credentials(client: httpx.Client, name: str) -> tuple[str, str]:
    told = register(client, name).json()["credentials"]
    return told["client_id"], told["client_secret"]


def fetch(client: httpx.Client, of: tuple[str, str]) -> httpx.Response:
    return client.post("/oauth/token", auth=of)


def token(client: httpx.Client, name: str) -> str:
    found: str = fetch(client, credentials(client, name)).json()["access_token"]
    return found


def ask(client: httpx.Client, token: str | None) -> httpx.Response:
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    return client.get("/subscriptions", headers=headers)


def refusal(answer: httpx.Response) -> tuple[int, str]:
    assert set(answer.json()) == {"error", "status_code", "error_description"}
    assert answer.json()["status_code"] == answer.status_code
    return answer.status_code, answer.json()["error"]


def test_a_client_registers_fetches_a_token_and_is_let_in(service: Secured) -> None:
    client = service.client()

    registered = register(client, "ann")
    told = registered.json()["credentials"]
    fetched = fetch(client, (told["client_id"], told["client_secret"]))
    answer = fetched.json()

    assert (registered.status_code, fetched.status_code) == (201, 201)
    assert set(told) == {"client_id", "client_secret", "signature"}
    assert answer["token"] == {
        "access_token": answer["access_token"], "token_type": "bearer", "expires_in": 60
    }  # fmt: skip
    assert (answer["token_type"], answer["expires_in"]) == ("bearer", 60)
    assert [one.headers["cache-control"] for one in (registered, fetched)] == ["no-store"] * 2
    assert ask(client, answer["access_token"]).status_code == 200


def test_who_has_no_token_is_not_let_in(service: Secured) -> None:
    client = service.client()

    answer = ask(client, None)

    assert refusal(answer) == (401, "unauthorized")
    assert answer.headers["www-authenticate"].startswith("Bearer")
    for path in ("/query?query=ASK{}", "/failures", "/updates", "/registry", "/rules", "/metrics"):
        assert client.get(path).status_code == 401
    for path in ("/events", "/update", "/dry-run", "/subscriptions", "/registry"):
        assert client.post(path, json={}).status_code == 401
    assert {client.get(path).status_code for path in ("/health", "/ready", "/openapi.json")} == {
        200
    }


@pytest.mark.parametrize(
    "header",
    [
        "Bearer", "Bearer x", "Basic YTpi", "Digest x", "x", "Bearer a.b.c", "Bearer \xe9",
        "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbm4iLCJpc3MiOiJwdXJwb3J0In0.",
    ],
)  # fmt: skip
def test_what_is_no_token_is_refused(service: Secured, header: str) -> None:
    headers = [(b"authorization", header.encode("latin-1"))]

    answer = service.client().get("/subscriptions", headers=headers)

    assert refusal(answer) == (401, "invalid_token")
    assert header not in answer.text


def test_the_scheme_is_read_in_any_case_and_may_be_left_out(service: Secured) -> None:
    client = service.client()
    found = token(client, "ann")

    for header in (f"bearer {found}", f"BEARER   {found}", found):
        answer = client.get("/subscriptions", headers={"Authorization": header})
        assert answer.status_code == 200


@pytest.mark.parametrize("place", ["header", "message", "subscribe", "bare"])
def test_over_a_websocket_a_token_stands_in_a_header_or_in_a_message(
    service: Secured, place: str
) -> None:
    found = token(service.client(), "ann")
    address = f"ws://127.0.0.1:{service.port}/subscribe"
    headers = {"Authorization": f"Bearer {found}"} if place == "header" else {}
    said: dict[str, Any] = {"subscribe": dict(SUBSCRIBE)}
    if place == "message":
        said["authorization"] = f"Bearer {found}"
    if place == "subscribe":
        said["subscribe"]["authorization"] = f"Bearer {found}"
    if place == "bare":
        said["authorization"] = found

    with connect(address, additional_headers=headers) as connection:
        told = Talking(connection).ask(said)

    assert told["notification"]["sequence"] == 0


def test_over_a_websocket_who_has_no_token_hears_nothing(service: Secured) -> None:
    socket = service.socket()
    found = token(service.client(), "ann")

    without = socket.ask({"subscribe": {**SUBSCRIBE, "alias": "a"}})
    wrong = socket.ask({"subscribe": {**SUBSCRIBE, "authorization": f"Bearer {found[:-1]}"}})
    right = socket.ask({"subscribe": {**SUBSCRIBE, "authorization": f"Bearer {found}"}})

    assert (without["status_code"], without["error"]) == (401, "unauthorized")
    assert without["alias"] == "a"
    assert (wrong["status_code"], wrong["error"]) == (401, "invalid_token")
    assert right["notification"]["sequence"] == 0


def test_only_identities_that_are_known_may_register(service: Secured) -> None:
    client = service.client()

    assert refusal(register(client, "nobody")) == (403, "unauthorized_client")
    assert refusal(register(client, "eve")) == (403, "unauthorized_client")
    assert register(client, "ann").status_code == 201
    assert refusal(register(client, "ann")) == (403, "unauthorized_client")


def test_who_may_register_again_has_other_credentials_then(service: Secured) -> None:
    client = service.client()
    first, second = credentials(client, "bob"), credentials(client, "bob")

    assert refusal(fetch(client, first)) == (401, "invalid_client")
    assert fetch(client, second).status_code == 201


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"[]", b"{}", b'{"register": {}}', b'{"register": {"client_identity": 5}}',
        b'{"register": {"client_identity": "ann", "grant_types": "client_credentials"}}',
        b"\xff", b'{"register": {"client_identity": "\xff"}}',
    ],
)  # fmt: skip
def test_what_is_no_registration_is_refused(service: Secured, body: bytes) -> None:
    answer = service.client().post(
        "/oauth/register", content=body, headers={"Content-Type": "application/json"}
    )

    assert refusal(answer) == (400, "bad_request")


def test_only_client_credentials_are_granted(service: Secured) -> None:
    answer = register(service.client(), "ann", grant_types=["password"])

    assert refusal(answer) == (400, "unsupported_grant_type")


def test_a_wrong_secret_is_refused_in_the_same_words_as_an_unknown_client(service: Secured) -> None:
    client = service.client()
    name, secret = credentials(client, "ann")

    wrong, unknown = fetch(client, (name, secret + "x")), fetch(client, ("x" * 32, secret))

    assert refusal(wrong) == (401, "invalid_client")
    assert wrong.json() == unknown.json()
    assert fetch(client, (name, secret)).status_code == 201


@pytest.mark.parametrize(
    "header",
    [
        None, "Basic", "Basic !", "Basic YQ==", "Basic /////w==", "Bearer YTpi", "YTpi",
        f"Basic {base64.b64encode(b'a' * 40_000).decode()}",
    ],
)  # fmt: skip
def test_what_are_no_credentials_is_refused(service: Secured, header: str | None) -> None:
    headers = {} if header is None else {"Authorization": header}

    answer = service.client().post("/oauth/token", headers=headers)

    assert refusal(answer) == (401, "invalid_client")


def test_an_expired_token_is_told_apart_from_a_wrong_one(tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_bytes(b"k" * 64)
    auth = Authentication(IDENTITIES, signing_keys=(key,))
    claims = {"iss": "purport", "sub": "ann", "exp": int(time.time()) - 1}
    expired = jwt.encode(claims, b"k" * 64)
    with service_of(auth=auth) as service:
        client, socket = service.client(), service.socket()

        over_http = ask(client, expired)
        over_socket = socket.ask({"subscribe": SUBSCRIBE, "authorization": f"Bearer {expired}"})

        assert refusal(over_http) == (401, "invalid_grant")
        assert over_http.headers["www-authenticate"].startswith("Bearer")
        assert (over_socket["status_code"], over_socket["error"]) == (401, "invalid_grant")
        assert ask(client, token(client, "ann")).status_code == 200


def test_keys_are_changed_without_a_stop(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_bytes(b"o" * 64)
    new.write_bytes(b"n" * 64)
    with service_of(auth=Authentication(IDENTITIES, signing_keys=(old,))) as service:
        client = service.client()
        of_ann = credentials(client, "ann")
        before = fetch(client, of_ann).json()["access_token"]
        service.reload(auth=Authentication(IDENTITIES, signing_keys=(new, old)))
        after = fetch(client, of_ann).json()["access_token"]
        meanwhile = [ask(client, one).status_code for one in (before, after)]
        service.reload(auth=Authentication(IDENTITIES, signing_keys=(new,)))

        assert meanwhile == [200, 200]
        assert [ask(client, one).status_code for one in (before, after)] == [401, 200]


def test_settings_with_a_key_that_is_not_there_change_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with service_of() as service:
        client = service.client()
        found = token(client, "ann")

        service.reload(auth=Authentication(IDENTITIES, signing_keys=(tmp_path / "none",)))

        assert "the settings stay as they were" in caplog.text
        assert ask(client, found).status_code == 200


def test_an_identity_that_is_disabled_is_refused_at_once(service: Secured) -> None:
    client = service.client()
    of_ann = credentials(client, "ann")
    found = fetch(client, of_ann).json()["access_token"]

    service.reload(auth=Authentication((Identity("ann", disabled=True), Identity("bob"))))

    assert refusal(ask(client, found)) == (401, "invalid_token")
    assert refusal(fetch(client, of_ann)) == (403, "unauthorized_client")
    assert refusal(register(client, "ann")) == (403, "unauthorized_client")
    service.reload(auth=Authentication((Identity("ann", 7), Identity("bob"))))
    assert ask(client, found).status_code == 200
    assert fetch(client, of_ann).json()["expires_in"] == 7


def test_an_identity_that_is_gone_is_nobodys(service: Secured) -> None:
    client = service.client()
    of_ann = credentials(client, "ann")
    found = fetch(client, of_ann).json()["access_token"]

    service.reload(auth=Authentication((Identity("bob"),)))

    assert refusal(ask(client, found)) == (401, "invalid_token")
    assert refusal(fetch(client, of_ann)) == (401, "invalid_client")


def test_tokens_that_last_are_taken_until_they_are_disabled() -> None:
    with secured(auth=known("ann", "bob", disabled=("bob",))) as service:
        client = service.client()

        assert ask(client, token_of("ann")).status_code == 200
        assert refusal(ask(client, token_of("bob"))) == (401, "invalid_token")
        assert refusal(ask(client, "eyJhbGciOiJIUzI1NiJ9.e30.x")) == (401, "invalid_token")
        service.reload(auth=known("ann", "bob", disabled=("ann",)))
        assert refusal(ask(client, token_of("ann"))) == (401, "invalid_token")
        assert ask(client, token_of("bob")).status_code == 200


def test_who_hears_something_is_cut_off_when_the_token_is_taken_no_more() -> None:
    other = Authentication(tokens=(*known("bob").tokens, Token("ann", token_hash("y" * 40))))
    with secured(auth=known("ann", "bob")) as service:
        cut_off, stays = service.socket("ann"), service.socket("bob")
        for one in (cut_off, stays):
            assert "subscribed" in one.ask({"subscribe": {"purport": "{a > 0}"}})
        service.reload(auth=other)

        service.broker.publish({"a": 1})

        assert cut_off.hear()["error"] == "invalid_token"
        with pytest.raises(ConnectionClosed) as closed:
            cut_off.hear()
        assert closed.value.rcvd is not None and closed.value.rcvd.code == 1008
        assert stays.hear()["notification"]["event"]["a"] == 1


class Passing:
    """A clock that a test moves on."""

    def __init__(self) -> None:
        self.now = 1e9

    def __call__(self) -> float:
        return self.now


def test_who_hears_something_hears_no_more_when_the_token_has_expired() -> None:
    clock = Passing()
    with service_of(clock=clock) as service:
        client = service.client()
        of_ann, of_bob = token(client, "ann"), token(client, "bob")  # for a minute, and an hour
        by_ann, by_both = service.socket(), service.socket()
        asked = {"purport": "{a > 0}", "name": "kept", "durable": True, "alias": "mine"}
        by_ann.ask({"subscribe": {**asked, "authorization": of_ann}})
        by_both.ask({"subscribe": {"purport": "{a > 0}"}, "authorization": of_bob})

        clock.now += 61
        service.broker.publish({"a": 1})
        told = by_ann.hear()

        assert (told["error"], told["status_code"], told["alias"]) == ("invalid_grant", 401, "mine")
        with pytest.raises(ConnectionClosed) as closed:
            by_ann.hear()
        assert closed.value.rcvd is not None and closed.value.rcvd.code == 1008
        assert by_both.hear()["notification"]["event"]["a"] == 1
        assert service.broker.status("kept", who="ann").waiting == 1


def test_who_tells_a_new_token_in_time_goes_on_hearing() -> None:
    clock = Passing()
    with service_of(clock=clock) as service:
        client = service.client()
        of_ann = credentials(client, "ann")
        first = fetch(client, of_ann).json()["access_token"]
        socket = service.socket()
        socket.ask({"subscribe": {"purport": "{a > 0}"}, "authorization": first})

        clock.now += 59
        second = fetch(client, of_ann).json()["access_token"]
        socket.say({"authorization": f"Bearer {second}"})
        wrong = socket.ask({"authorization": "Bearer of nobody"})
        clock.now += 59
        service.broker.publish({"a": 1})
        told = socket.hear()
        also = socket.ask({"subscribe": {"purport": "{a > 0}"}})

        assert wrong["error"] == "invalid_token"
        assert told["notification"]["event"]["a"] == 1
        assert "subscribed" in also


def test_nobody_is_let_in_any_more_by_what_has_expired_or_was_signed_by_others(
    tmp_path: Path,
) -> None:
    path, clock = tmp_path / "signing.key", Passing()
    path.write_text("k" * 64)
    auth = Authentication(IDENTITIES, signing_keys=(path,))
    with secured(auth=auth, clock=clock) as service:
        of_ann = token(service.client(), "ann")

        assert service.auth.lets_in("ann", of_ann)
        assert service.auth.lets_in("ann", f"Bearer {of_ann}")
        assert not service.auth.lets_in("bob", of_ann)
        path.write_text("z" * 64)
        service.reload(auth=auth)
        assert not service.auth.lets_in("ann", of_ann)
        path.write_text("k" * 64)
        service.reload(auth=auth)
        clock.now += 60
        assert not service.auth.lets_in("ann", of_ann)


def test_where_nobody_has_a_name_no_token_is_looked_at() -> None:
    with secured() as service:
        assert ask(service.client(), "whatever").status_code == 200
        assert refusal(register(service.client(), "ann")) == (403, "unauthorized_client")


def test_those_without_a_token_may_be_let_in_and_those_with_a_wrong_one_are_not() -> None:
    with secured(auth=known("ann", anonymous=True)) as service:
        client = service.client()

        assert client.get("/query", params={"query": "ASK {}"}).status_code == 200
        assert refusal(ask(client, "wrong")) == (401, "invalid_token")


def test_who_guesses_secrets_waits_longer_and_longer(service: Secured) -> None:
    client = service.client()
    name, secret = credentials(client, "ann")

    answers = [fetch(client, (name, f"guess {number}")) for number in range(8)]
    right = fetch(client, (name, secret))

    assert [one.status_code for one in answers] == [401] * 5 + [429] * 3
    assert refusal(right) == (429, "too_many_requests")
    assert int(right.headers["retry-after"]) >= 1
    assert fetch(client, credentials(client, "bob")).status_code == 201


def test_who_guesses_identities_waits_too_and_others_do_not(service: Secured) -> None:
    guessing = service.client()
    other = service.client(transport=httpx.HTTPTransport(local_address="127.0.0.2"))

    answers = [register(guessing, f"guess {number}") for number in range(6)]

    assert [one.status_code for one in answers] == [403] * 5 + [429]
    assert register(other, "ann").status_code == 201


def test_many_who_tell_what_is_right_at_the_same_time_do_not_wait(service: Secured) -> None:
    of_ann = credentials(service.client(), "ann")
    clients = [service.client() for _ in range(20)]

    with ThreadPoolExecutor(20) as threads:
        answers = list(threads.map(lambda client: fetch(client, of_ann), clients))

    assert {one.status_code for one in answers} == {201}


def test_many_guesses_at_the_same_time_are_no_way_around(service: Secured) -> None:
    name, _ = credentials(service.client(), "ann")
    clients = [service.client() for _ in range(40)]

    with ThreadPoolExecutor(40) as threads:
        answers = list(threads.map(lambda client: fetch(client, (name, "guess")), clients))

    assert len([one for one in answers if one.status_code == 401]) <= 10


def test_who_has_registered_is_known_after_a_restart(tmp_path: Path) -> None:
    keeping = Keeping(folder=tmp_path / "kept")
    with service_of(broker=keeping) as service:
        of_ann = credentials(service.client(), "ann")
        before = fetch(service.client(), of_ann).json()["access_token"]
    with service_of(broker=keeping) as service:
        client = service.client()

        assert ask(client, before).status_code == 200
        assert fetch(client, of_ann).status_code == 201
        assert refusal(register(client, "ann")) == (403, "unauthorized_client")
    for name in ("clients.json", "signing.key"):
        assert stat.S_IMODE((tmp_path / "kept" / name).stat().st_mode) == 0o600


def test_what_cannot_be_kept_is_not_told_with_its_place(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    with service_of(broker=Keeping(folder=folder)) as service:
        (folder / "clients.json").mkdir()

        answer = register(service.client(), "ann")

        assert refusal(answer) == (500, "failed")
        assert "kept" not in answer.text


def test_no_secret_is_logged_or_told_in_errors(
    service: Secured, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    client, socket = service.client(), service.socket()
    name, secret = credentials(client, "ann")
    found = fetch(client, (name, secret)).json()["access_token"]
    told = [
        fetch(client, (name, secret + "x")).text,
        ask(client, found + "x").text,
        ask(client, found).text,
        client.get("/query", params={"query": "ASK"}, headers={"Authorization": found}).text,
        client.get("/nowhere", headers={"Authorization": found}).text,
        json.dumps(socket.ask({"subscribe": {"sparql": "ASK", "authorization": found}})),
        json.dumps(socket.ask({"subscribe": {**SUBSCRIBE, "authorization": found + "x"}})),
        json.dumps(socket.ask({"subscribe": 5, "authorization": found})),
    ]

    own = [one.getMessage() for one in caplog.records if one.name.startswith("purport")]
    assert any("a wrong client id or secret" in one for one in own)
    for hidden in (secret, found, found.rpartition(".")[2]):
        assert not any(hidden in one for one in (*told, *own))


def test_a_process_says_and_keeps_no_secret(tmp_path: Path) -> None:
    config = tmp_path / "service.toml"
    config.write_text('[[auth.identities]]\nname = "ann"\n[listen]\nlog = "json"\n')
    with running_server(tmp_path / "kept", "--config", str(config)) as server:
        with httpx.Client(base_url=server.url) as client:
            name, secret = credentials(client, "ann")
            found = fetch(client, (name, secret)).json()["access_token"]
            fetch(client, (name, secret + "x"))
            ask(client, found + "x")
            assert ask(client, found).status_code == 200
        kept = b"".join(one.read_bytes() for one in (tmp_path / "kept").rglob("*") if one.is_file())
    log = server.log

    assert {json.loads(line)["level"] for line in log.splitlines()} == {"info", "warning"}
    for hidden in (secret, found):
        assert hidden not in log
        assert hidden.encode() not in kept


def test_a_token_of_tests_is_one() -> None:
    assert bearing("ann") == {"Authorization": f"Bearer {token_of('ann')}"}
    assert bearing(None) == {}
