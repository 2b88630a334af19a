"""Connections to a real Mosquitto: everything that an address may ask for."""

import logging
import socket
import subprocess
import threading
import time
from contextlib import closing, suppress
from itertools import chain
from pathlib import Path

import pytest
import trustme

from purport.errors import UnusablePath
from purport.mqtt.errors import BrokerUnreachable, NotDelivered
from purport.mqtt.figures import State
from purport.mqtt.message import Message
from purport.mqtt.packets import Properties, Publish
from purport.spool.errors import SpoolFull
from purport.spool.inlet import SpoolInlet
from purport.spool.spool import Spool
from tests.mqtt.breaking_proxy import BreakingProxy, breaking_proxy
from tests.mqtt.conftest import Connect
from tests.mqtt.eventually import eventually
from tests.mqtt.mosquitto_server import Mosquitto, running_mosquitto
from tests.storage.postgres_server import free_port


def everything(spool: Spool) -> list[Message]:
    return list(chain.from_iterable(spool.read(spool.first, spool.end)))


def payloads(spool: Spool) -> list[bytes]:
    return [message.payload for message in everything(spool)]


@pytest.mark.parametrize("version", ["5", "3.1.1"])
@pytest.mark.parametrize("qos", [0, 1, 2])
def test_what_is_published_is_kept_in_order(
    mosquitto: Mosquitto, connect: Connect, spool: Spool, version: str, qos: int
) -> None:
    topics = f"order/{version}/{qos}"
    receiver = connect(
        f"{mosquitto.address}/{topics}/+?qos={qos}&version={version}", SpoolInlet(spool)
    )
    sender = connect(f"{mosquitto.address}/?version={version}")
    sent = [b"%d" % number for number in range(300)]

    for payload in sent:
        sender.publish(Publish(f"{topics}/a", payload, qos))
    sender.settle(60)
    eventually(lambda: spool.end == len(sent))

    assert payloads(spool) == sent
    assert {(one.topic, one.qos, one.is_retained) for one in everything(spool)} == {
        (f"{topics}/a", qos, False)
    }
    assert receiver.figures().received == sender.figures().acknowledged == len(sent)
    eventually(lambda: not spool.open_ids)


def test_what_came_while_nobody_was_there_comes_later(
    mosquitto: Mosquitto, connect: Connect, spool: Spool
) -> None:
    for version in ("5", "3.1.1"):
        address = (
            f"{mosquitto.address}/later/{version}/#?client_id=late-{version}&version={version}"
        )
        begin = spool.end
        connect(address, SpoolInlet(spool)).stop()
        connect(mosquitto.address).publish(Publish(f"later/{version}/a", b"1", 1)).wait(20)

        connect(address, SpoolInlet(spool))

        eventually(lambda begin=begin: spool.end == begin + 1)  # type: ignore[misc]


def test_properties_come_with_a_message(
    mosquitto: Mosquitto, connect: Connect, spool: Spool
) -> None:
    connect(f"{mosquitto.address}/properties/#", SpoolInlet(spool))
    properties = Properties(
        content_type="application/cbor", user_properties=(("a", "b"), ("a", "c"))
    )

    connect(mosquitto.address).publish(
        Publish("properties/é", b"\xff\x00", 1, properties=properties)
    ).wait(20)
    eventually(lambda: spool.end == 1)

    [found] = everything(spool)
    assert (found.topic, found.payload) == ("properties/é", b"\xff\x00")
    assert (found.content_type, found.user_properties) == (
        "application/cbor", (("a", "b"), ("a", "c")),
    )  # fmt: skip
    assert found.received_us > 1_700_000_000_000_000


def test_a_group_shares_what_comes(mosquitto: Mosquitto, connect: Connect, tmp_path: Path) -> None:
    spools = [Spool.open(tmp_path / name) for name in ("a", "b")]
    for spool in spools:
        connect(f"{mosquitto.address}/shared/#?share=readers", SpoolInlet(spool))
    sender = connect(mosquitto.address)
    for number in range(50):
        sender.publish(Publish("shared/x", b"%d" % number, 1))
    eventually(lambda: sum(spool.end for spool in spools) == 50)

    assert all(spool.end > 0 for spool in spools)
    assert sorted(chain.from_iterable(map(payloads, spools))) == sorted(
        b"%d" % number for number in range(50)
    )
    for spool in spools:
        spool.close()


def test_what_is_retained_a_birth_and_a_last_will_are_told(
    mosquitto: Mosquitto, connect: Connect, spool: Spool
) -> None:
    connect(mosquitto.address).publish(Publish("told/before", b"old", 1, is_retained=True)).wait(20)
    connect(f"{mosquitto.address}/told/#", SpoolInlet(spool))
    eventually(lambda: spool.end == 1)
    assert everything(spool)[0].is_retained

    with breaking_proxy(mosquitto.port) as proxy:
        _die_and_come_back(connect, proxy, spool)
    connect(mosquitto.address).publish(Publish("told/end", b"end", 1)).wait(20)
    eventually(lambda: payloads(spool)[4:] == [b"end"])


def _die_and_come_back(connect: Connect, proxy: BreakingProxy, spool: Spool) -> None:
    dying = connect(
        proxy.address,
        will=Publish("told/state", b"gone", 1, is_retained=True),
        birth=Publish("told/state", b"here", 1, is_retained=True),
    )
    eventually(lambda: spool.end == 2)
    proxy.cut()
    eventually(lambda: b"gone" in payloads(spool) and dying.figures().reconnects == 1)
    eventually(lambda: payloads(spool) == [b"old", b"here", b"gone", b"here"])

    dying.stop()
    seen = spool.end
    connect(proxy.address).publish(Publish("told/end", b"end", 1)).wait(20)
    eventually(lambda: payloads(spool)[seen:] == [b"end"])


def test_a_message_that_is_too_long_is_rejected_and_the_rest_goes_on(
    mosquitto: Mosquitto, connect: Connect, spool: Spool
) -> None:
    receiver = connect(
        f"{mosquitto.address}/long/#?version=3.1.1&most_bytes=70000", SpoolInlet(spool)
    )
    sender = connect(mosquitto.address)

    for number in range(4):
        sender.publish(Publish("long/a", bytes(3_000_000), 1))
        sender.publish(Publish("long/a", b"%d" % number, 1))
    eventually(lambda: spool.end == 4)

    assert payloads(spool) == [b"0", b"1", b"2", b"3"]
    assert receiver.figures().rejected == 4
    assert receiver.figures().reconnects == 0


def test_a_full_spool_holds_the_broker_back_and_nothing_is_lost(
    mosquitto: Mosquitto, connect: Connect, tmp_path: Path
) -> None:
    with closing(Spool.open(tmp_path / "small", most_bytes=20_000)) as spool:
        with suppress(SpoolFull):
            while True:
                spool.append([Message("before", bytes(1_000))])
        before = spool.end
        receiver = connect(
            f"{mosquitto.address}/full/#?client_id=full&keep_alive=1", SpoolInlet(spool)
        )
        sender = connect(mosquitto.address)
        for number in range(400):
            sender.publish(Publish("full/a", b"%0200d" % number, 1))
        eventually(lambda: receiver.state is State.BLOCKED)
        assert "of at most 20,000" in receiver.figures().last_error
        time.sleep(2.5)  # longer than the broker waits for one who says nothing
        assert spool.end == before

        found: list[Message] = []
        spool.drop(before - 1)

        def are_all_there() -> bool:
            found.extend(chain.from_iterable(spool.read(before + len(found), spool.end)))
            spool.drop(before + len(found) - 1)
            return len(found) >= 400

        eventually(are_all_there)
        assert [int(message.payload) for message in found] == list(range(400))
        eventually(lambda: receiver.state is State.READY)
        assert receiver.figures().reconnects == 0


def test_a_broker_that_is_down_at_first_is_waited_for(
    own_mosquitto: Mosquitto, connect: Connect, spool: Spool, caplog: pytest.LogCaptureFixture
) -> None:
    own_mosquitto.stop()
    with caplog.at_level(logging.INFO, "purport"):
        receiver = connect(
            f"{own_mosquitto.address}/a?client_id=a", SpoolInlet(spool), is_ready=False
        )
        eventually(lambda: receiver.state is State.UNREACHABLE)
        with pytest.raises(BrokerUnreachable, match="Connection refused"):
            receiver.wait_until_ready(0.5)
        own_mosquitto.start()
        receiver.wait_until_ready(20)
        connect(own_mosquitto.address).publish(Publish("a", b"1", 1)).wait(20)
        eventually(lambda: spool.end == 1)

    told = [one.getMessage() for one in caplog.records if "nobody answers" in one.getMessage()]
    assert len(told) == 1


def test_what_is_published_while_a_broker_is_away_comes_when_it_is_back(
    own_mosquitto: Mosquitto, connect: Connect, spool: Spool
) -> None:
    connect(f"{own_mosquitto.address}/a?client_id=a", SpoolInlet(spool))
    sender = connect(f"{own_mosquitto.address}/?client_id=b", most_waiting=3)
    own_mosquitto.stop()
    eventually(lambda: sender.state is State.UNREACHABLE)

    deliveries = [sender.publish(Publish("a", b"%d" % number, 2)) for number in range(3)]
    with pytest.raises(NotDelivered, match="3 messages wait"):
        sender.publish(Publish("a", b"", 1), seconds=0.01)
    with pytest.raises(NotDelivered, match="not acknowledged within"):
        deliveries[0].wait(0.01)
    with pytest.raises(NotDelivered, match="3 messages are not acknowledged"):
        sender.settle(0.01)
    own_mosquitto.start()
    sender.settle(20)

    eventually(lambda: payloads(spool) == [b"0", b"1", b"2"])


def test_one_who_stops_gives_up_what_is_not_acknowledged(connect: Connect) -> None:
    sender = connect(f"mqtt://127.0.0.1:{free_port()}", is_ready=False)
    delivery = sender.publish(Publish("a", b"", 1))

    sender.stop()

    with pytest.raises(NotDelivered, match="closed"):
        delivery.wait(0)
    with pytest.raises(NotDelivered, match="closed"):
        sender.publish(Publish("a", b"", 1))
    assert sender.state is State.STOPPED


@pytest.fixture
def guarded(mosquitto_program: str, tmp_path: Path) -> dict[str, str]:
    """Settings of a broker that lets in ann, with her password, and only to some topics."""
    passwords, rights = tmp_path / "passwords", tmp_path / "rights"
    passwords.touch(0o600)
    subprocess.run(
        ["mosquitto_passwd", "-b", str(passwords), "ann", "mouse"], check=True, capture_output=True
    )
    rights.write_text("user ann\ntopic readwrite open/#\n")
    rights.chmod(0o600)
    return {
        "allow_anonymous": "false",
        "password_file": str(passwords),
        "acl_file": str(rights),
    }


@pytest.mark.parametrize("version", ["5", "3.1.1"])
def test_wrong_credentials_are_said_in_words_and_tried_again(
    guarded: dict[str, str],
    connect: Connect,
    spool: Spool,
    version: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("cat")
    with running_mosquitto(guarded) as broker:
        host = broker.address.removeprefix("mqtt://")
        address = f"mqtt://ann@{host}/open/#?version={version}&password_file={secret}"
        wrong = connect(address, SpoolInlet(spool), is_ready=False)
        eventually(lambda: wrong.state is State.REFUSED)
        with pytest.raises(BrokerUnreachable, match=r"not authorized|wrong user"):
            wrong.wait_until_ready(0.3)
        wrong.stop()
        assert "cat" not in caplog.text
        assert len([one for one in caplog.records if "refused" in one.getMessage()]) == 1

        secret.write_text("mouse\n")
        right = connect(address, SpoolInlet(spool))
        right.publish(Publish("open/a", b"1", 1)).wait(20)
        eventually(lambda: spool.end == 1)
        if version == "5":
            with pytest.raises(NotDelivered, match="not authorized"):
                right.publish(Publish("closed/a", b"1", 1)).wait(20)
            assert right.figures().refused == 1


def test_a_session_that_is_taken_over_is_said_so(mosquitto: Mosquitto, connect: Connect) -> None:
    first = connect(f"{mosquitto.address}/?client_id=twin")
    connect(f"{mosquitto.address}/?client_id=twin")

    eventually(lambda: "same client id" in first.figures().last_error)


def test_a_broker_with_a_certificate_is_trusted_by_those_who_know_its_authority(
    mosquitto_program: str, connect: Connect, spool: Spool, tmp_path: Path
) -> None:
    authority = trustme.CA()
    ca, ours = tmp_path / "ca.pem", tmp_path / "ours.pem"
    authority.cert_pem.write_to_path(ca)
    authority.issue_cert("ann@example.org").private_key_and_cert_chain_pem.write_to_path(ours)
    issued = authority.issue_cert("127.0.0.1", "localhost")
    issued.private_key_pem.write_to_path(tmp_path / "key.pem")
    issued.cert_chain_pems[0].write_to_path(tmp_path / "cert.pem")
    settings = {
        "cafile": str(ca),
        "certfile": str(tmp_path / "cert.pem"),
        "keyfile": str(tmp_path / "key.pem"),
        "require_certificate": "true",
    }
    with running_mosquitto(settings) as broker:
        host = broker.address.removeprefix("mqtt://")
        right = connect(f"mqtts://{host}/a/#?ca={ca}&certificate={ours}", SpoolInlet(spool))
        for number in range(200):
            right.publish(Publish("a/b", b"%0300d" % number, 2))
        eventually(lambda: spool.end == 200)

        stranger = connect(f"mqtts://{host}/a", is_ready=False)
        eventually(lambda: "certificate is not trusted" in stranger.figures().last_error)
        with pytest.raises(BrokerUnreachable):
            connect(f"mqtts://{host}/a?ca={ca}", is_ready=False).wait_until_ready(0.5)
    with pytest.raises(UnusablePath):
        connect(f"mqtts://{host}/a?ca={tmp_path / 'none'}")


def test_one_who_does_not_answer_is_left(connect: Connect) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        waiting = connect(f"mqtt://127.0.0.1:{port}/?connect_seconds=0.1", is_ready=False)

        eventually(lambda: "no answer to the first packet" in waiting.figures().last_error)


def test_one_who_talks_nonsense_is_left(connect: Connect) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            with server.accept()[0] as accepted:
                accepted.recv(1000)
                accepted.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n" * 200)
                accepted.recv(1000)

        answering = threading.Thread(target=answer)
        answering.start()
        waiting = connect(f"mqtt://127.0.0.1:{server.getsockname()[1]}", is_ready=False)
        eventually(lambda: "expected" in waiting.figures().last_error)
        answering.join()
