"""Settings that are read again hold as a whole, or not at all."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from purport.embedded.broker import Broker
from purport.service.auth import Auth
from purport.service.desk import Desk
from purport.service.door import Door
from purport.service.governing import Governing
from purport.service.rule_files import RuleFiles
from purport.service.settings import Authentication, Listening, ServiceSettings, Tls
from tests.service.secured import IN_MEMORY, known, replace_settings

_PUBLIC = Listening(host="0.0.0.0", tls=Tls(Path("chain.pem"), Path("key.pem")))


@pytest.fixture
def desk() -> Iterator[Desk]:
    made = Desk(10)
    yield made
    made.close()


def test_who_listens_beyond_this_machine_does_not_let_go_of_tokens_by_an_empty_file(
    broker: Broker, desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    settings = ServiceSettings(broker=IN_MEMORY, listen=_PUBLIC, auth=known("ann"))
    read = [
        ServiceSettings(),
        replace_settings(settings, auth=Authentication()),
        replace_settings(settings, listen=Listening(insecure=True), auth=Authentication()),
    ]
    auth = Auth(settings)
    governing = Governing(settings, lambda: read[0], None, broker, auth, RuleFiles(broker, None))
    door = Door.__new__(Door)  # nothing here concerns it

    while read:
        asyncio.run(governing.reload(desk, door))
        read.pop(0)

    assert not auth.lets_in(None, None)
    told = [one.getMessage() for one in caplog.records]
    assert len(told) == 3
    assert all(
        "0.0.0.0 can be reached from other machines, which needs tokens" in one for one in told
    )
