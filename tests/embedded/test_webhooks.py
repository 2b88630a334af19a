"""Subscriptions whose notifications are posted to a service."""

import socket
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from purport import InvalidInput
from purport.broker.access import AccessRule, AccessRules, Action, Forbidden
from purport.courier import Patience
from purport.embedded.broker import Broker
from purport.embedded.settings import BrokerSettings
from tests.embedded.brokers import exact
from tests.embedded.services import service

QUICK = Patience(tries=3, first_wait_seconds=0.01, longest_wait_seconds=0.02)
SETTINGS = BrokerSettings(patience=QUICK, closing_seconds=2)


def opened(folder: Path, settings: BrokerSettings = SETTINGS) -> Broker:
    return Broker.open(folder, matcher=exact, settings=settings)


def patient(most: int) -> BrokerSettings:
    """Settings of a broker that pauses after so many failures."""
    return replace(SETTINGS, patience=Patience(3, 3, 0.01, 0.02, failures_before_pause=most))


def until(is_so: Callable[[], object]) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + 10
    while not is_so():
        assert time.monotonic() < deadline
        threading.Event().wait(0.005)


def delivered(broker: Broker, name: str = "hot") -> int:
    status = broker.webhook_status(name)
    assert status is not None
    return status.delivered


def is_paused(broker: Broker, name: str = "hot") -> bool:
    return broker.registration(name).is_paused


def test_notifications_are_posted_in_order_under_their_keys(tmp_path: Path) -> None:
    with service() as state, opened(tmp_path) as broker:
        subscriber = broker.subscribe("{heat > 30} as hot", webhook=state.url)
        broker.publish_all([{"@id": f"e{number}", "heat": 31 + number} for number in range(50)])
        until(lambda: delivered(broker) == 50)

        assert subscriber.take(timeout=None) is None
        assert len(list(subscriber.replay())) == 50
        assert broker.registration("hot").webhook == state.url
    assert [body["sequence"] for body in state.bodies] == list(range(50))
    assert state.keys[7] == f"hot:7@{state.bodies[7]['at']}"


def test_a_pattern_in_time_is_posted(tmp_path: Path) -> None:
    with service() as state, opened(tmp_path) as broker:
        broker.subscribe("{a = 1} then {b = 1} within 10 s as both", webhook=state.url)
        broker.publish_all([{"@id": "first", "a": 1}, {"@id": "second", "b": 1}])
        until(lambda: delivered(broker, "both") == 1)
    assert state.bodies[0]["id"] == "both:0"


def test_the_answer_to_a_query_is_posted(tmp_path: Path) -> None:
    with service() as state, opened(tmp_path) as broker:
        query = "SELECT ?dim WHERE { <urn:lamp> <urn:dim> ?dim }"
        broker.subscribe(query, name="dim", webhook=state.url)
        broker.update("INSERT DATA { <urn:lamp> <urn:dim> 5 }")
        until(lambda: delivered(broker, "dim") == 2)
    assert [body["whole"] for body in state.bodies] == [True, False]
    [added] = state.bodies[1]["addedResults"]["results"]["bindings"]
    assert added["dim"]["value"] == "5"


def test_a_webhook_comes_goes_and_changes_with_its_subscription(tmp_path: Path) -> None:
    with service() as old, service() as new, opened(tmp_path) as broker:
        broker.subscribe("{heat > 30} as hot")
        broker.publish({"@id": "e1", "heat": 31})
        broker.change("hot", webhook=old.url)
        until(lambda: delivered(broker) == 1)
        broker.change("hot", webhook=new.url)
        broker.change("hot", most_waiting=7)
        broker.publish({"@id": "e2", "heat": 31})
        until(lambda: delivered(broker) == 1)
        with pytest.raises(InvalidInput, match="http"):
            broker.change("hot", webhook="gopher://here/")
        broker.change("hot", webhook="")
        assert broker.webhook_status("hot") is None
    assert [body["event"]["@id"] for body in (*old.bodies, *new.bodies)] == ["e1", "e2"]


def test_a_service_that_is_down_for_long_loses_nothing(tmp_path: Path) -> None:
    with service(*[503] * 10) as state, opened(tmp_path) as broker:
        broker.subscribe("{heat > 30} as hot", webhook=state.url)
        broker.publish_all([{"@id": "e1", "heat": 31}, {"@id": "e2", "heat": 32}])
        until(lambda: delivered(broker) == 2)

        status = broker.webhook_status("hot")
        [failed] = broker.failures()
        assert failed.event_id == "e1"
        assert status is not None
        assert status.last_failure is not None
        assert status.last_failure.startswith("answers 503")
        assert status.last_failure_at is not None
        assert status.last_success_at is not None
        assert status.last_success_at >= status.last_failure_at
        assert status.consecutive_errors == 0
    assert [body["event"]["@id"] for body in state.bodies] == ["e1", "e2"]


def test_too_many_failures_in_a_row_pause_and_resuming_goes_on(tmp_path: Path) -> None:
    with service(*[503] * 5) as state:
        with opened(tmp_path, patient(5)) as broker:
            broker.subscribe("{heat > 30} as hot", webhook=state.url, most_waiting=1)
            broker.publish({"@id": "e1", "heat": 31})
            until(lambda: is_paused(broker))
            status = broker.webhook_status("hot")

            assert status is not None
            assert status.consecutive_errors == 5
            assert broker.registration("hot").pause_reason == "failing"
            broker.publish({"@id": "e2", "heat": 32})
        assert state.statuses == []

        with opened(tmp_path, patient(5)) as broker:  # which stays silent
            broker.publish({"@id": "e3", "heat": 33})
            assert broker.registration("hot").is_failing
            assert state.bodies == []
            broker.resume("hot")
            until(lambda: delivered(broker) == 1)
            broker.publish({"@id": "e4", "heat": 34})
            until(lambda: delivered(broker) == 2)
    assert [body["event"]["@id"] for body in state.bodies] == ["e1", "e4"]


def test_what_is_refused_for_good_is_given_up_and_too_much_of_it_pauses(tmp_path: Path) -> None:
    with service(400, 200, 410, 410) as state, opened(tmp_path, patient(2)) as broker:
        broker.subscribe("{heat > 30} as hot", webhook=state.url)
        broker.publish_all([{"@id": f"e{number}", "heat": 31} for number in range(5)])
        until(lambda: is_paused(broker))

        assert [body["event"]["@id"] for body in state.bodies] == ["e1"]
        assert [one.event_id for one in broker.failures()] == ["e0", "e2", "e3"]
        broker.resume("hot")
        until(lambda: delivered(broker) == 2)
    assert [body["event"]["@id"] for body in state.bodies] == ["e1", "e4"]


def test_a_redirect_is_not_followed(tmp_path: Path) -> None:
    with service() as other, service(307) as state, opened(tmp_path) as broker:
        state.headers["Location"] = other.url
        broker.subscribe("{heat > 30} as hot", webhook=state.url)
        broker.publish({"heat": 31})
        until(broker.failures)
    assert other.bodies == []


def test_a_service_is_left_alone_for_as_long_as_it_asks(tmp_path: Path) -> None:
    patience = Patience(first_wait_seconds=0.01, longest_wait_seconds=60)
    with (
        service(429) as state,
        opened(tmp_path, replace(SETTINGS, patience=patience)) as broker,
    ):
        state.headers["Retry-After"] = "1"
        broker.subscribe("{heat > 30} as hot", webhook=state.url)
        began = time.monotonic()
        broker.publish({"heat": 31})
        until(lambda: delivered(broker) == 1)
    assert time.monotonic() - began >= 1


def test_a_service_that_hangs_delays_no_other(tmp_path: Path) -> None:
    with service(is_stuck=True) as stuck, service() as state, opened(tmp_path) as broker:
        for number in range(5):
            broker.subscribe(f"{{heat > 30}} as stuck{number}", webhook=stuck.url)
        broker.subscribe("{heat > 30} as hot", webhook=state.url)
        broker.publish_all([{"heat": 31}] * 20)
        stuck.await_requests(5)
        until(lambda: delivered(broker) == 20)
        stuck.may_answer.set()
        until(lambda: all(delivered(broker, f"stuck{number}") == 20 for number in range(5)))


def test_a_service_that_answers_after_long_counts_with_those_that_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("purport.embedded.webhook.LONG_SECONDS", 0.0)
    with service() as state, opened(tmp_path) as broker:
        broker.subscribe("{heat > 30} as hot", webhook=state.url)
        webhook = broker._listeners._webhooks["hot"]
        assert not webhook.holds_up
        broker.publish({"heat": 31})
        until(lambda: delivered(broker) == 1)
        assert webhook.holds_up


def test_many_webhooks_share_a_few_threads(tmp_path: Path) -> None:
    before = threading.active_count()
    with service() as state, Broker.in_memory(matcher=exact, settings=SETTINGS) as broker:
        for number in range(300):
            broker.subscribe(f"{{a = {number}}} as s{number}", webhook=state.url)
        until(lambda: broker._listeners._post_office._idle > 0)
        assert threading.active_count() - before < 50
        broker.publish_all([{"a": number} for number in range(300)])
        until(lambda: len(state.bodies) == 300)
        assert broker._listeners._post_office.threads <= 32


def test_an_address_that_changes_is_used_from_then_on(tmp_path: Path) -> None:
    with service() as old, service() as new, opened(tmp_path) as broker:
        broker.subscribe("{heat > 30} as hot", webhook=old.url)
        broker.publish({"@id": "e1", "heat": 31})
        until(lambda: delivered(broker) == 1)
        broker.subscribe("{heat > 30} as hot", webhook=new.url)
        broker.publish({"@id": "e2", "heat": 31})
        until(lambda: delivered(broker) == 1)
        plain = broker.subscribe("{heat > 30} as hot")
        assert broker.webhook_status("hot") is None
        broker.publish({"@id": "e3", "heat": 31})

        assert [one.match.event.id for one in plain.waiting()] == ["e3"]
        assert [one.webhook for one in broker.versions("hot")] == [old.url, new.url, ""]
    assert [len(old.bodies), len(new.bodies)] == [1, 1]


def test_one_that_ends_is_posted_no_more(tmp_path: Path) -> None:
    with service(*[503] * 99) as state, opened(tmp_path) as broker:
        broker.subscribe("{heat > 30} as hot", webhook=state.url)
        broker.publish({"heat": 31})
        state.await_requests(1)
        broker.unsubscribe("hot")
        with pytest.raises(InvalidInput):
            broker.webhook_status("hot")
    assert state.bodies == []


def test_what_is_handed_over_at_most_once_is_tried_again_in_one_process(tmp_path: Path) -> None:
    with service(503, 503) as state, opened(tmp_path) as broker:
        broker.subscribe("{heat > 30} as hot", webhook=state.url, delivery="at most once")
        broker.publish_all([{"heat": 31}, {"heat": 32}])
        until(lambda: delivered(broker) == 2)
    assert [body["sequence"] for body in state.bodies] == [0, 1]


def test_a_name_in_any_letters_is_a_header(tmp_path: Path) -> None:
    with service() as state, opened(tmp_path) as broker:
        broker.subscribe("{heat > 30}", name="熱い", webhook=state.url)
        broker.publish({"heat": 31})
        until(lambda: delivered(broker, "熱い") == 1)
    assert state.keys == [f"%E7%86%B1%E3%81%84:0@{state.bodies[0]['at']}"]
    assert state.bodies[0]["subscription"] == "熱い"


@pytest.mark.parametrize(
    ("asked", "webhook", "said"),
    [
        ("{a > 0}", "ftp://here/", "expected an address with http"),
        ("{a > 0}", "http://ann:secret@here/", "names a user"),
        ("{a > 0}", 7, "expected the address of a webhook, got 7"),
        ("when {a > 0} as r publish {b = 1}", "http://here/", "a rule does what it says"),
    ],
)
def test_what_cannot_be_a_webhook_is_refused(asked: str, webhook: str, said: str) -> None:
    with Broker.in_memory(matcher=exact) as broker:
        with pytest.raises(InvalidInput, match=said) as caught:
            broker.subscribe(asked, webhook=webhook)
        assert "secret" not in str(caught.value)
        assert broker.registrations() == []


def test_nothing_is_handed_over_twice() -> None:
    with Broker.in_memory(matcher=exact) as broker:
        with pytest.raises(InvalidInput, match="to a callback or to a webhook"):
            broker.subscribe("{a > 0} as x", lambda _: None, webhook="http://localhost:9/")
        broker.subscribe("{a > 0} as x", webhook="http://localhost:9/")
        with pytest.raises(InvalidInput, match="to a callback or to a webhook"):
            broker.subscriber("x", lambda _: None)


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost/x",
        "http://10.0.0.1/x",
        "http://[::1]:80/",
        "http://169.254.169.254/",
        "http://127.1/x",
        "http://0x7f000001/",
        "http://[::ffff:10.0.0.1]/",
        "http://a.localhost./",
    ],
)
def test_private_networks_may_be_refused(url: str) -> None:
    settings = BrokerSettings(webhooks_to_private=False)
    with Broker.in_memory(matcher=exact, settings=settings) as broker:
        with pytest.raises(InvalidInput, match="private network"):
            broker.subscribe("{a > 0} as x", webhook=url)
        with pytest.raises(InvalidInput, match="private network"):
            broker.import_registry(f'when {{a > 0}} as r post "{url}"')
        assert broker.registrations() == []


def test_names_are_looked_up_by_those_who_post_and_nobody_else_waits_for_that(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    threads, looked_up = set(), socket.getaddrinfo

    def leading_home(host: Any, port: Any, *more: Any, **options: Any) -> Any:
        if options.get("flags", 0) & socket.AI_NUMERICHOST:
            return looked_up(host, port, *more, **options)
        threads.add(threading.current_thread())
        return looked_up("127.0.0.1", port, *more, **options)

    monkeypatch.setattr(socket, "getaddrinfo", leading_home)
    strict = replace(patient(2), webhooks_to_private=False)
    with (
        service() as state,
        Broker.in_memory(matcher=exact, settings=strict) as broker,
    ):
        broker.subscribe("{a > 0} as hot", webhook=f"http://far.example:{urlsplit(state.url).port}")
        broker.change("hot", webhook=f"http://farther.example:{urlsplit(state.url).port}")
        assert threads == set()
        broker.publish({"a": 1})
        until(lambda: is_paused(broker))

        assert threads and threading.current_thread() not in threads
        assert "private network" in broker.failures()[0].reason
    assert state.bodies == []


def test_one_that_leads_into_a_private_network_later_is_sent_nothing(tmp_path: Path) -> None:
    with service() as state:
        with opened(tmp_path) as broker:
            broker.subscribe("{a > 0} as hot", webhook=state.url)
        strict = replace(patient(2), webhooks_to_private=False)
        with opened(tmp_path, strict) as broker:
            broker.publish({"a": 1})
            until(lambda: is_paused(broker))
            [failed] = broker.failures()
        assert "private network" in failed.reason
    assert state.bodies == []


def test_a_registry_keeps_them(tmp_path: Path) -> None:
    with opened(tmp_path) as broker, Broker.in_memory(matcher=exact) as other:
        broker.subscribe("{a > 0} as x", webhook="http://localhost:9/x")
        broker.subscribe("{a > 0} as y")
        text = broker.export_registry()
        other.import_registry(text)

        assert [one.webhook for one in other.registrations()] == ["http://localhost:9/x", ""]
        assert text.count("webhook") == 1


def test_their_state_is_shown_to_those_who_may_see_it() -> None:
    may = AccessRule(frozenset({"ann", "eve"}), frozenset({Action.SUBSCRIBE}))
    access = AccessRules((may,))
    settings = BrokerSettings(access=access)
    with Broker.in_memory(matcher=exact, settings=settings) as broker:
        broker.subscribe("{a > 0} as x", owner="ann", webhook="http://localhost:9/x?token=1")
        status = broker.webhook_status("x", who="ann")
        assert status is not None
        assert status.address == "http://localhost:9/x?..."
        with pytest.raises(Forbidden):
            broker.webhook_status("x", who="eve")
        broker.change("x", most_waiting=3, who="ann")
        assert broker.webhook_status("x", who="ann") == status


@settings(max_examples=settings().max_examples // 4, deadline=None)
@given(st.lists(st.sampled_from([200, 200, 503, 429, 400, 404]), max_size=20), st.booleans())
def test_whatever_a_service_answers_what_it_takes_is_in_order(
    statuses: list[int], restarts: bool
) -> None:
    count = 6
    patience = Patience(2, 2, 0.0, 0.0, failures_before_pause=0)
    settings = BrokerSettings(patience=patience)
    refused, taken, expected = 0, 0, []
    for status in [*statuses, *[200] * count]:
        if taken + refused < count and status not in (503, 429):
            if status == 200:
                expected.append(taken + refused)
            taken, refused = taken + (status == 200), refused + (status != 200)
    with service(*statuses) as state, Broker.in_memory(matcher=exact, settings=settings) as broker:
        broker.subscribe("{a > 0} as hot", webhook=state.url)
        for number in range(count):
            broker.publish({"a": number + 1})
            if restarts:
                broker.pause("hot")
                broker.resume("hot")
        until(lambda: delivered(broker) == len(expected) and _waiting(broker) == 0)

        assert [body["sequence"] for body in state.bodies] == expected


def _waiting(broker: Broker) -> int:
    cursor = broker._ledger.cursor("hot")
    assert cursor is not None
    return cursor.waiting
