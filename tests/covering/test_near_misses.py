"""What is covered, and beside it what looks like it and is not."""

import pytest

from purport import parse
from purport.covering.covers import covers


@pytest.mark.parametrize(
    ("general", "covered", "missed"),
    [
        ("{a > 3}", "{a > 3, b = 1}", "{a >= 3}"),
        ("{a in [4, 8]}", "{a in [4, 8]}", "{a >= 4, a <= 8}"),
        ("{a > 20 °C}", "{a > 25 °C}", "{a > 25}"),
        ("{a > 77 °F}", "{a > 100 °C}", "{a > 30 °C}"),
        ("{a within (x, y)}", "{a within (x)}", "{a contains all (x, y)}"),
        ("{a = x}", "{a contains all (x, y)}", "{a within (x, y)}"),
        ("{a = x~} threshold 0.6", "{a = x~} threshold 0.7", "{a = x~}"),
        ("{a = x~}", "{a = x~} exact required", "{a = x~, b = 1}"),
        ("{a = 1, b = 1}", "{a = 1, b = 1, c = 1}", "{a = 1, b = 1} exact scored aggregation mean"),
        (
            "{v filter(>, last 2) {a = 1}}",
            "{v filter(>, last 1) {a = 1}, b = 1}",
            "{v filter(>, last 1) {a = 1, b = 1}}",
        ),
        (
            "{v filter(>, last 2) {a = 1}}",
            "{v filter(>, last 2) {a = 1}}",
            "{v filter(>, last 3) {a = 1}}",
        ),
        (
            "{v filter(>=, last 2) {a = 1}}",
            "{v filter(>, last 2) {a = 1}}",
            "{v filter(<, last 2) {a = 1}}",
        ),
        (
            "{start after(5 s) {a > 1}}",
            "{start after(4 s) {a > 2}}",
            "{start after(6 s) {a > 2}}",
        ),
        ("{start after(5 s) {a > 1}}", "{start after(5 s) {a > 1}}", "{end after(5 s) {a > 1}}"),
        ("{start with {a > 1}}", "{start with {a > 2}}", "{start during {a > 2}}"),
        (
            "{interval overlaps {a > 1}}",
            "{interval overlaps {a > 2}}",
            "{interval contains {a > 2}}",
        ),
        (
            "{a = $x, start after(5 s) {b = $x}}",
            "{a = $x, start after(5 s) {b = $x, c = 1}}",
            "{c = $x, a = 1, start after(5 s) {b = $x}}",
        ),
        (
            "{a = 1} then {b = 1} within 5 s",
            "{a = 1} then {c = 1} then {b = 1} within 5 s",
            "{b = 1} then {a = 1} within 5 s",
        ),
        (
            "{a = 1} then {b = 1} within 5 s",
            "{a = 1} then {b = 1} within 4 s",
            "{a = 1} then {b = 1} within 6 s",
        ),
        (
            "{a = 1} and {b = 1} within 5 s",
            "{b = 1, c = 1} and {a = 1} within 5 s",
            "{b = 1} and {c = 1} within 5 s",
        ),
        ("{a = 1} 2 times within 5 s", "{a = 1} 3 times within 5 s", "{a = 1}"),
        ("{a = 1} 3 times within 5 s", "{a = 1} 3 times within 5 s", "{a = 1} 2 times within 5 s"),
        (
            "not {a = 1} within 5 s after {b = 1}",
            "not {a = 1} within 6 s after {b = 1, c = 1}",
            "not {a = 1} within 4 s after {b = 1}",
        ),
        (
            "not {a > 2} within 5 s after {b = 1}",
            "not {a > 1} within 5 s after {b = 1}",
            "not {a > 3} within 5 s after {b = 1}",
        ),
        ("{a = 1} or {b = 1}", "{b = 1, c = 1} or {a = 1}", "{a = 1} or {c = 1}"),
        (
            "{avg(a) over 5 s > 3}",
            "{avg(a) over 5 s > 3}",
            "{avg(a) over 5 s > 3, b = 1}",
        ),
        ("{a = 1} expires 2026-01-02", "{a = 1} expires 2026-01-01", "{a = 1} expires 2026-01-03"),
    ],
)  # fmt: skip
def test_what_is_covered_and_what_is_nearly(general: str, covered: str, missed: str) -> None:
    assert covers(parse(general), parse(covered))
    assert not covers(parse(general), parse(missed))
