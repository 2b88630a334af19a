"""What waits for brokers that died, while others are told of it on other ways."""

import asyncio

from tests.service.overlay_services import OverlayNetwork, near
from tests.service.test_overlay import run


def test_what_waits_for_two_dead_brokers_does_not_grow_while_others_come_and_go() -> None:
    async def story(made: OverlayNetwork) -> None:
        services = {
            name: await made.add(name, *(near(other) for other in "abcd" if other != name))
            for name in "abcd"
        }
        for one in services.values():
            await one.subscribe("{heat > 0} as hot")
        await made.settle()
        for name in "cd":
            await services[name].end(is_killed=True)
        for number in range(20):
            await services["a"].publish({"@id": f"e{number}", "heat": 31})
        for number in range(20):
            await services["b"].subscribe(f"{{heat < -{number}, x{number} = 1}} as cold{number}")
            await asyncio.sleep(0.06)
        status = [await services[one].overlay.status() for one in "ab"]
        waiting = [link.events.waiting for one in status for link in one.neighbours]
        assert sum(waiting) <= 20 * 4
        for name in "cd":
            await services[name].start()
        await made.settle()

        for one in services.values():
            assert sorted(one.told("hot")) == sorted(f"e{number}" for number in range(20))

    run(story)
