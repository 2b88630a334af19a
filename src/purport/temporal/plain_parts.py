"""What single events have to say before a subscription to what happens in time looks at them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from purport.model.subscription import (
    Absence,
    Alternation,
    Coincidence,
    Conjunction,
    Pattern,
    Repetition,
    Sequence,
    Subscription,
    WindowAggregate,
)
from purport.temporal.asked import Parts
from purport.temporal.filters import matched_options


def plain_parts(subscription: Subscription) -> tuple[Subscription, ...] | None:
    """Subscriptions to single events, one of which each event answers that matters to a pattern.

    None if any event may matter. Those whose start and end are told apart matter whatever they say:
    one part alone may not say all of it.

    >>> from purport.model.language.parse import parse
    >>> from purport.model.language.write import write
    >>> rule = parse("{type = vpn down, start after(10 s) {type = link down}} as cause")
    >>> [write(one) for one in plain_parts(rule)]
    ['{type = link down}', '{type = vpn down}']
    """
    options = replace(matched_options(subscription.options), top=None)
    found: dict[Subscription, None] = {}
    for conjunction, is_inner in _conjunctions(subscription.pattern, is_inner=False):
        plain = Parts.of(conjunction, is_inner=is_inner).plain
        if not plain:
            return None
        found[Subscription(Conjunction(plain), options)] = None
    return tuple(found)


def _conjunctions(pattern: Pattern, *, is_inner: bool) -> Iterator[tuple[Conjunction, bool]]:
    """Every pair of braces in a pattern, inner ones first, and whether there is one around it."""
    match pattern:
        case Conjunction():
            for one in Parts.of(pattern, is_inner=is_inner).temporal:
                if not isinstance(one, WindowAggregate):  # which looks at what the braces let pass
                    yield from _conjunctions(one.inner, is_inner=True)
            yield pattern, is_inner
        case Alternation(parts) | Sequence(parts) | Coincidence(parts):
            for part in parts:
                yield from _conjunctions(part, is_inner=False)
        case Repetition(inner):
            yield from _conjunctions(inner, is_inner=False)
        case Absence(missing, _, trigger):
            yield from _conjunctions(missing, is_inner=False)
            yield from _conjunctions(trigger, is_inner=False)
