"""What events tell, as numbers that a kernel understands.

An attribute is a number. A value is a *code* and a double: words are interned and have codes from 0
on; a value on a scale (`scales.py`) has the code of its scale, below 0, and the double that it is.
So a reading that never comes again takes no room. What has to be looked at under its attribute,
such as an integer that no double holds, is interned together with it.
"""

from __future__ import annotations

from typing import Protocol

from purport.matching.scales import OPAQUE, OnScale, Scale, on_scale
from purport.matching.text_table import TextTable
from purport.model.event import Statement
from purport.model.term import Attribute, Boolean, Resource, Term, Text, Time
from purport.model.units import Quantity
from purport.model.words import is_wordless, spelt_value

NOTHING = -1  # the code of no value
_COMPARED = (Quantity, Time)

Name = str | Text | Resource
Word = str | Text | Resource | Boolean | Statement


class Wanted(Protocol):
    """What is asked for among texts that say no words."""

    @property
    def asks_for_wordless(self) -> bool:
        """Whether any such text is asked for."""

    def asks_for(self, text: str) -> bool:
        """Whether this one is."""


class Interned:
    """Attributes, words and scales that were met, under numbers.

    Numbers hold until all that was met is forgotten; `forgotten` counts how often it was. Without
    `has_scales`, for measurements, numbers are interned like words.
    """

    def __init__(self, wanted: Wanted, *, has_scales: bool = True) -> None:
        self._wanted = wanted
        self.has_scales = has_scales
        self.forgotten = 0
        self.names: dict[Name, int] = {}
        self.words: dict[Word, int] = {}
        self.attributes: list[Attribute] = []
        self.terms: list[Term | Statement] = []
        self.scales: list[Scale] = []
        self.name_texts, self.word_texts = TextTable(), TextTable()  # for kernels
        self._scale_codes: dict[Scale, int] = {}

    @property
    def asks_for_wordless(self) -> bool:
        """Whether texts that say no words may have to be looked at one by one."""
        return self._wanted.asks_for_wordless or not self.has_scales

    def asks_for(self, text: str) -> bool:
        """Whether this text, which says no words, has to be looked at under its attribute."""
        return self._wanted.asks_for(text)

    def forget(self) -> None:
        """Drop all that was met."""
        self.forgotten += 1
        self.names.clear()
        self.words.clear()
        self.attributes.clear()
        self.terms.clear()
        self.scales.clear()
        self.name_texts.clear()
        self.word_texts.clear()
        self._scale_codes.clear()

    def attribute(self, attribute: Attribute) -> int:
        """The number of an attribute, a new one if need be."""
        name: Name = attribute
        if isinstance(attribute, Text) and attribute.language is None and attribute.text[:1] != "@":
            name = attribute.text  # but for keys that JSON objects reserve
        number = self.names.get(name)
        if number is None:
            number = self.names[name] = len(self.attributes)
            self.attributes.append(attribute)
        return number

    def statement(self, one: Statement) -> tuple[int, float]:
        """The code of a statement's value, and the number it is if its code is that of a scale."""
        return self.value(one.value) or (self.whole(one), 0.0)

    def whole(self, one: Statement) -> int:
        """The code of a statement that is interned with its attribute."""
        return self._intern(one, one)

    def value(self, value: Term) -> tuple[int, float] | None:
        """The same of a value alone; None if it has to be looked at under its attribute."""
        if isinstance(value, _COMPARED):
            return self._on_scale(on_scale(value))
        key: Word = value
        if isinstance(value, Text) and value.language is None:
            key = value.text
        code = self.words.get(key)
        if code is not None:
            return code, 0.0
        if isinstance(value, Text):
            text = value.text
            spelt = spelt_value(text)
            if spelt is not None or is_wordless(text):
                if self._wanted.asks_for(text):
                    return None
                return self._on_scale(OPAQUE if spelt is None else on_scale(spelt))
        return self._intern(key, value), 0.0

    def scale_code(self, scale: Scale) -> int:
        """The code of a scale, a new one if need be."""
        code = self._scale_codes.get(scale)
        if code is None:
            code = self._scale_codes[scale] = NOTHING - 1 - len(self.scales)
            self.scales.append(scale)
        return code

    def scale(self, code: int) -> Scale:
        """The scale of a code."""
        return self.scales[NOTHING - 1 - code]

    def _on_scale(self, told: OnScale | None) -> tuple[int, float] | None:
        if told is None or not self.has_scales:
            return None
        return self.scale_code(told.scale), told.number

    def _intern(self, key: Word, term: Term | Statement) -> int:
        code = self.words.get(key)
        if code is None:
            code = self.words[key] = len(self.terms)
            self.terms.append(term)
        return code
