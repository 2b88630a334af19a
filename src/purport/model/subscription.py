"""Subscriptions and rules as trees of small nodes: what the subscription language says.

* Subscription = Pattern + Options (+ Action: a Rule)
* Pattern = Conjunction | Alternation | Sequence | Coincidence | Repetition | Absence
* Conjunction = Predicates, all of which must hold for one event
* Predicate = Comparison | OneOfValues | InRange              values
            | IsA | ClassOrder | HasProperty                  ontologies
            | ContainsAll | Within                            bags: all values of an attribute
            | After | During | Simultaneous | HistoryFilter | AllenRelated     time
            | WindowAggregate                                 windows
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from purport.model.class_expression import ClassExpression, Named
from purport.model.comparison import Operator, holds
from purport.model.term import Attribute, Boolean, Resource, Term, Text
from purport.model.units import Quantity, read_quantity, spells_number

_MEASURE_NAME = re.compile(r"[A-Za-z][\w-]*")


def _require(is_so: bool, message: str) -> None:
    if not is_so:
        raise ValueError(message)


def _require_duration(duration: timedelta | None) -> None:
    _require(duration is None or duration > timedelta(0), "a duration is longer than 0")


@dataclass(frozen=True, slots=True)
class Approximation:
    """`~`: this word or a related one, as judged by the named measure or the default one."""

    measure: str | None = None

    def __post_init__(self) -> None:
        _require(
            self.measure is None or _MEASURE_NAME.fullmatch(self.measure) is not None,
            f"a measure's name is made of letters, digits, _ and -, got {self.measure!r}",
        )


@dataclass(frozen=True, slots=True)
class Reference:
    """`$port`: the value of that attribute in the outer event (in a rule: in the matched one)."""

    attribute: str

    def __post_init__(self) -> None:
        _require(bool(self.attribute), "a reference names an attribute")


@dataclass(frozen=True, slots=True)
class AskedAttribute:
    """The attribute side of a predicate, e.g. `device~`."""

    term: Attribute
    approximation: Approximation | None = None


@dataclass(frozen=True, slots=True)
class AskedValue:
    """The value side of a predicate, e.g. `laptop~`."""

    term: Term | Reference
    approximation: Approximation | None = None


def _require_order(value: AskedValue) -> None:
    """Refuse what is neither less nor greater than anything, or only seems to be a quantity."""
    term = value.term
    _require(not isinstance(term, Boolean | Resource), f"{term} has no order: use = or !=")
    if isinstance(term, Text) and spells_number(term.text):
        is_known = read_quantity(term.text) is not None
        _require(is_known, f"the unit in {term.text!r} is not known, so it has no order")


@dataclass(frozen=True, slots=True)
class Comparison:
    """`temperature~ > 25 °C`."""

    attribute: AskedAttribute
    operator: Operator
    value: AskedValue

    def __post_init__(self) -> None:
        if self.operator not in (Operator.EQUAL, Operator.NOT_EQUAL):
            _require_order(self.value)


@dataclass(frozen=True, slots=True)
class OneOfValues:
    """`floor in (ground floor, first floor)`."""

    attribute: AskedAttribute
    values: tuple[AskedValue, ...]

    def __post_init__(self) -> None:
        _require(bool(self.values), "a list of values has at least one")


@dataclass(frozen=True, slots=True)
class InRange:
    """`temperature in [18 °C, 25 °C]`, both ends included."""

    attribute: AskedAttribute
    low: AskedValue
    high: AskedValue

    def __post_init__(self) -> None:
        _require_order(self.low)
        _require_order(self.high)
        low, high = self.low.term, self.high.term
        if not isinstance(low, Reference) and not isinstance(high, Reference):
            _require(holds(low, Operator.AT_MOST, high), f"nothing lies from {low} to {high}")


@dataclass(frozen=True, slots=True)
class IsA:
    """`wine isa wine:RedWine`: the value is a member of the class."""

    attribute: AskedAttribute
    expression: ClassExpression


class ClassRelation(StrEnum):
    """How a told class stands to the asked one."""

    MORE_SPECIFIC = "more specific than"
    LESS_SPECIFIC = "less specific than"
    EQUIVALENT = "equivalent to"


@dataclass(frozen=True, slots=True)
class ClassOrder:
    """`kind more specific than net:Fault`: the value is itself a class."""

    attribute: AskedAttribute
    relation: ClassRelation
    expression: ClassExpression


@dataclass(frozen=True, slots=True)
class HasProperty:
    """`wine has wine:hasColor = wine:Red`: the individual has a property with such a value."""

    attribute: AskedAttribute
    property: Named
    operator: Operator
    value: AskedValue


@dataclass(frozen=True, slots=True)
class ContainsAll:
    """`tags contains all (a, b)`: each of these is among the values."""

    attribute: AskedAttribute
    values: tuple[AskedValue, ...]

    def __post_init__(self) -> None:
        _require(bool(self.values), "a list of values has at least one")


@dataclass(frozen=True, slots=True)
class Within:
    """`tags within (a, b, c)`: every value is one of these."""

    attribute: AskedAttribute
    values: tuple[AskedValue, ...]

    def __post_init__(self) -> None:
        _require(bool(self.values), "a list of values has at least one")


class Endpoint(StrEnum):
    """One end of an event's interval."""

    START = "start"
    END = "end"


ReferenceTime = Endpoint | AskedAttribute  # an end of the interval, or the time an attribute says


def _require_exact(reference: ReferenceTime) -> None:
    is_exact = isinstance(reference, Endpoint) or reference.approximation is None
    _require(is_exact, "the attribute of a time is exact")


@dataclass(frozen=True, slots=True)
class After:
    """`start after(10 s) {...}`: some such event ended before, at most so long ago."""

    endpoint: ReferenceTime
    limit: timedelta | None
    inner: Conjunction

    def __post_init__(self) -> None:
        _require_exact(self.endpoint)
        _require_duration(self.limit)


@dataclass(frozen=True, slots=True)
class During:
    """`end during {...}`: some such event was going on."""

    endpoint: ReferenceTime
    inner: Conjunction

    def __post_init__(self) -> None:
        _require_exact(self.endpoint)


@dataclass(frozen=True, slots=True)
class Simultaneous:
    """`start with {...}`: some such event has the same start (or end)."""

    endpoint: Endpoint
    inner: Conjunction


@dataclass(frozen=True, slots=True)
class HistoryFilter:
    """`A filter(<, last 200) {...}`: A is less than that of one of the last 200 such events."""

    attribute: AskedAttribute
    operator: Operator
    last: int | None
    inner: Conjunction

    def __post_init__(self) -> None:
        _require(self.last is None or self.last > 0, "at least the last 1 event is looked at")


class AllenRelation(StrEnum):
    """Allen's thirteen relations between two intervals."""

    BEFORE = "before"
    AFTER = "after"
    MEETS = "meets"
    MET_BY = "met by"
    OVERLAPS = "overlaps"
    OVERLAPPED_BY = "overlapped by"
    STARTS = "starts"
    STARTED_BY = "started by"
    DURING = "during"
    CONTAINS = "contains"
    FINISHES = "finishes"
    FINISHED_BY = "finished by"
    EQUALS = "equals"


@dataclass(frozen=True, slots=True)
class AllenRelated:
    """`interval overlaps {...}`: this event's interval stands so to that of some such event."""

    relation: AllenRelation
    inner: Conjunction


class Function(StrEnum):
    """What is made of the values in a window."""

    COUNT = "count"
    SUM = "sum"
    AVG = "avg"
    MIN = "min"
    MAX = "max"


@dataclass(frozen=True, slots=True)
class WindowAggregate:
    """`avg(temperature~) over 5 min > 25`; a count may have no attribute: it counts events."""

    function: Function
    attribute: AskedAttribute | None
    window: timedelta
    operator: Operator
    value: AskedValue

    def __post_init__(self) -> None:
        _require_duration(self.window)
        is_count = self.function is Function.COUNT
        _require(self.attribute is not None or is_count, f"{self.function} needs an attribute")
        is_number = isinstance(self.value.term, Quantity | Reference)
        _require(is_number, f"{self.function} is compared with a number, not {self.value.term}")


Predicate = (
    Comparison
    | OneOfValues
    | InRange
    | IsA
    | ClassOrder
    | HasProperty
    | ContainsAll
    | Within
    | After
    | During
    | Simultaneous
    | HistoryFilter
    | AllenRelated
    | WindowAggregate
)


@dataclass(frozen=True, slots=True)
class Conjunction:
    """`{..., ...}`: every predicate holds for one event."""

    predicates: tuple[Predicate, ...]

    def __post_init__(self) -> None:
        _require(bool(self.predicates), "a subscription has at least one predicate")


@dataclass(frozen=True, slots=True)
class Alternation:
    """`{...} or {...}`."""

    alternatives: tuple[Pattern, ...]

    def __post_init__(self) -> None:
        _require(len(self.alternatives) > 1, "an alternation has at least two patterns")


@dataclass(frozen=True, slots=True)
class Sequence:
    """`{...} then {...} within 10 s`: one after the other, first to last within the time."""

    steps: tuple[Pattern, ...]
    within: timedelta | None = None

    def __post_init__(self) -> None:
        _require(len(self.steps) > 1, "a sequence has at least two patterns")
        _require_duration(self.within)


@dataclass(frozen=True, slots=True)
class Coincidence:
    """`{...} and {...} within 10 s`: different events in any order, all within the time."""

    parts: tuple[Pattern, ...]
    within: timedelta | None = None

    def __post_init__(self) -> None:
        _require(len(self.parts) > 1, "a coincidence has at least two patterns")
        _require_duration(self.within)


@dataclass(frozen=True, slots=True)
class Repetition:
    """`{...} 3 times within 2 s`."""

    pattern: Pattern
    times: int
    within: timedelta

    def __post_init__(self) -> None:
        _require(self.times > 0, "something is repeated at least once")
        _require_duration(self.within)


@dataclass(frozen=True, slots=True)
class Absence:
    """`not {...} within 30 s after {...}`: it did not happen although it should have."""

    missing: Pattern
    within: timedelta
    trigger: Pattern

    def __post_init__(self) -> None:
        _require_duration(self.within)


Pattern = Conjunction | Alternation | Sequence | Coincidence | Repetition | Absence


class Multiplicity(StrEnum):
    """Whether several predicates may be answered by one statement."""

    MANY_TO_ONE = "n:1"
    ONE_TO_ONE = "1:1"


class Aggregation(StrEnum):
    """How the scores of the predicates become one."""

    MEAN = "mean"
    HARMONIC = "harmonic"


class Exactness(StrEnum):
    """Whether a predicate without `~` must hold, or counts like any other."""

    REQUIRED = "required"
    SCORED = "scored"


@dataclass(frozen=True, slots=True)
class Options:
    """What follows the braces; None where the subscriber said nothing and a default holds."""

    threshold: float | None = None
    top: int | None = None
    mapping: Multiplicity | None = None
    aggregation: Aggregation | None = None
    exact: Exactness | None = None
    expires: datetime | None = None
    at_most_once_per: timedelta | None = None
    on_change: bool = False

    def __post_init__(self) -> None:
        _require(
            self.threshold is None or 0 <= self.threshold <= 1,
            f"the threshold must be from 0 to 1, got {self.threshold}",
        )
        _require(self.top is None or self.top > 0, f"top must be 1 or more, got {self.top}")
        _require_duration(self.at_most_once_per)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a subscription was written, for messages."""

    file: str | None
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Subscription:
    """A pattern of events that somebody wants to hear of, with options and perhaps a name."""

    pattern: Pattern
    options: Options = Options()
    name: str | None = None
    origin: Origin | None = field(default=None, compare=False, kw_only=True)

    def __post_init__(self) -> None:
        _require(self.name is None or bool(self.name.strip()), "a name must not be empty")

    @property
    def predicates(self) -> tuple[Predicate, ...]:
        """The predicates of a subscription to single events; none for a composition."""
        return self.pattern.predicates if isinstance(self.pattern, Conjunction) else ()


@dataclass(frozen=True, slots=True)
class Derivation:
    """One statement of an event that a rule publishes, e.g. `room = $room`."""

    attribute: Attribute
    value: Term | Reference


@dataclass(frozen=True, slots=True)
class Publish:
    """`publish {type = alert, room = $room}`."""

    statements: tuple[Derivation, ...]

    def __post_init__(self) -> None:
        _require(bool(self.statements), "a published event has at least one statement")


@dataclass(frozen=True, slots=True)
class Update:
    """`update "INSERT DATA {...}"`: run SPARQL."""

    sparql: str


@dataclass(frozen=True, slots=True)
class Post:
    """`post "https://..."`: call a webhook."""

    url: str

    def __post_init__(self) -> None:
        _require(
            self.url.startswith(("http://", "https://")),
            "expected an address that begins with http:// or https://",
        )


Action = Publish | Update | Post


@dataclass(frozen=True, slots=True)
class Rule(Subscription):
    """`when {...} publish {...}`: a subscription, and what to do on a match."""

    action: Action = field(kw_only=True)
