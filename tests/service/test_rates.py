"""How fast clients may ask, and how those who guess are slowed down."""

from purport.service.brake import Brake
from purport.service.rates import Rates


class Time:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_client_may_ask_for_so_much_in_a_second() -> None:
    clock = Time()
    rates = Rates(10, clock=clock)

    assert [rates.wait("a") for _ in range(10)] == [0.0] * 10
    assert rates.wait("a") > 0
    assert rates.wait("b") == 0
    clock.now += 0.1
    assert rates.wait("a") == 0
    assert rates.wait("a") > 0


def test_the_table_of_clients_is_bounded() -> None:
    rates = Rates(1, most_clients=3, clock=Time())

    for number in range(100):
        assert rates.wait(f"client {number}") == 0
    assert len(rates._buckets) == 3


def test_those_who_guess_wait_longer_each_time() -> None:
    clock = Time()
    brake = Brake(clock=clock)

    waits = []
    for _ in range(8):
        brake.fail("client")
        waits.append(brake.wait("client"))

    assert waits == [0, 0, 0, 0, 1, 2, 4, 8]
    assert brake.wait("another") == 0
    clock.now += 8
    assert brake.wait("client") == 0
    brake.release("client")
    assert brake.wait("client") == 0


def test_nobody_waits_for_ever_and_the_table_of_failures_is_bounded() -> None:
    brake = Brake(most=10, clock=Time())

    for number in range(100):
        brake.fail("client")
        brake.fail(f"other {number}")

    assert brake.wait("client") == 300
    assert len(brake._failures) == 10
