"""Topics are taken apart and made."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from purport.client.topics import LevelKind, TopicError, TopicMapping
from purport.errors import InvalidInput
from purport.mqtt.topic_filters import filter_matches, require_filter, require_topic

_SIGNS = "ab%/+#$.2F\0 é"
values = st.text(st.sampled_from(_SIGNS), max_size=6) | st.text(
    st.characters(exclude_categories=["Cs"]), max_size=6
)
words = st.text(st.sampled_from("ab$ é%"), min_size=1, max_size=4)


@st.composite
def mappings(draw: st.DrawFn) -> TopicMapping:
    """Mappings that can be filled: words and names, and perhaps a name for the rest."""
    kinds = draw(st.lists(st.booleans(), min_size=1, max_size=5))
    levels = [f"{{n{place}}}" if kind else draw(words) for place, kind in enumerate(kinds)]
    return TopicMapping.read("/".join([*levels, *draw(st.sampled_from([[], ["{rest...}"]]))]))


@given(mappings(), st.data())
def test_what_a_topic_is_made_of_is_read_from_it(
    mapping: TopicMapping, data: st.DataObject
) -> None:
    given_values = {name: data.draw(values) for name in mapping.names}
    if "rest" in given_values and data.draw(st.booleans()):
        del given_values["rest"]
    try:
        topic = mapping.topic(given_values)
    except InvalidInput as error:
        assert "bytes, got 0" in str(error)
        return

    require_topic(topic)
    assert mapping.values(topic) == given_values
    is_ours = mapping.levels[0].kind is LevelKind.WORD and topic.startswith("$")
    assert is_ours or filter_matches(mapping.filter, topic)


@given(mappings())
def test_a_mapping_is_read_as_it_is_written(mapping: TopicMapping) -> None:
    assert TopicMapping.read(str(mapping)) == mapping
    require_filter(mapping.filter)


@given(st.lists(st.sampled_from(["+", "a", "{n}", "b"]), min_size=1, max_size=4), st.data())
def test_those_topics_are_read_that_the_filter_lets_through(
    levels: list[str], data: st.DataObject
) -> None:
    text = "/".join(f"{{n{place}}}" if one == "{n}" else one for place, one in enumerate(levels))
    mapping = TopicMapping.read(text + data.draw(st.sampled_from(["", "/#", "/{rest...}"])))
    topic = "/".join(data.draw(st.lists(st.sampled_from(["a", "b", ""]), min_size=1, max_size=5)))

    if topic:
        assert (mapping.values(topic) is not None) == filter_matches(mapping.filter, topic)


def test_what_says_nothing_gives_nothing() -> None:
    mapping = TopicMapping.read("+/{room}/#")

    assert mapping.filter == "+/+/#"
    assert mapping.values("house/kitchen") == {"room": "kitchen"}
    assert mapping.values("house/kitchen/heat/1") == {"room": "kitchen"}
    assert mapping.values("house") is None


def test_a_rest_may_be_nothing_at_all() -> None:
    mapping = TopicMapping.read("city/{rest...}")

    assert mapping.values("city") == {}
    assert mapping.values("city/") == {"rest": ""}
    assert mapping.values("city/a%2Fb/c") == {"rest": "a/b/c"}
    assert mapping.topic({"rest": "a/b"}) == "city/a/b"


def test_topics_of_others_may_have_signs_of_per_cent_in_them() -> None:
    assert TopicMapping.read("{a}").values("50%-100%41") == {"a": "50%-100%41"}


def test_what_begins_with_a_dollar_does_not_go_to_the_topics_of_a_broker() -> None:
    mapping = TopicMapping.read("{a}")

    assert mapping.topic({"a": "$SYS"}) == "%24SYS"
    assert TopicMapping.read("$x/{a}").topic({"a": "$y"}) == "$x/$y"


def test_another_sign_may_stand_between_levels() -> None:
    mapping = TopicMapping.read("city.{zone}.{sensor}", separator=".")

    assert mapping.values("city.north.t/1") == {"zone": "north", "sensor": "t/1"}
    with pytest.raises(InvalidInput, match="with / between"):
        mapping.topic({"zone": "north", "sensor": "t"})


@pytest.mark.parametrize(
    ("text", "position", "said"),
    [
        ("", 1, "expected a topic"),
        ("city/{zone", 6, "whole level"),
        ("city/a+", 7, "whole level"),
        ("#/a", 1, "at the end"),
        ("a/{b...}/c", 3, "at the end"),
        ("a/{}", 3, "a name"),
        ("a/{...}", 3, "a name"),
        ("a/{@id}", 3, "a name"),
        ("{a}/{a}", 5, "twice"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, position: int, said: str) -> None:
    with pytest.raises(TopicError, match=said) as raised:
        TopicMapping.read(text)

    assert raised.value.position == position


def test_a_topic_needs_all_its_values() -> None:
    with pytest.raises(InvalidInput, match="nothing is given for 'b'"):
        TopicMapping.read("{a}/{b}").topic({"a": "1"})
    with pytest.raises(InvalidInput, match="cannot be filled"):
        TopicMapping.read("{a}/+").topic({"a": "1"})
    with pytest.raises(InvalidInput, match="UTF-8"):
        TopicMapping.read("{a}").topic({"a": "\ud800"})
