"""The order of classes, against an independent reasoner."""

from __future__ import annotations

import os

import pytest

from tests.ontology.hermit import ONTOLOGIES, compared, is_there


@pytest.mark.parametrize("name", ONTOLOGIES)
def test_classes_are_ordered_as_hermit_orders_them(name: str) -> None:
    if not is_there():
        reason = "HermiT is not installed: pip install owlready2==0.51"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    found = compared(name)
    assert found.pairs > 0
    assert found.only_ours == ()
    assert found.only_hermit == ()
