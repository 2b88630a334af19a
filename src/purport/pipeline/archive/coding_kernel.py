"""The inner loop of coding: what is known of statement ids, written where the kernel reads it."""

from __future__ import annotations

from purport.compilation import compiled
from purport.matching.batches import UNREAD
from purport.matching.flat_lists import Integers, Numbers
from purport.matching.kernel import Flags


@compiled
def code_statements(
    ids: Integers,
    known: tuple[Integers, Integers, Flags],
    told: Numbers,
    attributes: Integers,
    codes: Integers,
    numbers: Numbers,
) -> int:
    """Write the attribute, code and number of each statement, taking the next of those told.

    `known` are, by ids, attributes and codes, and who has a number. Gives how many numbers there
    had to be, or `UNREAD` as soon as an id is met that was not coded yet.
    """
    attributes_of, codes_of, has_number = known
    used = 0
    for at in range(len(ids)):
        one = ids[at]
        if codes_of[one] == UNREAD:
            return UNREAD
        attributes[at] = attributes_of[one]
        codes[at] = codes_of[one]
        numbers[at] = 0.0
        if has_number[one]:
            if used < len(told):
                numbers[at] = told[used]
            used += 1
    return used
