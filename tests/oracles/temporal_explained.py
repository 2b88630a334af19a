"""Whether the parts that are told with an answer are why it is one."""

from collections.abc import Iterable

from purport.model import subscription as ast
from purport.temporal.instance import Instance
from purport.temporal.occurrence import Occurrence
from tests.oracles.temporal_scan import PlainMatcher, answers

TOLERANCE = 1e-5  # matchers reckon in single precision


def is_explained(
    instance: Instance,
    subscription: ast.Subscription,
    known: Iterable[Occurrence],
    *,
    matcher: PlainMatcher,
    watermark: float,
) -> bool:
    """Whether the event, with those that it is told with and no others, is as likely an answer.

    Of an absence, less may have come then, and it is likelier. An aggregate is no part of it: other
    events may be in its window that are not told.
    """
    named = {instance.about.id, *(part.instance.about.id for part in instance.all_parts())}
    alone = [one for one in known if one.id in named]
    if len(alone) < len(named):
        return False
    if has_aggregate(subscription.pattern):
        return True
    found = answers(subscription, alone, matcher=matcher, watermark=watermark)
    return found.get(instance.about.id, 0.0) >= instance.probability - TOLERANCE


def has_aggregate(pattern: ast.Pattern) -> bool:
    """Whether a window is asked for somewhere in a pattern."""
    match pattern:
        case ast.Conjunction(predicates):
            return any(map(_is_of_window, predicates))
        case ast.Alternation(inner) | ast.Sequence(inner):
            return any(map(has_aggregate, inner))
        case ast.Repetition(repeated):
            return has_aggregate(repeated)
        case ast.Absence(missing, _, trigger):
            return has_aggregate(missing) or has_aggregate(trigger)


def _is_of_window(predicate: ast.Predicate) -> bool:
    match predicate:
        case (
            ast.After(inner=inner)
            | ast.During(inner=inner)
            | ast.Simultaneous(inner=inner)
            | ast.AllenRelated(inner=inner)
            | ast.HistoryFilter(inner=inner)
        ):
            return has_aggregate(inner)
    return isinstance(predicate, ast.WindowAggregate)
