"""Who may do what."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from purport import InvalidInput
from purport.broker.access import (
    OPEN,
    AccessRule,
    AccessRules,
    Action,
    Effect,
    Forbidden,
)
from purport.mqtt.topic_filters import topic_matches

Topics = st.SearchStrategy[tuple[str, ...]]
levels = st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=4)


def rule(*who: str, topics: tuple[str, ...] = ("#",), effect: Effect = Effect.ALLOW) -> AccessRule:
    return AccessRule(frozenset(who), frozenset({Action.PUBLISH}), topics, effect=effect)


@given(levels)
def test_a_topic_matches_itself_and_all_above_it_with_a_hash(topic: list[str]) -> None:
    text = "/".join(topic)

    assert topic_matches(text, text)
    assert topic_matches("#", text)
    assert all(topic_matches("/".join([*topic[:n], "#"]), text) for n in range(len(topic) + 1))
    assert not topic_matches(f"{text}/+", text)


@given(levels, st.data())
def test_a_plus_stands_for_one_level(topic: list[str], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(topic) - 1))
    pattern = [*topic[:place], "+", *topic[place + 1 :]]
    other = [*topic[:place], "z", *topic[place + 1 :]]

    assert topic_matches("/".join(pattern), "/".join(other))
    assert not topic_matches("/".join(pattern), "/".join([*other, "z"]))


@pytest.mark.parametrize("pattern", ["a/#/b", "a+/b", "#a"])
def test_a_pattern_that_nobody_understands_is_refused(pattern: str) -> None:
    with pytest.raises(InvalidInput):
        rule("ann", topics=(pattern,))


@pytest.mark.parametrize("topics", [("a/#",), ("a", "b/+"), ()])
@pytest.mark.parametrize("graphs", [("urn:g",), ("urn:*", "default"), ()])
@pytest.mark.parametrize("effect", list(Effect))
def test_a_rule_of_some_topics_and_some_graphs_would_concern_nothing_and_is_refused(
    topics: tuple[str, ...], graphs: tuple[str, ...], effect: Effect
) -> None:
    who, actions = frozenset({"ann"}), frozenset({Action.PUBLISH, Action.UPDATE})

    with pytest.raises(InvalidInput, match="make two of it"):
        AccessRule(who, actions, topics, graphs, effect)


def test_nothing_is_allowed_that_no_rule_allows() -> None:
    rules = AccessRules((rule("ann", topics=("floor/1/#",)),))

    assert rules.allows("ann", Action.PUBLISH, topic="floor/1/heat")
    assert not rules.allows("ann", Action.PUBLISH, topic="floor/2/heat")
    assert not rules.allows("ann", Action.SUBSCRIBE, topic="floor/1/heat")
    assert not rules.allows("bob", Action.PUBLISH, topic="floor/1/heat")
    assert not rules.allows(None, Action.PUBLISH, topic="floor/1/heat")
    assert not AccessRules().allows("ann", Action.PUBLISH)


def test_a_denial_counts_for_more_than_any_permission() -> None:
    rules = AccessRules((rule("*"), rule("bob", topics=("secret/#",), effect=Effect.DENY)))

    assert rules.allows("bob", Action.PUBLISH, topic="open")
    assert rules.allows("ann", Action.PUBLISH, topic="secret/x")
    assert not rules.allows("bob", Action.PUBLISH, topic="secret/x")


def test_graphs_are_named_whole_or_by_how_they_begin() -> None:
    one = AccessRule(
        frozenset({"ann"}), frozenset({Action.UPDATE}), graphs=("urn:a", "http://x.org/g/*")
    )
    rules = AccessRules((one,))

    assert rules.allows("ann", Action.UPDATE, graph="urn:a")
    assert rules.allows("ann", Action.UPDATE, graph="http://x.org/g/7")
    assert not rules.allows("ann", Action.UPDATE, graph="urn:ab")


@given(st.sampled_from([None, "ann"]), st.sampled_from(list(Action)), st.text())
def test_where_there_are_no_rules_an_open_broker_allows_everything(
    who: str | None, action: Action, topic: str
) -> None:
    assert OPEN.allows(who, action, topic=topic)


def test_who_may_not_is_told_what_and_where() -> None:
    with pytest.raises(Forbidden, match="bob may not publish on 'a/b'"):
        AccessRules((rule("ann"),)).require("bob", Action.PUBLISH, topic="a/b")


def rules_of(topics: Topics, graphs: Topics) -> st.SearchStrategy[AccessRule]:
    """Rules of these topics and graphs, of which one is narrow at the most."""
    return st.builds(
        AccessRule,
        st.sampled_from([frozenset({"ann"}), frozenset({"bob"}), frozenset({"*"})]),
        st.sampled_from([frozenset({Action.PUBLISH}), frozenset({Action.SUBSCRIBE})]),
        topics,
        graphs,
        st.sampled_from(Effect),
    )


some_rules = rules_of(
    st.sampled_from([("#",), ("a/#",), ("a/#", "#"), ("a", "+"), ()]), st.just(("*",))
) | rules_of(st.just(("#",)), st.sampled_from([("*",), ("urn:g",), ("urn:*", "*"), ()]))


@given(st.lists(some_rules, max_size=3).map(tuple), st.booleans(), levels)
def test_who_may_do_something_everywhere_may_do_it_on_any_topic(
    rules: tuple[AccessRule, ...], is_open: bool, topic: list[str]
) -> None:
    access = AccessRules(rules, is_open)

    if access.allows_everywhere("ann", Action.SUBSCRIBE):
        assert access.allows("ann", Action.SUBSCRIBE, topic="/".join(topic))
        assert access.allows("ann", Action.SUBSCRIBE, graph="")


@pytest.mark.parametrize(
    ("rules", "is_everywhere"),
    [
        (AccessRules(is_open=True), True),
        (AccessRules(), False),
        (AccessRules((rule("ann"),)), True),
        (AccessRules((rule("*", topics=("a/#", "#")),)), True),
        (AccessRules((rule("bob"),)), False),
        (AccessRules((rule("ann", topics=("a/#",)),)), False),
        (AccessRules((rule("ann"), rule("*", topics=("a",), effect=Effect.DENY))), False),
        (AccessRules((rule("ann"), rule("bob", topics=("a",), effect=Effect.DENY))), True),
    ],
)
def test_everywhere_is_every_topic_without_a_denial(
    rules: AccessRules, is_everywhere: bool
) -> None:
    assert rules.allows_everywhere("ann", Action.PUBLISH) == is_everywhere
