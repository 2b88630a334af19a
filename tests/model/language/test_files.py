import pickle
from pathlib import Path

import pytest

from purport import SubscriptionFileError, parse, parse_all, parse_file
from purport.errors import UnusablePath

GOOD = """\
# Subscriptions of one building.
prefix wine: <http://example.org/wine#>

{a = 1} as one   # a comment behind
{b = wine:Red,
 c = "# not a comment {"} threshold 0.7

event type "Football Match"
event place "Wembley Stadium"

event type "Charity"

when {d = 1}
  publish {e = 2}
{f = 1} then
  # a comment between

{g = 1} within 10 s
(
 {f = 1} or
 {g = 1}
) then {h = 1}
when
{j = 1}
publish
{k = 1}
not {h = 1} within 3 s after {i = 1}
"""


def test_a_file_may_hold_many_with_names_comments_and_prefixes() -> None:
    found = parse_all(GOOD)

    assert found == [
        parse("{a = 1} as one"),
        parse('{b = <http://example.org/wine#Red>, c = "# not a comment {"} threshold 0.7'),
        parse('event type "Football Match" event place "Wembley Stadium"'),
        parse('event type "Charity"'),
        parse("when {d = 1} publish {e = 2}"),
        parse("{f = 1} then {g = 1} within 10 s"),
        parse("({f = 1} or {g = 1}) then {h = 1}"),
        parse("when {j = 1} publish {k = 1}"),
        parse("not {h = 1} within 3 s after {i = 1}"),
    ]
    assert [subscription.origin.line for subscription in found if subscription.origin] == [
        4, 5, 8, 11, 13, 15, 19, 23, 27,
    ]  # fmt: skip


def test_every_mistake_in_a_file_is_told() -> None:
    text = """\
{a = 1} as x
{b = }
{c = 1
{d = 1} as x
   {e = 1, f} threshold 3
{g = 1} threshold 3
{h = 1}
"""

    with pytest.raises(SubscriptionFileError) as error:
        parse_all(text, file="city.purport")

    assert [(mistake.line, mistake.column) for mistake in error.value.errors] == [
        (2, 6), (3, 7), (4, 1), (5, 13), (6, 19),
    ]  # fmt: skip
    assert str(error.value).startswith(
        "city.purport, line 2, column 6: found '}', expected a value\n  {b = }\n       ^\n"
    )


@pytest.mark.parametrize(
    ("content", "reason"),
    [(b"{a = \xff}", "not UTF-8 (byte 5)"), (None, "No such file or directory")],
)
def test_a_file_that_cannot_be_read_is_named(
    tmp_path: Path, content: bytes | None, reason: str
) -> None:
    path = tmp_path / "x.purport"
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(UnusablePath) as error:
        parse_file(path)

    assert str(error.value) == f"{path}: {reason}"


def test_a_prefix_is_an_absolute_iri() -> None:
    with pytest.raises(SubscriptionFileError, match="not an absolute IRI: 'foo/'"):
        parse_all("prefix x: <foo/>\n{a = x:Red}")


def test_an_empty_file_has_no_subscriptions() -> None:
    assert parse_all("") == parse_all("# nothing\n\n") == []


def test_errors_reach_another_process_whole() -> None:
    with pytest.raises(SubscriptionFileError) as error:
        parse_all("{a = }")

    assert str(pickle.loads(pickle.dumps(error.value))) == str(error.value)
