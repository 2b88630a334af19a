"""From patterns to the nodes that answer them; what several have in common is made once."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from typing import overload

from purport.errors import InvalidInput, NotSupportedYet
from purport.model.comparison import Operator
from purport.model.language.write import write_pattern, write_predicate
from purport.model.subscription import (
    Absence,
    After,
    AllenRelated,
    Alternation,
    AskedAttribute,
    AskedValue,
    Comparison,
    Conjunction,
    During,
    Endpoint,
    HistoryFilter,
    Options,
    Pattern,
    Predicate,
    Reference,
    Repetition,
    Sequence,
    Simultaneous,
    WindowAggregate,
)
from purport.temporal.asked import is_prompt
from purport.temporal.composition import AbsenceNode, AlternationNode, SequenceNode
from purport.temporal.conjunction import ConjunctionNode, Hear
from purport.temporal.filters import Filters
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
from purport.temporal.repetition import RepetitionNode
from purport.temporal.sources import Correlation, is_correlated
from purport.temporal.windows import AggregateOperator

Temporal = After | During | Simultaneous | HistoryFilter | AllenRelated | WindowAggregate
Node = (
    ConjunctionNode | AlternationNode | SequenceNode | RepetitionNode | AbsenceNode | LikeliestNode
)
MakesOperator = (
    AfterOperator
    | DuringOperator
    | SimultaneousOperator
    | AllenOperator
    | HistoryFilterOperator
    | AggregateOperator
)

_MICROSECOND = timedelta(microseconds=1)


@dataclass(slots=True)
class _Made:
    """A node, who uses it, and what it uses."""

    node: Node
    uses: tuple[Hashable, ...]
    hears: tuple[tuple[Node, Hear], ...] = ()  # of which others, and how
    users: int = 0


@dataclass(frozen=True, slots=True)
class _Parts:
    """The predicates of a conjunction, by what answers them."""

    plain: tuple[Predicate, ...]
    temporal: tuple[Temporal, ...]
    correlated: tuple[Predicate, ...]
    binds: tuple[tuple[str, AskedAttribute], ...]


@dataclass(frozen=True, slots=True)
class _Role:
    """What a conjunction is for."""

    options: Options
    of: Pattern | None  # what it is a part of; None for inner ones, which all may share
    is_inner: bool = False  # operators look among what answers it
    needs_known: bool = False
    read: tuple[AskedAttribute, ...] = ()


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
        asked = Options(
            threshold=options.threshold,
            top=options.top,
            mapping=options.mapping,
            aggregation=options.aggregation,
            exact=options.exact,
        )
        key = self._likeliest(self._pattern(pattern, _Role(asked, pattern)))
        self._made[key].users += 1
        return key, self._made[key].node

    def let_go(self, key: Hashable) -> None:
        """Somebody has no more use for a node."""
        made = self._made[key]
        made.users -= 1
        if made.users:
            return
        del self._made[key]
        self._close(made.node)
        for node, hear in made.hears:
            node.listeners.remove(hear)
        for used in made.uses:
            self.let_go(used)

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
                return self._conjunction(_parts(pattern, role), role)
            case Alternation(alternatives):
                return self._composed(pattern, alternatives, role)
            case Sequence(steps):
                return self._composed(pattern, steps, role)
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
                sequence = SequenceNode(rank, places, _microseconds(within))
                return sequence, tuple(
                    (one, partial(sequence.hear, number)) for number, one in enumerate(nodes)
                )
            case Repetition(inner, times, within):
                place, limit = write_pattern(inner), _microseconds(within)
                several = RepetitionNode(rank, place, times, limit)
                return several, ((nodes[0], several.hear),)
            case Absence(_, within, trigger):
                place, limit = write_pattern(trigger), _microseconds(within)
                missing = AbsenceNode(rank, place, limit, self._progress)
                return missing, (
                    (nodes[0], missing.hear_trigger),
                    (nodes[1], missing.hear_missing),
                )
        raise TypeError(f"not a composition: {pattern}")

    def _conjunction(self, parts: _Parts, role: _Role) -> Hashable:
        key = (parts, role)
        if key in self._made:
            return key
        needs_end = any(_speaks_of_end(one) for one in parts.temporal)
        inner_keys = [self._inner(one, parts, role) for one in parts.temporal]
        operators = [
            self._operator(one, self._made[inner].node, role, needs_end=needs_end)
            for one, inner in zip(parts.temporal, inner_keys, strict=True)
        ]
        read = tuple(dict.fromkeys(_read(parts, role)))
        node = ConjunctionNode(
            self._filters.take_up(parts.plain, role.options, read),
            operators,
            self._progress,
            1 + max((self._made[one].node.rank for one in inner_keys), default=-1),
            needs_end=needs_end,
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

    def _inner(self, predicate: Temporal, outer: _Parts, role: _Role) -> Hashable:
        """The key of the node among whose answers an operator looks."""
        inner_role = _Role(role.options, None, is_inner=True, needs_known=role.needs_known)
        if isinstance(predicate, WindowAggregate):
            read = _approximate(predicate.attribute)
            plain = _Parts(outer.plain, (), (), ())
            return self._conjunction(plain, replace(inner_role, read=read))
        if isinstance(predicate, HistoryFilter):
            inner_role = replace(
                inner_role,
                needs_known=not is_prompt(predicate.inner),
                read=_approximate(predicate.attribute),
            )
        parts = _parts(predicate.inner, inner_role)
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
                    _microseconds(window), operator, value, of_end=needs_end,
                )  # fmt: skip
            case HistoryFilter(attribute, operator, last):
                return HistoryFilterOperator(
                    place, self._witnesses(predicate, inner, role), progress, attribute, operator,
                    last, of_end=needs_end,
                )  # fmt: skip
            case After(endpoint, limit):
                return AfterOperator(
                    place, self._witnesses(predicate, inner, role), progress, endpoint,
                    _microseconds(limit), needs_known=known,
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
        predicate: After | During | Simultaneous | HistoryFilter | AllenRelated,
        inner: ConjunctionNode,
        role: _Role,
    ) -> Witnesses:
        correlated = _parts(predicate.inner, replace(role, is_inner=True)).correlated
        if not correlated:
            return Witnesses(inner, None)
        options = replace(role.options, top=None)
        return Witnesses(inner, Correlation(correlated, options, self._filters))


def _parts(conjunction: Conjunction, role: _Role) -> _Parts:
    """The predicates of a conjunction, by what answers them."""
    plain: list[Predicate] = []
    temporal: list[Temporal] = []
    correlated: list[Predicate] = []
    binds: list[tuple[str, AskedAttribute]] = []
    for predicate in conjunction.predicates:
        match predicate:
            case After() | During() | Simultaneous() | HistoryFilter() | AllenRelated():
                temporal.append(predicate)
            case WindowAggregate(_, _, _, _, AskedValue(value, approximation)):
                if isinstance(value, Reference) or approximation is not None:
                    raise NotSupportedYet(
                        "an aggregate compared with a reference ($) or an approximate value (~)",
                        write_predicate(predicate),
                    )
                temporal.append(predicate)
            case Comparison(attribute, Operator.EQUAL, AskedValue(Reference(name), None)) if (
                not role.is_inner
            ):
                binds.append((name, attribute))
            case _ if not is_correlated(predicate):
                plain.append(predicate)
            case _ if role.is_inner:
                correlated.append(predicate)
            case _:
                raise InvalidInput(
                    f"{write_predicate(predicate)} refers to the value of another event, and there "
                    "is none: $ stands in inner braces, or as `a = $name` in a composition"
                )
    return _Parts(tuple(plain), tuple(temporal), tuple(correlated), tuple(binds))


def _speaks_of_end(predicate: Temporal) -> bool:
    match predicate:
        case After(endpoint) | During(endpoint) | Simultaneous(endpoint):
            return endpoint is Endpoint.END
        case AllenRelated():
            return True
    return False


def _read(parts: _Parts, role: _Role) -> Iterable[AskedAttribute]:
    """The approximate attributes whose values matter."""
    yield from role.read
    for predicate in parts.temporal:
        match predicate:
            case HistoryFilter(attribute) | WindowAggregate(_, attribute):
                yield from _approximate(attribute)
    for _, attribute in parts.binds:
        yield from _approximate(attribute)


def _approximate(attribute: AskedAttribute | None) -> tuple[AskedAttribute, ...]:
    is_one = attribute is not None and attribute.approximation is not None
    return (attribute,) if is_one and attribute is not None else ()


@overload
def _microseconds(duration: timedelta) -> int: ...


@overload
def _microseconds(duration: timedelta | None) -> int | None: ...


def _microseconds(duration: timedelta | None) -> int | None:
    return None if duration is None else duration // _MICROSECOND
