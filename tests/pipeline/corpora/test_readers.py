import gzip
from pathlib import Path

import pytest

from purport.errors import UnusablePath
from purport.pipeline.corpora.readers import (
    CorpusError,
    Document,
    document_of_json,
    documents_of_dictionary,
    documents_of_file,
    page_of_dump,
)
from purport.pipeline.corpora.wiki_markup import plain_text


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        (
            "'''April''' is the [[month|fourth month]] of the [[year]].",
            "April is the fourth month of the year.",
        ),
        ("a {{Infobox|x={{nested}}|y=[[z]]}} b", "a b"),
        ("a {| class=x\n| cell {| inner |} |} b", "a b"),
        ("a <ref name=x>source</ref> b <ref name=x/> c", "a b c"),
        ("a <!-- hidden --> b", "a b"),
        ("[[File:x.jpg|thumb|A [[caption]] here]] text", "text"),
        ("[[Category:Months]] text [[fr:avril]]", "text"),
        ("see [https://example.org/x the site] or https://example.org/y", "see the site or"),
        ("== Heading ==\n* item\n# other", "Heading\nitem\nother"),
        ("fish &amp; chips<br/>salt", "fish & chips salt"),
        ("open {{template that never ends", "open"),
        ("open {| table that never ends", "open"),
        ("open <ref>that never ends", "open"),
        ("open [[link that never ends", "open [[link that never ends"),
        ("}} ]] |} closes what was not open", "}} ]] |} closes what was not open"),
    ],
)
def test_markup_becomes_what_a_reader_would_read(markup: str, text: str) -> None:
    assert plain_text(markup) == text


def page(title: str, text: str, *, extra: str = "<ns>0</ns>") -> str:
    return f"<page><title>{title}</title>{extra}<revision><text x='1'>{text}</text></revision>"


def test_an_article_of_a_dump_is_read() -> None:
    assert list(page_of_dump(page("Fish &amp; chips", "A '''dish'''."))) == [
        Document("Fish & chips", "A dish.")
    ]


@pytest.mark.parametrize(
    "chunk",
    [
        page("Talk:X", "text", extra="<ns>1</ns>"),
        page("X", "text", extra='<ns>0</ns><redirect title="Y" />'),
        page("X", "#REDIRECT [[Y]]"),
        page("Mercury", "may mean: {{disambiguation}}"),
        page("List of birds", "a, b, c"),
        "<mediawiki><siteinfo></siteinfo>",
        "</mediawiki>",
        "",
    ],
)
def test_what_is_no_article_is_left_out(chunk: str) -> None:
    assert list(page_of_dump(chunk)) == []


@pytest.mark.parametrize("length", [20, 40, 80])
def test_a_page_that_is_cut_off_is_told(length: int) -> None:
    with pytest.raises(CorpusError, match="the dump breaks off in the page"):
        list(page_of_dump(page("A long title", "text " * 20)[:length]))


def test_a_line_of_json_is_a_document() -> None:
    assert list(document_of_json('{"id": 3, "title": "A", "text": "b"}')) == [Document("A", "b")]
    assert list(document_of_json('{"id": 3, "text": "b"}')) == [Document("3", "b")]
    assert list(document_of_json(" ")) == []


@pytest.mark.parametrize("line", ["{", "[1]", '{"title": "x"}', "plain words"])
def test_a_line_that_is_no_document_is_told(line: str) -> None:
    with pytest.raises(CorpusError, match=r"JSON|expected an object with a text"):
        list(document_of_json(line))


def test_a_file_is_one_document_unless_an_extractor_marked_several() -> None:
    extracted = (
        '<doc id="1" url="u" title="A &amp; B">\nfirst\n</doc>\n<doc id="2" title="C">two</doc>'
    )

    assert list(documents_of_file("notes.txt", "some text")) == [Document("notes", "some text")]
    assert list(documents_of_file("wiki_00", extracted)) == [
        Document("A & B", "first\n"),
        Document("C", "two"),
    ]


def test_a_dictionary_of_dictd_is_read(tmp_path: Path) -> None:
    entries = b"info\ncar: a vehicle\nwind: moving air\n"
    index = tmp_path / "d.index"
    index.write_text("00-database-info\tA\tF\ncar\tF\tP\nwind\tU\tR\n")
    for name, data in (("d.dict", entries), ("d.dict.dz", gzip.compress(entries))):
        (tmp_path / name).write_bytes(data)
        assert list(documents_of_dictionary(index)) == [
            Document("car", "car car: a vehicle\n"),
            Document("wind", "wind wind: moving air\n"),
        ]


def test_a_dictionary_that_is_none_is_told(tmp_path: Path) -> None:
    index = tmp_path / "d.index"
    index.write_text("no tabs here\n")
    with pytest.raises(UnusablePath, match=r"no \.dict"):
        list(documents_of_dictionary(index))
    (tmp_path / "d.dict").write_bytes(b"")
    with pytest.raises(CorpusError, match=r"d\.index, line 1"):
        list(documents_of_dictionary(index))
    (tmp_path / "d.dict.dz").write_bytes(b"not gzip")
    with pytest.raises(UnusablePath, match=r"d\.dict\.dz"):
        list(documents_of_dictionary(index))


@pytest.mark.parametrize(
    "piece",
    [
        "[http:",
        "<ref ",
        "=\n",
        "= ",
        " \t",
        "[[",
        "<!--",
        "<ref>",
        "{{",
        "{|",
        "[[file:a|[[b",
        "<a ",
    ],
)
def test_markup_that_does_not_close_is_read_at_length(piece: str) -> None:
    """A pattern that tries every way to go on would not come to an end here."""
    assert plain_text(f"begin. {piece * 20_000}").startswith("begin.")
    assert plain_text(f"begin. [[file:{'a' * 50_000}").startswith("begin.")
