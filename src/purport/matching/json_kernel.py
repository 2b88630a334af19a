"""Plain JSON objects, one in a line, read at the speed of a scan.

A line is *plain* if it is an object of texts without escapes, of numbers of few digits, of truths
and nulls, under names that occur once; of the reserved names there may be `@id`, in ASCII, and both
`@start` and `@end`, as times in order. All other lines are left to the parser: what is claimed here
is what it would say.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from purport.compilation import compiled, inlined
from purport.matching.flat_lists import Integers, Numbers, Places
from purport.matching.text_kernel import (
    NUMBER,
    SHORTEST_TIME,
    TIME,
    UNDECIDED,
    Letters,
    read_number,
    read_text,
    read_time,
)
from purport.matching.text_table import Hashes, find_text, first_hash, next_hash
from purport.model.event_lines import LONGEST_LINE

LEFT, PLAIN, BLANK = 0, 1, 2

MOST_NAMES = 64
_NOT_PLAIN = -1
_IS_ID, _IS_START, _IS_END, _TIMES = 1, 2, 4, 6
_QUOTE, _BACKSLASH, _COMMA, _COLON, _OPEN, _CLOSE, _AT = 34, 92, 44, 58, 123, 125, 64
_T, _F, _N = 116, 102, 110
_SPACE, _TAB, _RETURN, _ASCII = 32, 9, 13, 128
_ID, _START, _END, _TRUE, _FALSE, _NULL = (
    np.frombuffer(word, np.uint8)
    for word in (b"@id", b"@start", b"@end", b"true", b"false", b"null")
)

Table = tuple[Hashes, Integers, Places, Integers, Letters]


class Codes(NamedTuple):
    """The codes of what is not a word: numbers, times, identifiers, truths."""

    number: int
    time: int
    identifier: int
    true: int
    false: int


class Lines(NamedTuple):
    """What is found of each line: whether it is plain, where its statements end, id and times.

    Times are microseconds since the year 2000; not a number if there are none.
    """

    kinds: NDArray[np.int8]
    ends: Places
    id_starts: Places
    id_ends: Places
    times_begun: Numbers
    times_ended: Numbers


class Statements(NamedTuple):
    """What is found of each statement; a name or word that is not known is `ABSENT`."""

    attributes: Integers
    codes: Integers
    numbers: Numbers
    name_starts: Places
    name_ends: Places
    value_starts: Places
    value_ends: Places


class Scratch(NamedTuple):
    """Room for what one line says: the hashes of its names, and its start and end."""

    names: Hashes
    times: Numbers


@compiled
def read_lines(
    letters: Letters,
    starts: Places,
    ends: Places,
    names: Table,
    words: Table,
    codes: tuple[int, int, int, int, int],
    spells: bool,
    lines: tuple[NDArray[np.int8], Places, Places, Places, Numbers, Numbers],
    statements: tuple[Integers, Integers, Numbers, Places, Places, Places, Places],
    scratch: tuple[Hashes, Numbers],
) -> int:
    """Read lines; how many statements the plain ones have, which stand behind one another."""
    into, said = Lines(*lines), Statements(*statements)
    count = 0
    for line in range(len(starts)):
        begin, end = _skip(letters, starts[line], ends[line]), ends[line]
        into.id_starts[line] = into.id_ends[line] = 0
        into.times_begun[line] = into.times_ended[line] = np.nan
        if begin == end:
            into.kinds[line] = BLANK
        else:
            after = _read_line(
                letters, begin, end, names, words, Codes(*codes), spells, into, said,
                Scratch(*scratch), line, count,
            )  # fmt: skip
            into.kinds[line] = LEFT if after < 0 else PLAIN
            count = count if after < 0 else after
        into.ends[line] = count
    return count


@inlined
def _read_line(
    letters: Letters,
    begin: int,
    end: int,
    names: Table,
    words: Table,
    codes: Codes,
    spells: bool,
    lines: Lines,
    statements: Statements,
    scratch: Scratch,
    line: int,
    first: int,
) -> int:
    """Read one line; how many statements there are up to its end, or -1 if it is not plain."""
    if letters[begin] != _OPEN or end - begin > LONGEST_LINE:
        return _NOT_PLAIN
    at, place, about, seen = first, _skip(letters, begin + 1, end), 0, 0
    if place < end and letters[place] == _CLOSE:
        return at if _skip(letters, place + 1, end) == end else _NOT_PLAIN
    while True:
        name = place + 1
        name_end, key = _scan_text(letters, place, end)
        if name_end < 0 or not _is_new(key, scratch.names, seen):
            return _NOT_PLAIN
        seen += 1
        place = _after_colon(letters, name_end + 1, end)
        if place < 0:
            return _NOT_PLAIN
        if name < name_end and letters[name] == _AT:
            kind = _about(letters, name, name_end)
            place = _read_about(letters, place, end, kind, lines, scratch, line)
            about |= kind
        else:
            statements.attributes[at] = find_text(key, letters, name, name_end, *names)
            statements.name_starts[at], statements.name_ends[at] = name, name_end
            if letters[place] == _N:  # nobody looks at what such a name spells
                is_plain = _is_ascii(letters, name, name_end)
                place = _after(letters, place, end, _NULL) if is_plain else _NOT_PLAIN
            else:
                place = _read_value(letters, place, end, words, codes, spells, statements, at)
                at += 1
        if place < 0:
            return _NOT_PLAIN
        place = _skip(letters, place, end)
        if place >= end or (letters[place] != _CLOSE and letters[place] != _COMMA):
            return _NOT_PLAIN
        if letters[place] == _CLOSE:
            break
        place = _skip(letters, place + 1, end)
    is_whole = _skip(letters, place + 1, end) == end
    return at if is_whole and _note_times(about, lines, scratch, line) else _NOT_PLAIN


@inlined
def _is_new(key: np.uint64, names: Hashes, seen: int) -> bool:
    """Note a name by its hash; False if it was seen in this line, or they are too many."""
    if seen == MOST_NAMES:
        return False
    for other in range(seen):
        if names[other] == key:
            return False
    names[seen] = key
    return True


@inlined
def _after_colon(letters: Letters, place: int, end: int) -> int:
    """Where the value begins behind a name; -1 if there is none."""
    place = _skip(letters, place, end)
    if place >= end or letters[place] != _COLON:
        return _NOT_PLAIN
    place = _skip(letters, place + 1, end)
    return place if place < end else _NOT_PLAIN


@inlined
def _note_times(about: int, lines: Lines, scratch: Scratch, line: int) -> bool:
    """Note the times of a line, if it has any; False unless there are both, in order."""
    if not about & _TIMES:
        return True
    lines.times_begun[line], lines.times_ended[line] = scratch.times[0], scratch.times[1]
    return bool(about & _TIMES == _TIMES and scratch.times[0] <= scratch.times[1])


@inlined
def _read_value(
    letters: Letters,
    place: int,
    end: int,
    words: Table,
    codes: Codes,
    spells: bool,
    statements: Statements,
    at: int,
) -> int:
    """Read a text, a number or a truth; where it ends, or -1 if it is none that is plain."""
    letter = letters[place]
    statements.numbers[at] = 0.0
    if letter == _QUOTE:
        begin = place + 1
        finish, key = _scan_text(letters, place, end)
        if finish < 0:
            return _NOT_PLAIN
        kind = read_text(letters, begin, finish, statements.numbers, at) if spells else UNDECIDED
        if kind == UNDECIDED:
            statements.codes[at] = find_text(key, letters, begin, finish, *words)
        elif kind == NUMBER:
            statements.codes[at] = codes.number
        elif kind == TIME:
            statements.codes[at] = codes.time
        else:
            statements.codes[at] = codes.identifier
        statements.value_starts[at], statements.value_ends[at] = begin, finish
        return finish + 1
    if letter == _T:
        statements.codes[at] = codes.true
        return _after(letters, place, end, _TRUE)
    if letter == _F:
        statements.codes[at] = codes.false
        return _after(letters, place, end, _FALSE)
    finish = place
    while finish < end and letters[finish] != _COMMA and letters[finish] > _SPACE:
        if letters[finish] == _CLOSE:
            break
        finish += 1
    statements.codes[at] = codes.number
    is_number = finish > place and read_number(letters, place, finish, statements.numbers, at)
    return finish if is_number else _NOT_PLAIN


@inlined
def _about(letters: Letters, name: int, end: int) -> int:
    """Which of the reserved names this is; 0 for none that is plain."""
    if _is_same(letters, name, end, _ID):
        return _IS_ID
    if _is_same(letters, name, end, _START):
        return _IS_START
    return _IS_END if _is_same(letters, name, end, _END) else 0


@inlined
def _read_about(
    letters: Letters, place: int, end: int, kind: int, lines: Lines, scratch: Scratch, line: int
) -> int:
    """Read an id or a time; where it ends, or -1 if it is none that is plain."""
    finish, _ = _scan_text(letters, place, end)
    begin = place + 1
    if kind == 0 or finish <= begin:
        return _NOT_PLAIN
    if kind == _IS_ID:
        if not _is_ascii(letters, begin, finish):
            return _NOT_PLAIN
        lines.id_starts[line], lines.id_ends[line] = begin, finish
        return finish + 1
    if finish - begin < SHORTEST_TIME:
        return _NOT_PLAIN
    which = 0 if kind == _IS_START else 1
    is_time = read_time(letters, begin, finish, scratch.times, which)
    return finish + 1 if is_time else _NOT_PLAIN


@inlined
def _scan_text(letters: Letters, place: int, end: int) -> tuple[int, np.uint64]:
    """Where the text ends that begins with a quote here, and its hash; -1 if it has escapes."""
    key = first_hash()
    if place >= end or letters[place] != _QUOTE:
        return _NOT_PLAIN, key
    place += 1
    while place < end:
        letter = letters[place]
        if letter == _QUOTE:
            return place, key
        if letter == _BACKSLASH or letter < _SPACE:
            return _NOT_PLAIN, key
        key = next_hash(key, letter)
        place += 1
    return _NOT_PLAIN, key


@inlined
def _skip(letters: Letters, place: int, end: int) -> int:
    """The first place that is no space."""
    while place < end and (
        letters[place] == _SPACE or letters[place] == _TAB or letters[place] == _RETURN
    ):
        place += 1
    return place


@inlined
def _after(letters: Letters, place: int, end: int, word: Letters) -> int:
    """The place after a word that has to stand here; -1 if it does not."""
    is_there = place + len(word) <= end and _is_same(letters, place, place + len(word), word)
    return place + len(word) if is_there else _NOT_PLAIN


@inlined
def _is_ascii(letters: Letters, begin: int, end: int) -> bool:
    is_ascii = True
    for place in range(begin, end):
        is_ascii = is_ascii and letters[place] < _ASCII
    return is_ascii


@inlined
def _is_same(letters: Letters, begin: int, end: int, word: Letters) -> bool:
    is_same = end - begin == len(word)
    for place in range(len(word)):
        is_same = is_same and letters[begin + place] == word[place]
    return is_same
