import pytest
from hypothesis import HealthCheck, given, settings

from purport.model.language.parse import _parser, parse, parse_all
from purport.model.language.write import _BARE_WORD, write
from purport.model.subscription import Rule, Subscription
from tests.strategies.subscriptions import rules, subscriptions

thorough = settings(suppress_health_check=[HealthCheck.too_slow])


def test_a_word_that_needs_no_quotes_is_one_of_the_grammar() -> None:
    assert _BARE_WORD.pattern == _parser().get_terminal("WORD").pattern.value


@thorough
@given(subscriptions)
def test_what_is_written_parses_as_the_same(subscription: Subscription) -> None:
    assert parse(write(subscription)) == subscription


@thorough
@given(rules)
def test_a_rule_that_is_written_parses_as_the_same(rule: Rule) -> None:
    assert parse(write(rule)) == rule


@thorough
@given(subscriptions, rules)
def test_a_file_of_what_is_written_parses_as_the_same(
    subscription: Subscription, rule: Rule
) -> None:
    text = f"# a comment\n{write(subscription)}  # another\n\n{write(rule)}\n"
    if subscription.name is not None and subscription.name == rule.name:
        return

    assert parse_all(text) == [subscription, rule]


@pytest.mark.parametrize(
    "word", "with after during within isa has filter in then times over or and not before".split()
)
def test_a_value_may_end_in_a_keyword(word: str) -> None:
    for text in (f"x {word}", f"x {word} y", word, f"0 {word.upper()}"):
        subscription = parse(f'when {{b = "{text}"}} publish {{c = "{text}"}}')
        assert parse(write(subscription)) == subscription
