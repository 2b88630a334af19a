"""Events as batches of flat arrays: from events, or straight from flat JSON objects."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from purport.errors import EventError
from purport.matching.flat_lists import Integers, Numbers, Places
from purport.matching.interned import Interned
from purport.matching.scales import EXACT_INTEGERS, NoScale
from purport.matching.text_kernel import Letters, read_texts
from purport.model.event import MOST_STATEMENTS, Event, Statement, refuse_many
from purport.model.term import Boolean, Text
from purport.model.units import Quantity

UNREAD = -(2**31)  # the code of a text that Python has to look at

JsonObject = Mapping[str, Any]
_FEW = 16
_SCALES = (None, NoScale.TIME, NoScale.OPAQUE)  # in the order of what a text is found to spell


@dataclass(frozen=True, slots=True)
class Batch:
    """Statements of events behind one another: attributes, codes and numbers; event starts."""

    starts: Places
    attributes: Integers
    codes: Integers
    numbers: Numbers

    def __len__(self) -> int:
        return len(self.starts) - 1


def as_event(told: Event | JsonObject) -> Event:
    """An event, or the one that a JSON object is."""
    return told if isinstance(told, Event) else Event.from_json(told)


def batch_of(told: Sequence[Event | JsonObject], interned: Interned) -> Batch:
    """Events, JSON objects, or some of both, as a batch."""
    objects = [one for one in told if not isinstance(one, Event)]
    if len(objects) == len(told):
        return batch_of_objects(objects, interned)
    return batch_of_events(_events(told, 0), interned)


def batch_of_events(events: Iterable[Event], interned: Interned) -> Batch:
    """Events as a batch."""
    starts, attributes, codes, numbers = [0], [], [], []
    known_name, known_word = interned.names.get, interned.words.get
    plain, plain_kind = interned.scale_code(None), Quantity if interned.has_scales else None
    for event in events:
        refuse_many(len(event.statements))
        for one in event.statements:
            name, value = one.attribute, one.value
            attribute = known_name(name.text) if type(name) is Text and not name.language else None
            code = known_word(value.text) if type(value) is Text and not value.language else None
            number = 0.0
            if type(value) is plain_kind and value.unit is None and type(value.magnitude) is float:
                code, number = plain, value.magnitude
            elif code is None:
                code, number = interned.statement(one)
            attributes.append(interned.attribute(name) if attribute is None else attribute)
            codes.append(code)
            numbers.append(number)
        starts.append(len(codes))
    return Batch(
        np.array(starts, np.int64),
        np.array(attributes, np.int32),
        np.array(codes, np.int32),
        np.array(numbers, np.float64),
    )


def batch_of_objects(
    objects: Sequence[JsonObject], interned: Interned, first_number: int = 0
) -> Batch:
    """JSON objects as a batch; an `EventError` says what is wrong with one that is no event.

    Those that are flat need not become events. A batch with others is cut into halves.
    """
    try:
        return _flat_batch(objects, interned)
    except _NotFlat:
        if len(objects) <= _FEW:
            return batch_of_events(_events(objects, first_number), interned)
        half = len(objects) // 2
        first = batch_of_objects(objects[:half], interned, first_number)
        second = batch_of_objects(objects[half:], interned, first_number + half)
        return Batch(
            np.concatenate([first.starts, second.starts[1:] + first.starts[-1]]),
            np.concatenate([first.attributes, second.attributes]),
            np.concatenate([first.codes, second.codes]),
            np.concatenate([first.numbers, second.numbers]),
        )


def _events(told: Iterable[Event | JsonObject], first_number: int) -> Iterator[Event]:
    """The events that objects are; what is wrong with one is said with its number."""
    for number, one in enumerate(told, first_number):
        try:
            yield as_event(one)
        except EventError as error:
            raise EventError(f"event {number} of the batch: {error}") from None


def code_spelt(
    letters: Letters, starts: Places, ends: Places, interned: Interned
) -> tuple[Integers, Numbers]:
    """The codes of texts that are on scales, with their numbers; the others are `UNREAD`."""
    kinds, numbers = np.zeros(len(starts), np.int32), np.zeros(len(starts), np.float64)
    if not interned.asks_for_wordless:
        read_texts(letters, starts, ends, kinds, numbers)
    codes = np.array([UNREAD, *map(interned.scale_code, _SCALES)], np.int32)
    return codes[kinds], numbers


class _NotFlat(Exception):
    """An object is not one of texts, numbers and truths under plain names."""


def _flat_batch(objects: Sequence[JsonObject], interned: Interned) -> Batch:
    try:
        keys = list(chain.from_iterable(objects))
        values = list(chain.from_iterable([one.values() for one in objects]))
        sizes = np.fromiter(map(len, objects), np.int64, len(objects))
        attributes = list(map(interned.names.get, keys))
        codes = list(map(interned.words.get, values))
    except (AttributeError, TypeError):  # no object, or one in which there are others
        raise _NotFlat from None
    if not interned.has_scales or (len(sizes) and sizes.max() > MOST_STATEMENTS):
        raise _NotFlat
    if None in attributes:
        _name_new(keys, attributes, interned)
    numbers = np.zeros(len(values), np.float64)
    if None in codes:
        _code_new(keys, values, codes, numbers, interned)
    return Batch(
        np.concatenate([[0], np.cumsum(sizes)]),
        _integers(attributes),
        _integers(codes),
        numbers,
    )


def _integers(numbers: list[Any]) -> Integers:
    """A long list as an array, in half the time that NumPy takes."""
    return np.frombuffer(array("i", numbers), np.int32)


def _name_new(keys: list[Any], attributes: list[int | None], interned: Interned) -> None:
    for place, number in enumerate(attributes):
        if number is None:
            key = keys[place]
            if not isinstance(key, str) or key[:1] == "@" or not key.strip():
                raise _NotFlat
            attributes[place] = interned.attribute(Text(key))


def _code_new(
    keys: list[str],
    values: list[Any],
    codes: list[int | None],
    numbers: Numbers,
    interned: Interned,
) -> None:
    """Code the values that are no words met before."""
    plain = interned.scale_code(None)
    texts: list[int] = []
    for place, code in enumerate(codes):
        if code is None:
            value = values[place]
            kind = type(value)
            if kind is str:
                texts.append(place)
            elif kind is bool:
                codes[place] = interned.statement(Statement(Text(keys[place]), Boolean(value)))[0]
            elif (kind is float and math.isfinite(value)) or (
                kind is int and abs(value) <= EXACT_INTEGERS
            ):
                codes[place] = plain
                numbers[place] = value
            else:
                raise _NotFlat
    if texts:
        _code_texts(texts, keys, values, codes, numbers, interned)


def _code_texts(
    places: list[int],
    keys: list[str],
    values: list[str],
    codes: list[int | None],
    numbers: Numbers,
    interned: Interned,
) -> None:
    joined = "\n".join([values[place] for place in places]).encode("utf-8", "surrogatepass")
    letters = np.frombuffer(joined, np.uint8)
    breaks = np.flatnonzero(letters == ord("\n"))
    spelt, read = np.full(len(places), UNREAD, np.int32), np.zeros(len(places), np.float64)
    if len(breaks) == len(places) - 1:  # or there are line breaks within texts
        starts = np.concatenate([[0], breaks + 1])
        spelt, read = code_spelt(letters, starts, np.append(breaks, len(letters)), interned)
    numbers[places] = read
    for place, code in zip(places, spelt.tolist(), strict=True):
        if code != UNREAD:
            codes[place] = code
        else:
            one = Statement(Text(keys[place]), Text(values[place]))
            codes[place], numbers[place] = interned.statement(one)
