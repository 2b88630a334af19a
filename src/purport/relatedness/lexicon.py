"""A user's own words about words, above every measure.

One rule on each line; `#` begins a comment:

    treat car park as parking
    apple is never fruit
    hum is short for humidity
    outdoor temp is in °F
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from purport.errors import InvalidInput, UnusablePath
from purport.model.term import Text
from purport.model.units import Unit, find_unit
from purport.model.words import attribute_words, words_of
from purport.relatedness.array_store import digest
from purport.relatedness.attribute_names import quantity
from purport.relatedness.measure import (
    EventMeasure,
    Measure,
    Scores,
    attribute_measure,
    identity_of,
)
from purport.relatedness.phrases import Phrase

_TREAT = re.compile(r"treat\s+(.+?)\s+as\s+(.+)", re.I)
_NEVER = re.compile(r"(.+?)\s+is\s+never\s+(.+)", re.I)
_SHORT = re.compile(r"(\S+)\s+is\s+short\s+for\s+(.+)", re.I)
_UNIT = re.compile(r"(.+?)\s+is\s+in\s+(.+)", re.I)
_FORMS = "`treat X as Y`, `X is never Y`, `X is short for Y` or `X is in UNIT`"


class LexiconError(InvalidInput):
    """A line of a lexicon is no rule, or contradicts another."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule as its author wrote it, and where."""

    text: str
    line: int

    def __str__(self) -> str:
        return f"{self.text} (line {self.line})"


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Rules over the words of terms: replacements, pairs that never match, units."""

    name: str = "no lexicon"
    replacements: Mapping[Phrase, tuple[Phrase, Rule]] = field(default_factory=dict)
    never: Mapping[frozenset[Phrase], Rule] = field(default_factory=dict)
    units: Mapping[Phrase, tuple[Unit, Rule]] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> Lexicon:
        """The lexicon in a file."""
        try:
            return cls.parse(path.read_text(encoding="utf-8"), str(path))
        except UnicodeDecodeError:
            raise UnusablePath(path, "not UTF-8") from None
        except OSError as error:
            raise UnusablePath(path, error.strerror or str(error)) from None

    @classmethod
    def parse(cls, text: str, name: str = "lexicon") -> Lexicon:
        """The lexicon that a text spells; `LexiconError` names the line that cannot be.

        >>> lexicon = Lexicon.parse("treat car park as parking")
        >>> lexicon.rewritten(("large", "car", "park"))
        ('large', 'parking')
        """
        reader = _Reader(name)
        for number, line in enumerate(text.splitlines(), 1):
            rule = line.partition("#")[0].strip()
            if rule:
                reader.add(Rule(rule, number))
        return reader.lexicon()

    def rewritten(self, phrase: Phrase) -> Phrase:
        """A phrase with what its author wants for what was said; longest replacement first."""
        words: list[str] = []
        at = 0
        while at < len(phrase):
            for size in range(min(self._longest(), len(phrase) - at), 0, -1):
                found = self.replacements.get(phrase[at : at + size])
                if found is not None:
                    words += found[0]
                    at += size
                    break
            else:
                words.append(phrase[at])
                at += 1
        return tuple(words)

    def never_matches(self, left: Phrase, right: Phrase) -> Rule | None:
        """The rule by which two phrases never match."""
        return self.never.get(frozenset((left, right)))

    def unit_of(self, attribute: str) -> Unit | None:
        """The unit that an attribute without one is in."""
        found = self.units.get(attribute_words(Text(attribute)).words)
        return found[0] if found is not None else None

    def rules_about(self, *terms: str) -> list[Rule]:
        """The rules that bear on some terms, in their order."""
        phrases = [words_of(Text(term)) for term in terms]
        phrases += [attribute_words(Text(term)).words for term in terms]
        rules = {
            rule
            for short, (_, rule) in self.replacements.items()
            if any(_contains(phrase, short) for phrase in phrases)
        }
        rewritten = {self.rewritten(phrase) for phrase in phrases}
        rules |= {rule for pair, rule in self.never.items() if pair <= rewritten}
        rules |= {self.units[phrase][1] for phrase in phrases if phrase in self.units}
        return sorted(rules, key=lambda rule: rule.line)

    def _longest(self) -> int:
        return max(map(len, self.replacements), default=0)


class _Reader:
    """Gathers rules, and refuses those that contradict one another."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._replacements: dict[Phrase, tuple[Phrase, Rule]] = {}
        self._never: list[tuple[Phrase, Phrase, Rule]] = []
        self._units: dict[Phrase, tuple[Unit, Rule]] = {}

    def add(self, rule: Rule) -> None:
        """Take one line."""
        if found := _TREAT.fullmatch(rule.text) or _SHORT.fullmatch(rule.text):
            self._add_replacement(self._phrase(found[1], rule), self._phrase(found[2], rule), rule)
        elif found := _NEVER.fullmatch(rule.text):
            self._never.append((self._phrase(found[1], rule), self._phrase(found[2], rule), rule))
        elif found := _UNIT.fullmatch(rule.text):
            self._add_unit(self._phrase(found[1], rule), found[2], rule)
        else:
            raise self._error(rule, f"expected {_FORMS}, found {rule.text!r}")

    def lexicon(self) -> Lexicon:
        """What all lines say together."""
        replacements = {
            short: (self._followed(short), rule) for short, (_, rule) in self._replacements.items()
        }
        lexicon = Lexicon(self._name, replacements)
        never = {}
        for left, right, rule in self._never:
            pair = frozenset((lexicon.rewritten(left), lexicon.rewritten(right)))
            if len(pair) == 1:
                reason = "elsewhere they are treated as the same" if left != right else "they are"
                raise self._error(rule, f"a term cannot be kept from itself: {reason}")
            never[pair] = rule
        units = {lexicon.rewritten(name): unit for name, unit in self._units.items()}
        return Lexicon(self._name, replacements, never, {**units, **self._units})

    def _add_replacement(self, short: Phrase, long: Phrase, rule: Rule) -> None:
        if short == long:
            raise self._error(rule, "a term is treated as itself already")
        earlier = self._replacements.get(short)
        if earlier is not None and earlier[0] != long:
            raise self._error(rule, f"this contradicts line {earlier[1].line}: {earlier[1].text}")
        self._replacements[short] = (long, rule)

    def _add_unit(self, name: Phrase, symbol: str, rule: Rule) -> None:
        unit = find_unit(symbol)
        if unit is None:
            raise self._error(rule, f"nobody knows the unit {symbol!r}")
        earlier = self._units.get(name)
        if earlier is not None and earlier[0] != unit:
            raise self._error(rule, f"this contradicts line {earlier[1].line}: {earlier[1].text}")
        self._units[name] = (unit, rule)

    def _followed(self, short: Phrase) -> Phrase:
        """What a replacement ends at when replacements are replaced in their turn."""
        seen = [short]
        while seen[-1] in self._replacements:
            following, rule = self._replacements[seen[-1]]
            if following in seen:
                raise self._error(rule, "the replacements lead in a circle")
            seen.append(following)
        return seen[-1]

    def _phrase(self, text: str, rule: Rule) -> Phrase:
        words = words_of(Text(text.strip().strip('"')))
        if not words:
            raise self._error(rule, f"{text!r} has no word in it")
        return words

    def _error(self, rule: Rule, what: str) -> LexiconError:
        return LexiconError(f"{self._name}, line {rule.line}: {what}")


class WithLexicon:
    """A measure under a lexicon: terms are rewritten, and some pairs never match."""

    def __init__(self, measure: Measure, lexicon: Lexicon) -> None:
        self.measure = measure
        self.lexicon = lexicon

    def __reduce__(self) -> tuple[object, ...]:
        return WithLexicon, (self.measure, self.lexicon)

    @property
    def identity(self) -> str:
        """What tells this measure's scores from another's."""
        return f"{identity_of(self.measure)} under {digest(self.lexicon)}"

    @property
    def attributes(self) -> Measure:
        """The same lexicon over what the measure compares attribute names with."""
        return _NamesWithLexicon(attribute_measure(self.measure), self.lexicon)

    def score(self, left: str, right: str) -> float:
        """How related two terms are."""
        ours, theirs = self._phrase(left), self._phrase(right)
        if self.lexicon.never_matches(ours, theirs):
            return 0.0
        return self.measure.score(self._text(left, ours), self._text(right, theirs))

    def matrix(self, left: Sequence[str], right: Sequence[str]) -> Scores:
        """Scores of every pair."""
        ours, theirs = [*map(self._phrase, left)], [*map(self._phrase, right)]
        scores = self.measure.matrix(
            [*map(self._text, left, ours)], [*map(self._text, right, theirs)]
        )
        rows, columns = _places(ours), _places(theirs)
        for pair in self.lexicon.never:
            one, other = pair
            for asked, given in ((one, other), (other, one)):
                for row in rows.get(asked, ()):
                    scores[row, columns.get(given, [])] = 0.0
        return scores

    def _phrase(self, term: str) -> Phrase:
        return self.lexicon.rewritten(words_of(Text(term)))

    def _text(self, term: str, phrase: Phrase) -> str:
        """The term itself where the lexicon leaves it as it is."""
        return term if phrase == words_of(Text(term)) else " ".join(phrase)


class _NamesWithLexicon(WithLexicon):
    """The lexicon over names of attributes, whose units are part of what they say."""

    def __reduce__(self) -> tuple[object, ...]:
        return _NamesWithLexicon, (self.measure, self.lexicon)

    def _phrase(self, term: str) -> Phrase:
        name = attribute_words(Text(term))
        unit = name.unit or self.lexicon.unit_of(term)
        words = self.lexicon.rewritten(name.words)
        return words + (quantity(unit) if unit is not None else ())

    def _text(self, term: str, phrase: Phrase) -> str:
        return " ".join(phrase) or term


class EventMeasureWithLexicon(WithLexicon):
    """An event measure under a lexicon: its attributes are read under it as well."""

    def __init__(self, measure: EventMeasure, lexicon: Lexicon) -> None:
        super().__init__(measure, lexicon)
        self._ranking = measure

    def __reduce__(self) -> tuple[object, ...]:
        return EventMeasureWithLexicon, (self._ranking, self.lexicon)

    def rows(self, attribute: str, event_attributes: Sequence[str]) -> Scores:
        """How well each of an event's attributes answers the one asked for."""
        names = _NamesWithLexicon(self._ranking, self.lexicon)
        asked, given = names._phrase(attribute), [*map(names._phrase, event_attributes)]
        scores = self._ranking.rows(
            names._text(attribute, asked), [*map(names._text, event_attributes, given)]
        )
        is_never = [self.lexicon.never_matches(asked, phrase) is not None for phrase in given]
        scores[is_never] = 0.0
        return scores


def under_lexicon(measure: Measure, lexicon: Lexicon) -> WithLexicon:
    """A measure, or an event measure, under a lexicon."""
    if isinstance(measure, EventMeasure):
        return EventMeasureWithLexicon(measure, lexicon)
    return WithLexicon(measure, lexicon)


class LexiconFile:
    """A lexicon that is read again when its file has changed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen = self._state()
        self._lexicon = Lexicon.read(path)

    def current(self) -> Lexicon:
        """The lexicon as the file now has it; one that cannot be read leaves the last in force."""
        state = self._state()
        if state != self._seen:
            self._lexicon = Lexicon.read(self._path)
            self._seen = state
        return self._lexicon

    def _state(self) -> tuple[int, int, int] | None:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino


def _contains(phrase: Phrase, part: Phrase) -> bool:
    return any(phrase[at : at + len(part)] == part for at in range(len(phrase) - len(part) + 1))


def _places(phrases: Sequence[Phrase]) -> dict[Phrase, list[int]]:
    places: dict[Phrase, list[int]] = {}
    for place, phrase in enumerate(phrases):
        places.setdefault(phrase, []).append(place)
    return places
