"""JSON that is nested too deep is refused, whatever its strings have in them."""

import json
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from purport.errors import InvalidInput
from purport.service import json_depth
from purport.service.json_depth import require_shallow

JSON = st.recursive(
    st.none() | st.integers() | st.text(alphabet='[]{}"\\ aé'),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(alphabet='[{"\\a', max_size=3), inner, max_size=4)
    ),
    max_leaves=30,
)


def depth_of(value: object) -> int:
    if isinstance(value, dict):
        return 1 + max(map(depth_of, value.values()), default=0)
    if isinstance(value, list):
        return 1 + max(map(depth_of, value), default=0)
    return 0


def is_shallow(text: bytes, depth: int) -> bool:
    try:
        require_shallow(text, depth)
    except InvalidInput:
        return False
    return True


@given(JSON, st.integers(1, 6), st.booleans())
def test_it_is_refused_exactly_if_it_is_deeper(value: object, depth: int, is_ascii: bool) -> None:
    text = json.dumps(value, ensure_ascii=is_ascii).encode()

    assert is_shallow(text, depth) == (depth_of(value) <= depth)


@given(JSON, st.integers(1, 6), st.integers(1, 5))
def test_it_does_not_matter_how_it_is_portioned(value: object, depth: int, portion: int) -> None:
    with patch.object(json_depth, "_PORTION", portion):
        assert is_shallow(json.dumps(value).encode(), depth) == (depth_of(value) <= depth)


@given(st.text(alphabet='[]{}"\\a').map(str.encode), st.integers(1, 4))
def test_whatever_is_sent_is_judged(text: bytes, depth: int) -> None:
    require_shallow(text, len(text) + 1)
    is_shallow(text, depth)


@pytest.mark.parametrize(
    "text", [b"[" * 1_000_000, b'"' + b'\\"' * 1_000_000, b"]" * 1_000_000, b'[{"a":' * 200_000]
)
def test_long_nonsense_takes_no_time(text: bytes) -> None:
    is_shallow(text, 64)


def test_a_broken_but_shallow_text_is_left_to_whoever_reads_it() -> None:
    require_shallow(b"[[[1", 3)
    require_shallow(b"]]]]]]", 3)
