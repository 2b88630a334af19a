"""One look at all matches finds what a look at each of them would."""

from collections import Counter

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from purport.pipeline.stored.matches import StoredMatch
from purport.pipeline.stored.seen import PARTS, SeenMatches
from purport.pipeline.tables import MATCHES, record_batch_of_rows

# Sixty-fourths are the same in single precision.
probabilities = st.integers(0, 64).map(lambda n: n / 64)
batches = st.lists(
    st.lists(st.tuples(st.sampled_from("abcd"), probabilities), min_size=1, max_size=12), max_size=4
)


def matches_of(found: list[list[tuple[str, float]]]) -> list[list[StoredMatch]]:
    number = 0
    made = []
    for batch in found:
        rows = []
        for name, probability in batch:
            rows.append(StoredMatch(f"e{number}", name, 1, probability, (0,), (1.0,), "x", number))
            number += 1
        made.append(rows)
    return made


def rows_of(matches: list[StoredMatch]) -> pa.RecordBatch:
    return record_batch_of_rows(
        MATCHES,
        [
            (one.event_id, one.subscription, one.version, one.probability, one.mapping,
             one.similarities, one.source, one.offset, None)
            for one in matches
        ],
    )  # fmt: skip


@given(batches, st.integers(1, 3))
def test_the_surest_and_least_sure_of_each_subscription_are_found(
    found: list[list[tuple[str, float]]], kept: int
) -> None:
    every = matches_of(found)
    seen = SeenMatches(kept)
    for batch in every:
        seen.add(rows_of(batch))

    flat = [match for batch in every for match in batch]
    for name in "abcd":
        own = [match for match in flat if match.subscription == name]
        best = sorted(own, key=lambda one: -one.probability)[:kept]
        worst = sorted(own, key=lambda one: one.probability)[:kept]
        assert seen.surest.get(name, []) == best
        assert seen.least_sure.get(name, []) == worst
    assert seen.count == len(flat)
    parts = Counter(min(PARTS - 1, int(one.probability * PARTS)) for one in flat)
    assert seen.by_probability.tolist() == [parts[part] for part in range(PARTS)]
    if kept == 1:
        best_of_each = [some[0].probability for some in seen.surest.values()]
        shown = [one.probability for one in seen.most_sure(2)]
        assert shown == sorted(best_of_each, reverse=True)[:2]
