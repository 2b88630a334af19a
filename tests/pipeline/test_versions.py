"""Versions: what was matched with what, for ever."""

from pathlib import Path

import pytest

from purport import InvalidInput, parse
from purport.errors import UnusablePath
from purport.pipeline.matcher_spec import MatcherSettings
from purport.pipeline.versions import Versions

ONE, TWO = parse("{a = 1} as one"), parse("{b = 2}")


def test_a_version_is_a_new_one_when_subscriptions_or_settings_change(tmp_path: Path) -> None:
    versions, rules = Versions(tmp_path / "versions"), tmp_path / "house.lexicon"
    rules.write_text("treat kettle as laptop\n")
    under_rules = MatcherSettings("esa", lexicon=rules)

    numbers = [
        versions.number_of([ONE]),
        versions.number_of([ONE], MatcherSettings()),
        versions.number_of([ONE, TWO]),
        versions.number_of([ONE, TWO], MatcherSettings(mode="paper")),
        versions.number_of([ONE, TWO], MatcherSettings(competition=True)),
        versions.number_of([ONE, TWO], under_rules),
        versions.number_of([ONE, TWO], under_rules),
        versions.number_of([ONE, TWO], MatcherSettings("esa", scores=tmp_path)),
    ]
    rules.write_text("laptop is never kettle\n")
    numbers.append(versions.number_of([ONE, TWO], under_rules))

    assert numbers == [1, 1, 2, 3, 4, 5, 5, 6, 7]
    assert versions.settings(3) == MatcherSettings(mode="paper")
    assert versions.settings(5).measure == "esa"
    kept = versions.settings(5).lexicon
    assert kept is not None
    assert kept.read_text() == "treat kettle as laptop\n"
    assert versions.settings(6) == MatcherSettings("esa")
    assert versions.read(2) == [ONE, TWO]


def test_a_lexicon_that_a_killed_process_left_is_not_taken_for_ones_own(tmp_path: Path) -> None:
    versions = Versions(tmp_path)
    (tmp_path / "1.lexicon").write_text("treat kettle as laptop\n")

    assert versions.number_of([ONE]) == 1
    assert versions.settings(1).lexicon is None


def test_a_subscription_is_found_by_what_a_person_calls_it(tmp_path: Path) -> None:
    versions = Versions(tmp_path)
    odd = parse('{a = 3} as "a \\"quoted\\" näme\\u2028, {a = 1} as one"')
    versions.number_of([TWO, odd, ONE, parse("{x = one} as other")])

    assert versions.find(1, "one") == ONE
    assert versions.find(1, "{b = 2}") == TWO
    assert odd.name is not None
    assert versions.find(1, odd.name) == odd
    assert versions.find(1, "two") is None
    assert len(versions.lines(1)) == 4


def test_a_version_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnusablePath, match=r"3\.purport: No such file"):
        Versions(tmp_path).lines(3)
    with pytest.raises(InvalidInput, match=r"3\.json: No such file"):
        Versions(tmp_path).settings(3)
