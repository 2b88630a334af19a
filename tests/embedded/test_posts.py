"""Rules that post to a service."""

from pathlib import Path

from purport import Matcher
from purport.courier import Patience
from purport.embedded.broker import Broker
from purport.embedded.settings import BrokerSettings
from tests.embedded.services import service

_SETTINGS = BrokerSettings(patience=Patience(tries=3, first_wait_seconds=0.02), closing_seconds=2)


def opened(folder: Path) -> Broker:
    return Broker.open(folder, matcher=lambda: Matcher(measure="exact"), settings=_SETTINGS)


def test_a_match_is_posted_under_its_id(tmp_path: Path) -> None:
    with service() as state, opened(tmp_path) as broker:
        broker.subscribe(f'when {{heat > 30}} as alarm post "{state.url}"')
        broker.publish({"@id": "e1", "heat": 31, "room": 112})
        state.await_requests(1)

    [body] = state.bodies
    assert body["id"] == "alarm:0"
    assert state.keys == [f"alarm:0@{body['at']}"]
    assert body["event"] == {"@id": "e1", "heat": 31, "room": 112}
    assert body["explanation"] == [
        {
            "predicate": "heat > 30",
            "attribute": "heat",
            "value": "31",
            "similarity": 1.0,
            "probability": 1.0,
        }
    ]


def test_a_service_that_is_down_is_tried_again(tmp_path: Path) -> None:
    with service(503, 503) as state, opened(tmp_path) as broker:
        broker.subscribe(f'when {{heat > 30}} as alarm post "{state.url}"')
        broker.publish({"@id": "e1", "heat": 31})
        state.await_requests(3)

        assert [body["id"] for body in state.bodies] == ["alarm:0"]
        assert broker.failures() == []


def test_a_service_that_refuses_is_recorded_and_others_go_on(tmp_path: Path) -> None:
    with service(400) as state, opened(tmp_path) as broker:
        broker.subscribe(f'when {{heat > 30}} as alarm post "{state.url}"')
        every = broker.subscribe("{heat > 0} as every")
        broker.publish_all([{"@id": "e1", "heat": 31}, {"@id": "e2", "heat": 32}])
        state.await_requests(2)

        assert [body["event"]["@id"] for body in state.bodies] == ["e2"]
        [failed] = broker.failures()
        assert (failed.subscription_id, failed.event_id) == ("alarm", "e1")
        assert "answers 400" in failed.reason
        assert len(list(every.waiting())) == 2


def test_what_was_not_posted_is_posted_after_a_restart(tmp_path: Path) -> None:
    with service(503, 503) as state:
        settings = BrokerSettings(patience=Patience(first_wait_seconds=60), closing_seconds=5)
        broker = Broker.open(tmp_path, matcher=lambda: Matcher(measure="exact"), settings=settings)
        broker.subscribe(f'when {{heat > 30}} as alarm post "{state.url}"')
        broker.publish({"@id": "e1", "heat": 31})
        state.await_requests(1)
        broker.close()
        assert state.bodies == []

        with opened(tmp_path):
            state.await_requests(2)

    assert [body["id"] for body in state.bodies] == ["alarm:0"]


def test_a_rule_that_goes_posts_no_more(tmp_path: Path) -> None:
    with service() as state, opened(tmp_path) as broker:
        broker.subscribe(f'when {{heat > 30}} as alarm post "{state.url}"')
        broker.publish({"heat": 31})
        state.await_requests(1)
        broker.unsubscribe("alarm")
        broker.publish({"heat": 32})

    assert len(state.bodies) == 1
