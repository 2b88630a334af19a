from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from purport import inline_plots, page
from purport.page import Cell, number, text
from tests.oracles.html_page import HtmlPage


def page_with(folder: Path, body: str) -> str:
    template = folder / "body.html"
    template.write_text("<h1>A page</h1>\n$body\n")
    return page.page("A page", template, {"body": body}, provenance="seed <1>")


def test_pieces_make_a_page_that_stands_alone(tmp_path: Path) -> None:
    pieces = [
        page.tiles({"events": "1,000", "<b>": "&"}),
        page.facts({"reads": page.code("file:/in")}),
        page.table("Counts", ["name", "count", "share"], [["a", number(1234), Cell("x", 0.5)]]),
        page.pictures([page.figure("A & B", "<pre>x</pre>")]),
        "<h2>Cards</h2>",
        page.cards([page.card("One", "<p>first</p>")]),
    ]

    made = page_with(tmp_path, "".join(pieces))

    found = HtmlPage(made)
    assert "1,234" in found.text
    assert "seed <1>" in found.text
    assert 'data-label="count"' in made
    assert "--share:0.500" in made
    assert "prefers-color-scheme: dark" in made


@given(st.text())
def test_what_somebody_said_never_becomes_part_of_the_page(said: str) -> None:
    made = text(said)

    assert not set("<>\"'\x00\x1b\u2028") & set(made)


def test_a_row_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="shorter"):
        page.table("x", ["a", "b", "c"], [["1", "2"]])


def test_pictures_stand_beside_each_other_in_a_page(tmp_path: Path) -> None:
    odd = '"a" #1f2a37 <b> $x$'
    drawn = [
        inline_plots.lines("rate", "rates", {0: 1.0, 5: 70_000.0}, ("batch", "events/s")),
        inline_plots.lines("lag", 'told "so" & <so>', {7: 0.5}, ("batch", "seconds")),
        inline_plots.bars("found", "counts", {odd: 5, "b": 1234}),
        inline_plots.histogram("probable", "h", [0, 1, 1_000_000], ("probability", "matches")),
        inline_plots.histogram("none", "h", [0, 0, 0], ("probability", "matches")),
        inline_plots.shares("time", "t", {"reading": 1.0, "matching": 3.0}),
        inline_plots.shares("no time", "t", {"reading": 0.0}),
    ]

    made = page_with(tmp_path, page.pictures(page.figure("p", one) for one in drawn))

    found = HtmlPage(made)
    assert found.described[1] == 'told "so" & <so>'
    assert "var(--accent)" in drawn[0]
    assert "60,000" in drawn[0]
    assert "#1f2a37" in drawn[2]
    assert "1,234" in drawn[2]
    assert "matching, 75%" in drawn[5]
    assert "#0f766e" not in "".join(drawn)
    assert "http" not in "".join(drawn).replace("http://www.w3.org/", "")


def test_the_same_picture_is_the_same_text() -> None:
    first, second = (inline_plots.bars("found", "told", {"a": 1, "b": 2}) for _ in range(2))

    assert first == second
