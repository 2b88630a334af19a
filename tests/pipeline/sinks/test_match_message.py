"""Matches as messages."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from purport.pipeline.sinks.match_message import match_id, match_messages, short_hash
from purport.pipeline.tables import MATCHES, record_batch_of_rows

texts = st.lists(st.text(alphabet=st.characters(exclude_categories=()), max_size=4), max_size=4)


@given(texts, texts)
def test_different_texts_have_different_hashes(these: list[str], those: list[str]) -> None:
    assert (short_hash(*these) == short_hash(*those)) == (these == those)


def test_an_id_never_changes() -> None:
    assert match_id("e1", "hot") == "6fc4550de0d42940a167c1fa"
    assert match_id("e1h", "ot") != match_id("e1", "hot")


@given(st.floats(0, 1, width=32))
def test_a_number_is_told_with_no_more_digits_than_it_has(number: float) -> None:
    row = ("e1", "hot", 3, number, [0, 2], [number, 1.0], "events.jsonl", 7, None)

    [message] = match_messages(record_batch_of_rows(MATCHES, [row]))

    assert message.id == match_id("e1", "hot")
    assert repr(message.probability) == repr(float(str(np.float32(number))))
    assert message.similarities == [message.probability, 1.0]
    assert (message.mapping, message.source, message.offset) == ([0, 2], "events.jsonl", 7)
