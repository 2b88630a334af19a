"""From patterns to the nodes that answer them; what several have in common is made once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial

from purport.errors import InvalidInput, NotSupportedYet, PurportError
from purport.model.interval import length_of
from purport.model.language.write import write_pattern, write_predicate
from purport.model.subscription import (
    Absence,
    After,
    AllenRelated,
    Alternation,
    AskedAttribute,
    AskedValue,
    Coincidence,
    Conjunction,
    During,
    HistoryFilter,
    Options,
    Pattern,
    Reference,
    Repetition,
    Sequence,
    Simultaneous,
    WindowAggregate,
)
from purport.temporal.asked import (
    Parts,
    Temporal,
    Witnessed,
    approximate,
    attribute_of,
    is_prompt,
)
from purport.temporal.coincidence import CoincidenceNode
from purport.temporal.composition import AbsenceNode, AlternationNode, SequenceNode
from purport.temporal.conjunction import ConjunctionNode, Hear
from purport.temporal.filters import Filters, matched_options
from purport.temporal.last_values import HistoryFilterOperator
from purport.temporal.likeliest import LikeliestNode
from purport.temporal.operators import (
    AfterOperator,
    AllenOperator,
    DuringOperator,
    SimultaneousOperator,
    Witnesses,
)
from purport.temporal.progress import Progress
from purport.temporal.sources import Correlation
from purport.temporal.windows import AggregateOperator

Node = (
    ConjunctionNode | AlternationNode | SequenceNode | CoincidenceNode | AbsenceNode | LikeliestNode
)
MakesOperator = (
    AfterOperator
    | DuringOperator
    | SimultaneousOperator
    | AllenOperator
    | HistoryFilterOperator
    | AggregateOperator
)


@dataclass(slots=True)
class _Made:
    """A node, who uses it, and what it uses."""

    node: Node
    uses: tuple[Hashable, ...]
    hears: tuple[tuple[Node, Hear], ...] = ()  # of which others, and how
    users: int = 0


@dataclass(frozen=True, slots=True)
class _Role:
    """What a conjunction is for."""

    options: Options
    of: Pattern | None  # what it is a part of; None for inner ones, which all may share
    is_inner: bool = False  # operators look among what answers it
    needs_known: bool = False
    wanted: tuple[AskedAttribute, ...] = ()  # approximate ones that the outer event compares


class Network:
    """All nodes; those that nobody uses are gone.

    Inner ones are made once for all patterns that look among what answers them: they know what has.
    """

    def __init__(self, filters: Filters, progress: Progress) -> None:
        self._filters, self._progress = filters, progress
        self._made: dict[Hashable, _Made] = {}
        self.fresh: list[ConjunctionNode] = []  # have not heard of what happened so far

    def __len__(self) -> int:
        return len(self._made)

    def take_up(self, pattern: Pattern, options: Options) -> tuple[Hashable, Node]:
        """The node of a pattern, and the key to let go of it by."""
        before = len(self._made)
        try:
            key = self._likeliest(self._pattern(pattern, _Role(matched_options(options), pattern)))
        except PurportError:
            self._let_go_unused(before)
            raise
        self._made[key].users += 1
        return key, self._made[key].node

    def let_go(self, key: Hashable) -> list[ConjunctionNode]:
        """Somebody has no more use for a node; gives those that take no more events for that."""
        made = self._made[key]
        made.users -= 1
        if made.users:
            return []
        del self._made[key]
        self._close(made.node)
        for node, hear in made.hears:
            node.listeners.remove(hear)
        gone = [one for used in made.uses for one in self.let_go(used)]
        return [*gone, made.node] if isinstance(made.node, ConjunctionNode) else gone

    def _let_go_unused(self, first: int) -> None:
        """Let go of what was made for a pattern that is refused: the last, from one on."""
        for key in reversed(list(self._made)[first:]):
            if key in self._made and not self._made[key].users:
                self._made[key].users = 1
                self.let_go(key)

    def nodes(self) -> Iterable[Node]:
        """All nodes."""
        return [made.node for made in self._made.values()]

    def _close(self, node: Node) -> None:
        if isinstance(node, ConjunctionNode):
            node.close()
            for operator in node.operators:
                operator.close()
            self._filters.let_go(node.filter)
            if node in self.fresh:
                self.fresh.remove(node)
        elif isinstance(node, AbsenceNode):
            node.close()

    def _likeliest(self, answered: Hashable) -> Hashable:
        """The key of who tells only the likeliest answers; single events have no others."""
        node = self._made[answered].node
        if isinstance(node, ConjunctionNode) and not node.operators:
            return answered
        key = (LikeliestNode, answered)
        if key not in self._made:
            likeliest = LikeliestNode(node.rank + 1, self._progress)
            node.listeners.append(likeliest.hear)
            self._made[answered].users += 1
            self._made[key] = _Made(likeliest, (answered,), ((node, likeliest.hear),))
        return key

    def _pattern(self, pattern: Pattern, role: _Role) -> Hashable:
        """The key of a pattern's node."""
        match pattern:
            case Conjunction():
                return self._conjunction(_parts(pattern, is_inner=role.is_inner), role)
            case Alternation(parts) | Sequence(parts):
                return self._composed(pattern, parts, role)
            case Coincidence(parts):
                return self._composed(pattern, tuple(dict.fromkeys(parts)), role)
            case Repetition(inner):
                return self._composed(pattern, (inner,), role)
            case Absence(missing, _, trigger):
                return self._composed(pattern, (trigger, missing), role)

    def _composed(self, pattern: Pattern, patterns: tuple[Pattern, ...], role: _Role) -> Hashable:
        key = (pattern, role)
        if key in self._made:
            return key
        parts = [self._pattern(one, self._role_in(pattern, number, role))
                 for number, one in enumerate(patterns)]  # fmt: skip
        nodes = [self._made[one].node for one in parts]
        node, hears = self._composition(pattern, nodes)
        for one, hear in hears:
            one.listeners.append(hear)
        for used in parts:
            self._made[used].users += 1
        self._made[key] = _Made(node, tuple(parts), hears)
        return key

    @staticmethod
    def _role_in(pattern: Pattern, number: int, role: _Role) -> _Role:
        """What is missing counts only if it was known when its time was up."""
        is_missing = isinstance(pattern, Absence) and number == 1
        return replace(role, needs_known=True) if is_missing else role

    def _composition(
        self, pattern: Pattern, nodes: list[Node]
    ) -> tuple[Node, tuple[tuple[Node, Hear], ...]]:
        """The node of a composition, and how it hears of its parts."""
        rank = 1 + max(node.rank for node in nodes)
        match pattern:
            case Alternation():
                either = AlternationNode(rank)
                return either, tuple((one, either.hear) for one in nodes)
            case Sequence(steps, within):
                places = [write_pattern(one) for one in steps]
                return _several(SequenceNode(rank, places, _limit(within)), nodes)
            case Coincidence(parts, within):
                asked = [(write_pattern(one), times) for one, times in Counter(parts).items()]
                return _several(CoincidenceNode(rank, asked, _limit(within)), nodes)
            case Repetition(inner, times, within):
                asked = [(write_pattern(inner), times)]
                return _several(CoincidenceNode(rank, asked, length_of(within)), nodes)
            case Absence(_, within, trigger):
                place, limit = write_pattern(trigger), length_of(within)
                missing = AbsenceNode(rank, place, limit, self._progress)
                return missing, (
                    (nodes[0], missing.hear_trigger),
                    (nodes[1], missing.hear_missing),
                )
        raise TypeError(f"not a composition: {pattern}")

    def _conjunction(self, parts: Parts, role: _Role) -> Hashable:
        key = (parts, role)
        if key in self._made:
            return key
        inner_keys = [self._inner(one, parts, role) for one in parts.temporal]
        wanted = tuple(one for one in role.wanted if one not in parts.read)
        filter = self._filters.take_up(parts.plain, role.options, parts.read, wanted)  # or refuse
        operators = [
            self._operator(one, self._made[inner].node, role, needs_end=parts.needs_end)
            for one, inner in zip(parts.temporal, inner_keys, strict=True)
        ]
        node = ConjunctionNode(
            filter,
            operators,
            self._progress,
            1 + max((self._made[one].node.rank for one in inner_keys), default=-1),
            needs_end=parts.needs_end,
            needs_known=role.needs_known,
            is_inner=role.is_inner,
            binds=parts.binds,
        )
        for number, operator in enumerate(operators):
            if isinstance(
                operator, AfterOperator | DuringOperator | SimultaneousOperator | AllenOperator
            ):
                operator.tell = partial(node.hear, number)
        for one in inner_keys:
            self._made[one].users += 1
        self._made[key] = _Made(node, tuple(inner_keys))
        self.fresh.append(node)
        return key

    def _inner(self, predicate: Temporal, outer: Parts, role: _Role) -> Hashable:
        """The key of the node among whose answers an operator looks."""
        inner_role = _Role(
            role.options,
            None,
            is_inner=True,
            needs_known=role.needs_known,
            wanted=approximate(attribute_of(predicate)),
        )
        if isinstance(predicate, WindowAggregate):
            return self._conjunction(Parts(outer.plain), inner_role)
        if isinstance(predicate, HistoryFilter):
            inner_role = replace(inner_role, needs_known=not is_prompt(predicate.inner))
        parts = _parts(predicate.inner, is_inner=True)
        return self._conjunction(replace(parts, correlated=()), inner_role)

    def _operator(
        self, predicate: Temporal, inner: Node, role: _Role, *, needs_end: bool
    ) -> MakesOperator:
        assert isinstance(inner, ConjunctionNode)
        place, progress, known = write_predicate(predicate), self._progress, role.needs_known
        match predicate:
            case WindowAggregate(function, attribute, window, operator, AskedValue(value)):
                assert not isinstance(value, Reference)
                return AggregateOperator(
                    place, Witnesses(inner, None), progress, function, attribute,
                    length_of(window), operator, value, of_end=needs_end,
                )  # fmt: skip
            case HistoryFilter(attribute, operator, last):
                return HistoryFilterOperator(
                    place, self._witnesses(predicate, inner, role), progress, attribute, operator,
                    last, of_end=needs_end,
                )  # fmt: skip
            case After(endpoint, limit):
                return AfterOperator(
                    place, self._witnesses(predicate, inner, role), progress, endpoint,
                    _limit(limit), needs_known=known,
                )  # fmt: skip
            case During(endpoint):
                witnesses = self._witnesses(predicate, inner, role)
                return DuringOperator(place, witnesses, progress, endpoint, needs_known=known)
            case Simultaneous(endpoint):
                witnesses = self._witnesses(predicate, inner, role)
                return SimultaneousOperator(place, witnesses, progress, endpoint, needs_known=known)
            case AllenRelated(relation):
                witnesses = self._witnesses(predicate, inner, role)
                return AllenOperator(place, witnesses, progress, relation, needs_known=known)

    def _witnesses(
        self,
        predicate: Witnessed | HistoryFilter,
        inner: ConjunctionNode,
        role: _Role,
    ) -> Witnesses:
        correlated = _parts(predicate.inner, is_inner=True).correlated
        correlation = Correlation(correlated, role.options, self._filters)
        return Witnesses(inner, correlation if correlated else None)


def _parts(conjunction: Conjunction, *, is_inner: bool) -> Parts:
    """The predicates of a conjunction; `NotSupportedYet` or `InvalidInput` if one cannot be run."""
    parts = Parts.of(conjunction, is_inner=is_inner)
    for predicate in parts.temporal:
        match predicate:
            case WindowAggregate(_, _, _, _, AskedValue(value, approximation)) if (
                isinstance(value, Reference) or approximation is not None
            ):
                raise NotSupportedYet(
                    "an aggregate compared with a reference ($) or an approximate value (~)",
                    write_predicate(predicate),
                )
    if parts.correlated and not is_inner:
        raise InvalidInput(
            f"{write_predicate(parts.correlated[0])} refers to the value of another event, and "
            "there is none: $ stands in inner braces, or as `a = $name` in a composition"
        )
    return parts


def _several(
    node: SequenceNode | CoincidenceNode, parts: list[Node]
) -> tuple[Node, tuple[tuple[Node, Hear], ...]]:
    """A node that hears of each of its parts by its number."""
    return node, tuple((one, partial(node.hear, number)) for number, one in enumerate(parts))


def _limit(duration: timedelta | None) -> int | None:
    return None if duration is None else length_of(duration)
