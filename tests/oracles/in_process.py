"""What a job on Spark has to give: what one process gives, line by line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from purport import Matcher, Subscription
from purport.model.event_lines import DeadLetter, events_in_file
from purport.model.language.label import label

Rows = set[tuple[object, ...]]


def in_process(
    folder: Path, subscriptions: Sequence[Subscription], ontology: Path | None = None
) -> tuple[Rows, Rows]:
    """Matches and dead letters of all files of a folder, without Spark."""
    matcher = Matcher(subscriptions, ontology=ontology)
    matched: Rows = set()
    refused: Rows = set()
    for path in folder.iterdir():
        for said in events_in_file(path):
            if isinstance(said, DeadLetter):
                refused.add((said.source, said.line, said.reason, said.text))
                continue
            for match in matcher.match(said):
                mapping = tuple(
                    next(i for i, s in enumerate(said.statements) if s is pair.statement)
                    for pair in match.mapping.correspondences
                )
                probability = round(match.probability, 5)  # the table has single precision
                matched.add((said.id, label(match.subscription), probability, mapping))
    return matched, refused
