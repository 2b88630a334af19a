"""A subscriber in a process of its own: prints when it hears, and how long each event took.

`python -m benchmarks.service_listener PORT COUNT`
"""

import asyncio
import json
import sys
import time

from tests.service.light_client import LightSocket


async def listen(port: int, count: int) -> None:
    """Hear so many events, each of which says when it was sent."""
    seconds: list[float] = []
    is_done = asyncio.Event()

    def hear(text: bytes) -> None:
        now = time.time()
        told = json.loads(text).get("notification")
        if told is None:
            print("ready", flush=True)
            return
        seconds.append(now - told["event"]["sent"])
        if len(seconds) == count:
            is_done.set()

    _, socket = await asyncio.get_running_loop().create_connection(
        lambda: LightSocket("/subscribe", hear), "127.0.0.1", port
    )
    await socket.opened
    socket.say(b'{"subscribe": {"purport": "{a = 1}"}}')
    await is_done.wait()
    print(json.dumps(sorted(seconds)))


if __name__ == "__main__":
    asyncio.run(listen(int(sys.argv[1]), int(sys.argv[2])))
