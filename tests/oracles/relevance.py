"""The ground truth of TOIT'14 (6.2.6), event by event and statement by statement."""

from __future__ import annotations

from collections.abc import Sequence

from purport.evaluation.toit14.thesaurus import Thesaurus
from purport.evaluation.toit14.workload import AskedPredicate, ExpandedEvent


def is_relevant(
    thesaurus: Thesaurus, subscription: Sequence[AskedPredicate], event: ExpandedEvent
) -> bool:
    """Whether all that is asked is said, or said otherwise where it is relaxed."""

    def means(asked: str, said: str, *, is_relaxed: bool) -> bool:
        return said == asked or (is_relaxed and said in thesaurus.versions(asked))

    return all(
        any(
            means(asked.attribute, attribute, is_relaxed=asked.attribute_is_relaxed)
            and means(asked.value, value, is_relaxed=asked.value_is_relaxed)
            for attribute, value in event.statements
        )
        for asked in subscription
    )
