"""What the kernel claims of a text is what Python says of it."""

import uuid

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from purport.matching.scales import microseconds
from purport.matching.text_kernel import IDENTIFIER, NUMBER, TIME, UNDECIDED, read_texts
from purport.model.term import Time
from purport.model.units import Quantity
from purport.model.words import is_wordless, spelt_value
from tests.strategies.terms import texts, times

numbers = st.one_of(
    st.integers(-(10**18), 10**18).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.decimals(-1000, 1000, places=4).map(str),
    st.from_regex(r"[+-]?[0-9]{1,17}(\.[0-9]{0,17})?", fullmatch=True),
)
instants = st.one_of(
    times.map(lambda time: time.instant.isoformat()),
    times.map(lambda time: time.instant.isoformat(timespec="milliseconds").replace("+00:00", "Z")),
    st.from_regex(r"20[0-9]{2}-[01]\d-[0-3]\dT[0-2]\d:[0-6]\d:[0-6]\dZ?", fullmatch=True),
)
identifiers = st.one_of(st.uuids().map(str), st.from_regex(r"[0-9a-fA-FxX]{10,20}", fullmatch=True))


def read(several: list[str]) -> tuple[list[int], list[float]]:
    encoded = [text.encode("utf-8", "surrogatepass") for text in several]
    ends = np.cumsum([len(text) for text in encoded], dtype=np.int64)
    starts = np.concatenate([[0], ends[:-1]]).astype(np.int64)
    kinds, found = np.zeros(len(several), np.int32), np.zeros(len(several), np.float64)
    read_texts(np.frombuffer(b"".join(encoded), np.uint8), starts, ends, kinds, found)
    return kinds.tolist(), found.tolist()


@given(st.lists(st.one_of(numbers, instants, identifiers, texts), min_size=1, max_size=8))
@example(["-0.1", "0.30000000000000004", "007", "1.", "-", "2024-02-29T00:00:00Z", ""])
@example(["123456789012B", "1234567890C2", "12345678901234e5", "a23456789012"])
@example(["2023-02-29T00:00:00Z", "1234567890e1", "123456789012", "aa:bb:cc:dd:ee:ff"])
def test_a_claim_is_what_python_says(several: list[str]) -> None:
    for text, kind, number in zip(several, *read(several), strict=True):
        spelt = spelt_value(text)
        if kind == NUMBER:
            assert isinstance(spelt, Quantity)
            assert spelt.unit is None
            assert spelt.magnitude == number
        elif kind == TIME:
            assert isinstance(spelt, Time)
            assert microseconds(spelt.instant) == number
        elif kind == IDENTIFIER:
            assert spelt is None
            assert is_wordless(text)
        else:
            assert kind == UNDECIDED


@settings(max_examples=500)
@given(st.floats(0, 1e6).map(lambda number: max(number, 1e-4)), st.integers(0, 2))
@example(0.30000000000000004, 0)
def test_the_numbers_that_programs_write_are_read_to_the_last_digit(
    number: float, more: int
) -> None:
    text = repr(number) + "5" * more  # up to 18 digits, and some that lie between two doubles
    kinds, found = read([text, f"-{text}"])

    if kinds == [NUMBER, NUMBER]:
        assert found == [float(text), -float(text)]
    else:
        assert more  # no double lies in the middle between two others


def test_what_readings_look_like_is_not_left_to_python() -> None:
    several = ["21.5", "-3", "2016-04-11T13:24:19Z", "2016-12-31T13:24:19.250+02:00"]
    kinds, _ = read([*several, str(uuid.uuid4()), "laptop"])

    assert kinds == [NUMBER, NUMBER, TIME, TIME, IDENTIFIER, UNDECIDED]
