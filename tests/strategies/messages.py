"""Messages as a spool keeps them."""

from hypothesis import strategies as st

from purport.mqtt.message import Message
from tests.strategies.mqtt import texts, topics

messages = st.builds(
    Message,
    topics,
    st.binary(max_size=30),
    st.integers(0, 2),
    st.booleans(),
    st.integers(0, 2**62),
    texts,
    st.lists(st.tuples(texts, texts), max_size=2).map(tuple),
)


def numbered(begin: int, end: int) -> list[Message]:
    """Messages that say which they are."""
    return [Message("city/north/heat", b"message %d" % number) for number in range(begin, end)]
