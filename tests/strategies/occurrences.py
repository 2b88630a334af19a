"""Occurrences at few times, so that they touch, overlap and fall together."""

from hypothesis import strategies as st

from purport.model.event import Statement
from purport.model.term import Text
from purport.model.units import Quantity
from purport.temporal.occurrence import Occurrence
from tests.strategies import terms

IDS = [
    "a",
    "b",
    "B",
    "c",
    "d ",
    "d",
    "é",
    "\U0001f600",
    "\uffff",
    "e\0f",
    "x" * 300,
    "x" * 299 + "y",
]
times = st.integers(0, 12)
_small = st.builds(
    Statement,
    st.sampled_from([Text("A"), Text("C"), Text("room")]),
    st.one_of(
        st.integers(0, 4).map(Quantity), st.sampled_from([Text("red"), Text("Red "), Text("3")])
    ),
)
_any = st.builds(Statement, terms.attributes, terms.terms)


@st.composite
def occurrences(draw: st.DrawFn, *, odd: bool = False) -> Occurrence:
    """An occurrence of one of a few ids; with `odd`, it may say anything."""
    start = draw(times)
    length = draw(st.one_of(st.none(), st.integers(0, 9)))
    said = draw(st.lists(st.one_of(_small, _any) if odd else _small, max_size=3))
    return Occurrence(
        draw(st.sampled_from(IDS)),
        start,
        None if length is None else start + length,
        tuple(said),
        draw(st.integers(0, 9)),
        is_in_parts=draw(st.booleans()),
        is_late=draw(st.sampled_from([False, False, False, True])),
    )
