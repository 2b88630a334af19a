"""A user's own words about words, above every measure.

One rule on each line; `#` begins a comment:

    treat car park as parking
    apple is never fruit
    hum is short for humidity
    outdoor temp is in °F
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from purport.errors import InvalidInput
from purport.model.term import Text
from purport.model.text_file import file_state, read_text
from purport.model.units import Unit, find_unit
from purport.model.words import attribute_words, words_of
from purport.relatedness.array_store import digest
from purport.relatedness.phrases import Phrase

_TREAT = re.compile(r"treat\s+(.+?)\s+as\s+(.+)", re.I)
_NEVER = re.compile(r"(.+?)\s+is\s+never\s+(.+)", re.I)
_SHORT = re.compile(r"(.+?)\s+is\s+short\s+for\s+(.+)", re.I)
_UNIT = re.compile(r"(.+?)\s+is\s+in\s+(.+)", re.I)
_FORMS = "`treat X as Y`, `X is never Y`, `X is short for Y` or `X is in UNIT`"
_LONGEST_PHRASE = 64


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
class Replacement:
    """What is said instead, under a rule."""

    phrase: Phrase
    rule: Rule


@dataclass(frozen=True, slots=True)
class UnitRule:
    """The unit of an attribute, under a rule."""

    unit: Unit
    rule: Rule


@dataclass(frozen=True, eq=False)
class Lexicon:
    """Rules over the words of terms: replacements, pairs that never match, units.

    `settled` are phrases that are left as they are: `treat park as car park` does not make a car
    car park of a car park.
    """

    name: str = "no lexicon"
    replacements: Mapping[Phrase, Replacement] = field(default_factory=dict)
    never: Mapping[frozenset[Phrase], Rule] = field(default_factory=dict)
    units: Mapping[Phrase, UnitRule] = field(default_factory=dict)
    settled: frozenset[Phrase] = frozenset()

    @classmethod
    def read(cls, path: Path) -> Lexicon:
        """The lexicon in a file."""
        return cls.parse(read_text(path), str(path))

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

    @cached_property
    def identity(self) -> str:
        """What the rules say, whatever their order and their file."""
        return digest(
            sorted((short, one.phrase) for short, one in self.replacements.items()),
            sorted(sorted(pair) for pair in self.never),
            sorted((name, one.unit.symbol) for name, one in self.units.items()),
        )

    def rewritten(self, phrase: Phrase) -> Phrase:
        """A phrase with what its author wants for what was said; rewritten again, it stays."""
        for _ in range(len(self.replacements) + 1):
            replaced = self._rewritten_once(phrase)
            if replaced == phrase:
                break
            phrase = replaced
        return phrase

    def keeps_apart(self, left: Phrase, right: Phrase) -> Rule | None:
        """The rule by which two phrases, as they are rewritten, never match.

        It holds where one says what the other does not: `red car` and `blue car`, if red is never
        blue, but not `red and blue` and `blue`.
        """
        for pair, rule in self.never.items():
            one, other = pair
            for asked, given in ((one, other), (other, one)):
                if (contains(left, asked) and not contains(left, given)) and (
                    contains(right, given) and not contains(right, asked)
                ):
                    return rule
        return None

    def unit_of(self, attribute: str) -> Unit | None:
        """The unit that an attribute without one is in."""
        found = self.units.get(self.rewritten(attribute_words(Text(attribute)).words))
        return found.unit if found is not None else None

    def rules_about(self, *phrases: Phrase) -> list[Rule]:
        """The rules that bear on some phrases, in their order."""
        rules = {
            one.rule
            for short, one in self.replacements.items()
            if any(contains(phrase, short) for phrase in phrases)
        }
        rewritten = {self.rewritten(phrase) for phrase in phrases}
        rules |= {
            rule
            for left in rewritten
            for right in rewritten
            if (rule := self.keeps_apart(left, right)) is not None
        }
        rules |= {self.units[phrase].rule for phrase in rewritten if phrase in self.units}
        return sorted(rules, key=lambda rule: rule.line)

    def _rewritten_once(self, phrase: Phrase) -> Phrase:
        """Each longest run of words that a rule speaks of, replaced."""
        words: list[str] = []
        at = 0
        while at < len(phrase):
            for size in range(min(self._longest, len(phrase) - at), 0, -1):
                found = self._wanted.get(phrase[at : at + size])
                if found is not None:
                    words += found
                    at += size
                    break
            else:
                words.append(phrase[at])
                at += 1
        return tuple(words[:_LONGEST_PHRASE]) if self.replacements else phrase

    @cached_property
    def _wanted(self) -> dict[Phrase, Phrase]:
        """What becomes of each run of words that a rule speaks of."""
        replaced = {short: one.phrase for short, one in self.replacements.items()}
        return {phrase: phrase for phrase in self.settled} | replaced

    @cached_property
    def _longest(self) -> int:
        return max(map(len, self._wanted), default=0)


class _Reader:
    """Gathers rules, and refuses those that contradict one another."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._replacements: dict[Phrase, Replacement] = {}
        self._never: list[tuple[Phrase, Phrase, Rule]] = []
        self._units: list[tuple[Phrase, UnitRule]] = []

    def add(self, rule: Rule) -> None:
        """Take one line."""
        if found := _TREAT.fullmatch(rule.text) or _SHORT.fullmatch(rule.text):
            self._add_replacement(self._phrase(found[1], rule), self._phrase(found[2], rule), rule)
        elif found := _NEVER.fullmatch(rule.text):
            self._never.append((self._phrase(found[1], rule), self._phrase(found[2], rule), rule))
        elif found := _UNIT.fullmatch(rule.text):
            unit = find_unit(found[2])
            if unit is None:
                raise self._error(rule, f"nobody knows the unit {found[2]!r}")
            self._units.append((self._phrase(found[1], rule), UnitRule(unit, rule)))
        else:
            raise self._error(rule, f"expected {_FORMS}, found {rule.text!r}")

    def lexicon(self) -> Lexicon:
        """What all lines say together."""
        settled = frozenset(
            one.phrase for short, one in self._replacements.items() if contains(one.phrase, short)
        )
        lexicon = Lexicon(self._name, self._followed(settled), settled=settled)
        never, units = self._pairs_kept_apart(lexicon), self._units_of_names(lexicon)
        return replace(lexicon, never=never, units=units)

    def _add_replacement(self, short: Phrase, long: Phrase, rule: Rule) -> None:
        if short == long:
            raise self._error(rule, "a term is treated as itself already")
        earlier = self._replacements.get(short)
        if earlier is not None and earlier.phrase != long:
            raise self._contradiction(rule, earlier.rule)
        self._replacements[short] = Replacement(long, rule)

    def _followed(self, settled: frozenset[Phrase]) -> dict[Phrase, Replacement]:
        """The replacements, with what they lead to rewritten by the others."""
        replacements = self._replacements
        while True:
            step = Lexicon(self._name, replacements, settled=settled)
            following = {}
            for short, one in replacements.items():
                phrase = step._rewritten_once(one.phrase)
                if phrase not in settled and contains(phrase, short):
                    raise self._error(one.rule, "the replacements lead in a circle")
                following[short] = Replacement(phrase, one.rule)
            if following == replacements:
                return replacements
            replacements = following

    def _pairs_kept_apart(self, lexicon: Lexicon) -> dict[frozenset[Phrase], Rule]:
        never = {}
        for left, right, rule in self._never:
            pair = frozenset((lexicon.rewritten(left), lexicon.rewritten(right)))
            if len(pair) == 1:
                reason = "elsewhere they are treated as the same" if left != right else "they are"
                raise self._error(rule, f"a term cannot be kept from itself: {reason}")
            never[pair] = rule
        return never

    def _units_of_names(self, lexicon: Lexicon) -> dict[Phrase, UnitRule]:
        units: dict[Phrase, UnitRule] = {}
        for name, one in self._units:
            earlier = units.setdefault(lexicon.rewritten(name), one)
            if earlier.unit != one.unit:
                raise self._contradiction(one.rule, earlier.rule)
        return units

    def _phrase(self, text: str, rule: Rule) -> Phrase:
        words = words_of(Text(text.strip().strip('"')))
        if not words:
            raise self._error(rule, f"{text!r} has no word in it")
        return words

    def _contradiction(self, rule: Rule, earlier: Rule) -> LexiconError:
        return self._error(rule, f"this contradicts line {earlier.line}: {earlier.text}")

    def _error(self, rule: Rule, what: str) -> LexiconError:
        return LexiconError(f"{self._name}, line {rule.line}: {what}")


class LexiconFile:
    """A lexicon that is read again when its file has changed.

    A file that cannot be read any more leaves the last lexicon in force, and its `error` here.
    """

    def __init__(self, path: Path | str) -> None:
        self._path = path = Path(path)
        self._seen = file_state(path)
        self._lexicon = Lexicon.read(path)
        self.error: InvalidInput | None = None

    def current(self) -> Lexicon:
        """The lexicon as the file now has it."""
        state = file_state(self._path)
        if state != self._seen:
            self._seen = state
            try:
                self._lexicon = Lexicon.read(self._path)
                self.error = None
            except InvalidInput as error:
                self.error = error
        return self._lexicon


def contains(phrase: Phrase, part: Phrase) -> bool:
    """Whether a phrase has another in it, as it stands."""
    return any(phrase[at : at + len(part)] == part for at in range(len(phrase) - len(part) + 1))
