"""The measures that a matcher uses, by their names, each loaded once and its scores remembered."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from purport.errors import UnusablePath
from purport.matching.subscribed_terms import (
    SubscribedTerm,
    approximate_terms,
    subscribed_terms,
)
from purport.model.subscription import Approximation, Subscription
from purport.model.term import Attribute
from purport.model.units import Unit
from purport.model.words import attribute_words, said
from purport.relatedness.array_store import StoreError
from purport.relatedness.catalogue import load_measure, require_known
from purport.relatedness.competition import (
    RIVALRY_OF_NAMES,
    RIVALRY_OF_VALUES,
    Competing,
    RegisteredTerms,
)
from purport.relatedness.lexicon import Lexicon
from purport.relatedness.measure import (
    EventMeasure,
    Measure,
    attribute_measure,
    identity_of,
    require_measure,
)
from purport.relatedness.score_table import ScoreTable
from purport.relatedness.under_lexicon import under_lexicon

MOST_SCORES = 20_000_000


@dataclass(frozen=True, slots=True)
class Lookup:
    """A table of scores, and the terms that are asked for in it: names of attributes, or values."""

    table: ScoreTable
    asked: tuple[str, ...]
    is_of_names: bool


class Measures:
    """Measures for values and for names of attributes.

    `default` is the measure, or the name of it, for every `~` that names none. Event measures are
    asked anew for each event.

    `scores` is a folder in which scores are kept, for other processes and for later.

    Under `competition` the terms of registered subscriptions compete for an event's words, names
    with names and values with values: approximate ones under their measure, exact ones under all.
    """

    def __init__(
        self,
        default: Measure | str,
        lexicon: Lexicon | Path | str | None = None,
        *,
        competition: bool = False,
        scores: Path | None = None,
    ) -> None:
        if isinstance(default, str):
            require_known(default)
        else:
            require_measure(default)
        if lexicon is not None and not isinstance(lexicon, Lexicon):
            lexicon = Lexicon.read(Path(lexicon))
        self._default = default
        self._lexicon = lexicon
        self._is_competition = competition
        self._loaded: dict[str | None, Measure] = {}
        self._for_names: dict[str | None, Measure | EventMeasure] = {}
        self._tables: dict[tuple[str | None, bool], Measure] = {}
        self._folder = scores
        self._kept: dict[tuple[str | None, bool], ScoreTable] = {}
        self._exact_terms = {is_name: RegisteredTerms() for is_name in (False, True)}
        self._near_terms: dict[tuple[str | None, bool], RegisteredTerms] = {}

    @property
    def lexicon_identity(self) -> str | None:
        """A text that differs where the rules do; None without any."""
        return None if self._lexicon is None else self._lexicon.identity

    @property
    def default_identity(self) -> str | None:
        """What tells the measure for every `~` that names none, by its name if it has one.

        None where scores depend on what else is subscribed to; `InvalidInput` if the measure does
        not say.
        """
        if self._is_competition:
            return None
        return self._default if isinstance(self._default, str) else identity_of(self._default)

    def register(self, subscription: Subscription) -> bool:
        """Let a subscription's terms compete; whether scores may have changed by that."""
        return self._changed(subscription, RegisteredTerms.add)

    def unregister(self, subscription: Subscription) -> bool:
        """Take a subscription's terms out of the competition again, as `register` put them in."""
        return self._changed(subscription, RegisteredTerms.remove)

    def for_values(self, name: str | None) -> Measure:
        """What values are compared with; `InvalidInput` if nobody knows the name."""
        name = self._told_apart(name)
        return self._table(name, self._measure(name), False)

    def for_names(self, name: str | None) -> Measure | EventMeasure:
        """What names of attributes are compared with, or ranked by."""
        name = self._told_apart(name)
        if name not in self._for_names:
            measure = self._measure(name)
            is_of_events = isinstance(measure, EventMeasure)
            self._for_names[name] = (
                measure if is_of_events else self._table(name, attribute_measure(measure), True)
            )
        return self._for_names[name]

    def share_scores(self) -> list[str]:
        """Write what was scored to the folder of scores, and take up what others have written.

        Gives what went wrong with that: it stops nobody from matching.
        """
        problems = []
        for table in self._kept.values():
            try:
                table.flush()
                table.refresh()
            except (UnusablePath, StoreError) as error:
                problems.append(str(error))
            problems += table.problems
            table.problems = []
        return problems

    def lookups(self, subscriptions: Iterable[Subscription]) -> list[Lookup]:
        """The tables in which scores are looked up for subscriptions, with the terms asked for.

        What an event measure ranks is not looked up. In competition, terms without `~` are asked
        for too, as rivals of those that have it.
        """
        asked: dict[tuple[str | None, bool], list[str]] = {}
        rivals: dict[bool, list[str]] = {False: [], True: []}
        for subscription in subscriptions:
            for one in approximate_terms(subscription):
                assert one.approximation is not None
                key = self._told_apart(one.approximation.measure), one.is_name
                asked.setdefault(key, []).append(one.text)
            for one in subscribed_terms(subscription) if self._is_competition else ():
                if one.approximation is None:
                    rivals[one.is_name].append(one.text)
        for name, is_name in asked:
            (self.for_names if is_name else self.for_values)(name)  # which opens its table
        return [
            Lookup(self._kept[key], tuple(dict.fromkeys([*texts, *rivals[key[1]]])), key[1])
            for key, texts in asked.items()
            if key in self._kept
        ]

    def unit_of(self, attribute: Attribute) -> Unit | None:
        """The unit of numbers under an attribute: its name tells it, or the lexicon."""
        unit = attribute_words(attribute).unit
        if unit is None and self._lexicon is not None:
            return self._lexicon.unit_of(said(attribute))
        return unit

    def name_of(self, approximation: Approximation | None) -> str:
        """What a person calls the measure of a side."""
        if approximation is None:
            return "exact"
        name = self._plain_name_of(approximation)
        return f"{name} in competition" if self._is_competition else name

    def _plain_name_of(self, approximation: Approximation) -> str:
        if approximation.measure is not None:
            return approximation.measure
        return self._default if isinstance(self._default, str) else type(self._default).__name__

    def behind(self, approximation: Approximation | None) -> Measure | None:
        """The measure of an approximate side itself, without what remembers its scores."""
        return None if approximation is None else self._measure(approximation.measure)

    def _told_apart(self, name: str | None) -> str | None:
        """The name of a measure; None for the default, whether it is named or not."""
        return None if name == self._default else name

    def _measure(self, name: str | None) -> Measure:
        if name not in self._loaded:
            if name is None and not isinstance(self._default, str):
                given = self._default
                self._loaded[name] = under_lexicon(given, self._lexicon) if self._lexicon else given
            else:
                named = name if name is not None else str(self._default)
                self._loaded[name] = load_measure(named, lexicon=self._lexicon)
        return self._loaded[name]

    def _table(self, name: str | None, measure: Measure, is_for_names: bool) -> Measure:
        key = name, is_for_names
        if key not in self._tables:
            table = ScoreTable(measure, self._folder_of(*key, measure), most_cells=MOST_SCORES)
            self._kept[key] = table
            self._tables[key] = self._competing(table, key) if self._is_competition else table
        return self._tables[key]

    def _folder_of(self, name: str | None, is_for_names: bool, measure: Measure) -> Path | None:
        """Where the scores of a measure are kept, if they are.

        One that is made anew, or has other rules in its lexicon, is another measure.
        """
        if self._folder is None:
            return None
        shown = name or (self._default if isinstance(self._default, str) else "default")
        identity = blake2b(identity_of(measure).encode(), digest_size=4).hexdigest()
        return self._folder / f"{shown}-{'names' if is_for_names else 'values'}-{identity}"

    def _competing(self, table: ScoreTable, key: tuple[str | None, bool]) -> Competing:
        """The raw scores of a table, under the competition of registered terms."""
        near = self._near_terms.setdefault(key, RegisteredTerms())
        rivalry = RIVALRY_OF_NAMES if key[1] else RIVALRY_OF_VALUES
        return Competing(table, (near, self._exact_terms[key[1]]), rivalry)

    def _changed(
        self, subscription: Subscription, change: Callable[[RegisteredTerms, str], None]
    ) -> bool:
        if self._is_competition:
            for term in subscribed_terms(subscription):
                change(self._rivals(term), term.text)
        return self._is_competition

    def _rivals(self, term: SubscribedTerm) -> RegisteredTerms:
        if term.approximation is None:
            return self._exact_terms[term.is_name]
        return self._near_terms.setdefault(
            (self._told_apart(term.approximation.measure), term.is_name), RegisteredTerms()
        )
