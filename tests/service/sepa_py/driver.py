"""Does with sepy what lines of JSON say, and answers each with a line.

What the client is told comes as further lines. The client is used as it was published; it has an
environment of its own, so nothing of ours is imported here.
"""

from __future__ import annotations

import importlib
import json
import sys
import threading
from pathlib import Path
from typing import Any


class Driver:
    """A client, and what can be done with it."""

    def __init__(self) -> None:
        self._answers = sys.stdout
        sys.stdout = sys.stderr  # where the client prints now and then
        self._writing = threading.Lock()
        self._begun: dict[str, tuple[str, threading.Thread]] = {}
        self._sepa: Any = None

    def begin(self, profile: str, identity: str | None = None) -> None:
        """Read a profile; registration and tokens are the client's own matter."""
        yaml: Any = importlib.import_module("yaml")
        sap = importlib.import_module("sepy.SAPObject").SAPObject(
            yaml.safe_load(Path(profile).read_text())
        )
        self._sepa = importlib.import_module("sepy.SEPA").SEPA(sapObject=sap, client_id=identity)

    begin_secure = begin

    def use_token(self, token: str) -> None:
        self._sepa.connectionManager.token = token

    def query(self, text: str) -> Any:
        return self._sepa.sparql_query(text)

    def update(self, text: str) -> Any:
        return self._sepa.sparql_update(text)

    def named_query(self, name: str, bindings: dict[str, str]) -> Any:
        return self._sepa.query(name, forcedBindings=bindings)

    def named_update(self, name: str, bindings: dict[str, str]) -> Any:
        return self._sepa.update(name, forcedBindings=bindings)

    def subscribe(self, text: str, alias: str, graphs: list[str] | None = None) -> dict[str, str]:
        return self._begin(self._sepa.sparql_subscribe, text, alias, default_graph=graphs)

    def named_subscribe(self, name: str, alias: str, bindings: dict[str, str]) -> dict[str, str]:
        return self._begin(self._sepa.subscribe, name, alias, forcedBindings=bindings)

    def unsubscribe(self, alias: str) -> None:
        """Wait until the client has closed its socket, which it does when that is confirmed."""
        spuid, thread = self._begun.pop(alias)
        self._sepa.unsubscribe(spuid)
        thread.join()

    def _begin(self, subscribe: Any, what: str, alias: str, **more: object) -> dict[str, str]:
        """Subscribe; each subscription of the client has a socket and a thread of its own."""

        def tell(added: object, removed: object) -> None:
            content = {"added": added, "removed": removed}
            self.say({"event": "notification", "alias": alias, "content": content})

        before = threading.enumerate()
        spuid = subscribe(what, alias, handler=tell, **more)
        [thread] = (one for one in threading.enumerate() if one not in before)
        self._begun[alias] = spuid, thread
        return {"spuid": spuid, "alias": alias}

    def say(self, message: object) -> None:
        """Write a line."""
        with self._writing:
            self._answers.write(json.dumps(message) + "\n")
            self._answers.flush()


def main() -> None:
    """Do what is asked until nothing more is."""
    driver = Driver()
    for line in sys.stdin:
        asked = json.loads(line)
        do = getattr(driver, asked.pop("do"))
        try:
            driver.say({"done": do(**asked)})
        except Exception as error:  # noqa: BLE001 - whatever the client raises is an answer
            driver.say({"failed": {"kind": type(error).__name__, "body": str(error)}})


if __name__ == "__main__":
    main()
