"""What brokers have to have in common so that both find the same events to answer an interest."""

from __future__ import annotations

from hashlib import sha256

from msgspec import Struct, structs

from purport.covering.interest import EVERYTHING, PARTS
from purport.errors import InvalidInput, PurportError
from purport.matching.asked import ClassPredicate, matched_predicates
from purport.matching.matcher import Matcher
from purport.matching.subscribed_terms import approximate_terms
from purport.model.language.parse import parse
from purport.model.subscription import Subscription
from purport.ontology.ontology import Ontology

_NAMES = frozenset(("defaults", "lexicon", "measure", "ontology"))


class Judges(Struct, frozen=True):
    """Digests of what judges at a broker, each the same wherever the same events are found.

    None where it cannot be told, which is as nobody else's.
    """

    defaults: str | None = None  # what holds where a subscriber says nothing
    lexicon: str | None = None
    measure: str | None = None  # for every `~` that names none
    ontology: str | None = None

    def differences(self, other: Judges) -> frozenset[str]:
        """Which of them are others there."""
        mine, its = structs.asdict(self), structs.asdict(other)
        return frozenset(name for name in _NAMES if mine[name] is None or mine[name] != its[name])


def judges_of(matcher: Matcher) -> Judges:
    """What judges in a matcher."""
    defaults, ontology = matcher.defaults, matcher.ontology
    return Judges(
        _digest(defaults.aggregation, defaults.exact, defaults.threshold),
        _digest(matcher.measures.lexicon_identity),
        _of_measure(matcher),
        "none" if ontology is None else _of_ontology(ontology),
    )


def needed_to_judge(text: str) -> frozenset[str]:
    """The names of what an interest is judged by; all of them if nobody here can read it."""
    if text in (EVERYTHING, PARTS):
        return frozenset()
    try:
        asked = parse(text)
    except PurportError:
        return _NAMES
    return frozenset(_needs(asked)) if isinstance(asked, Subscription) else _NAMES


def _needs(asked: Subscription) -> set[str]:
    options, found = asked.options, {"lexicon"}  # by which names may imply units
    if None in (options.aggregation, options.exact, options.threshold):
        found.add("defaults")
    if any(True for _ in approximate_terms(asked)):
        found.add("measure")
    if any(isinstance(one, ClassPredicate) for one in matched_predicates(asked)):
        found |= {"ontology", "measure"}  # which reads the words of a class
    return found


def _of_measure(matcher: Matcher) -> str | None:
    try:
        identity = matcher.measures.default_identity
    except InvalidInput:
        return None
    return None if identity is None else _digest(identity)


def _of_ontology(ontology: Ontology) -> str:
    axioms = ontology.axioms
    return _digest(
        *sorted(map(repr, axioms.axioms)),
        *(
            sorted(some)
            for some in (
                axioms.classes, axioms.object_properties, axioms.data_properties,
                axioms.individuals, axioms.labels.items(), axioms.prefixes.items(),
            )
        ),
    )  # fmt: skip


def _digest(*some: object) -> str:
    return sha256(repr(some).encode()).hexdigest()[:16]
