"""What a told value may be taken for: a text that spells a number counts as one too."""

from __future__ import annotations

from collections.abc import Iterator

from purport.model.comparison import told_quantity
from purport.model.term import Term, Text, read_boolean, read_time


def readings(value: Term) -> Iterator[Term]:
    """A told value, and what it spells if it is a text.

    >>> [str(one) for one in readings(Text("25"))], [str(one) for one in readings(Text("red"))]
    (['25', '25'], ['red'])
    """
    yield value
    if isinstance(value, Text):
        read = told_quantity(value), read_boolean(value.text), read_time(value.text)
        yield from filter(None, read)
