"""Ontologies from files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from purport.ontology.axioms import Axioms


def read_ontology(
    paths: Sequence[Path | str],
    *,
    imports: Sequence[Path] = (),
    ignores_missing_imports: bool = False,
) -> Axioms:
    """What files say."""
    raise NotImplementedError
