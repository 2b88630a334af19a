"""Primes are what division by every smaller number says."""

from itertools import islice

from hypothesis import given
from hypothesis import strategies as st

from purport.ontology.primes import LARGEST, first_primes, is_prime, primes_after


def _is_prime_by_division(number: int) -> bool:
    return number > 1 and all(number % one for one in range(2, number))


def test_the_first_primes() -> None:
    divided = [number for number in range(2_000) if _is_prime_by_division(number)]

    for count in range(len(divided)):
        assert first_primes(count) == divided[:count]
    assert first_primes(50_000)[-1] == 611_953


@given(st.integers(-5, 3_000))
def test_whether_a_number_is_prime(number: int) -> None:
    assert is_prime(number) == _is_prime_by_division(number)


def test_large_numbers() -> None:
    assert is_prime(2**61 - 1)
    assert not is_prime(3_215_031_751)  # passes for the witnesses 2, 3, 5 and 7
    assert not is_prime((2**31 - 1) ** 2)
    assert not is_prime(LARGEST + 13)


@given(st.integers(-5, 500))
def test_primes_after_a_number(number: int) -> None:
    larger = [one for one in range(700) if one > number and _is_prime_by_division(one)]

    assert list(islice(primes_after(number), 5)) == larger[:5]
