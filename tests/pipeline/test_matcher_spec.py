"""A worker builds its matcher from a spec, and what is costly about that once."""

from pathlib import Path

import pytest

from purport import Event, parse
from purport.errors import UnusablePath
from purport.pipeline.matcher_spec import MatcherSettings, MatcherSpec
from tests.strategies.wine_cellar import CELLAR, cellar_file


def test_an_ontology_is_read_once_until_its_file_changes(tmp_path: Path) -> None:
    path = cellar_file(tmp_path)
    first = MatcherSettings(ontology=(path,)).loaded_ontology()

    again = MatcherSettings(ontology=(path,)).loaded_ontology()
    path.write_text(CELLAR + ":Port a owl:Class ; rdfs:subClassOf :Wine .\n")

    assert again is first is not None
    assert first.names.find_class("Port") is None
    changed = MatcherSettings(ontology=(path,)).loaded_ontology()
    assert changed is not None
    assert changed.names.find_class("Port") is not None


def test_a_spec_carries_the_paths_of_its_ontology(tmp_path: Path) -> None:
    settings = MatcherSettings(measure="exact", ontology=(cellar_file(tmp_path),))

    matcher = MatcherSpec.of([parse("{drink isa Wine} as wine")], settings).build()

    assert settings.told() == "measure exact, an ontology"
    assert len(matcher.match(Event.from_json({"drink": "Merlot"}))) == 1


def test_an_ontology_that_is_not_there_is_told_by_its_path(tmp_path: Path) -> None:
    with pytest.raises(UnusablePath, match=r"missing\.ttl: No such file"):
        MatcherSettings(ontology=(tmp_path / "missing.ttl",)).matcher()
