"""What each kind of corpus says, as titles and texts: plain Python, run inside Spark's workers."""

from __future__ import annotations

import gzip
import html
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from purport.errors import InvalidInput, UnusablePath
from purport.pipeline.corpora.wiki_markup import plain_text

_TITLE = re.compile(r"<title>(.*?)</title>", re.S)
_NAMESPACE = re.compile(r"<ns>\s*(-?\d+)\s*</ns>")
_BODY = re.compile(r"<text\b[^>]*>(.*?)</text>", re.S)
_NO_ARTICLE = re.compile(
    r"#redirect|\{\{\s*(?:disambig|disambiguation|hndis|geodis|dab|surname)[^{}]*\}\}", re.I
)
_LIST_TITLE = re.compile(r"(?:List|Lists|Index|Outline|Timeline) of ", re.I)
_EXTRACTED = re.compile(r'<doc\b[^>]*\btitle="([^"]*)"[^>]*>\n?(.*?)</doc>', re.S)
_JSON_NAME = re.compile(r"(?:^wiki_\d+|\.(?:jsonl|json|ndjson))(?:\.gz|\.bz2)?$")
_BASE64 = {
    c: i for i, c in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
}


class CorpusError(InvalidInput):
    """A corpus is not what its name says."""


@dataclass(frozen=True, slots=True)
class Document:
    """One text of a corpus, under its title."""

    title: str
    text: str


def page_of_dump(chunk: str) -> Iterator[Document]:
    """The article in a part of a Wikipedia dump that ends with a page, if there is one.

    Redirects, disambiguation pages, lists and pages outside the articles' namespace are left out.
    """
    title, namespace, body = (find.search(chunk) for find in (_TITLE, _NAMESPACE, _BODY))
    if "<page>" in chunk and "</revision>" not in chunk:
        where = html.unescape(title[1]) if title is not None else "without a title"
        raise CorpusError(f"the dump breaks off in the page {where!r}: it is not all there")
    if title is None or body is None or (namespace is not None and namespace[1] != "0"):
        return
    name, markup = html.unescape(title[1]), html.unescape(body[1])
    if "<redirect" in chunk or _NO_ARTICLE.search(markup) or _LIST_TITLE.match(name):
        return
    yield Document(name, plain_text(markup))


def require_whole_dump(path: Path) -> None:
    """`CorpusError` if a dump lacks its end; one that is compressed tells that by itself."""
    if path.suffix != ".xml":
        return
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - 4096))
            end = file.read()
    except OSError as error:
        raise UnusablePath(path, error.strerror or str(error)) from None
    if b"</page>" in end and b"</mediawiki>" not in end:
        raise CorpusError(f"{path.name}: it ends without </mediawiki>: it is not all there")


def document_of_json(line: str) -> Iterator[Document]:
    """The document in a line of JSON: an object with a `text`, and a `title` if it has one."""
    if not line.strip():
        return
    try:
        data: Any = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise CorpusError(f"not a line of JSON: {error}: {line[:80]!r}") from None
    if not isinstance(data, dict) or not isinstance(data.get("text"), str):
        raise CorpusError(f"expected an object with a text, got {line[:80]!r}")
    yield Document(str(data.get("title") or data.get("id") or ""), data["text"])


def documents_of_file(name: str, content: str) -> Iterator[Document]:
    """The documents in a file: those that WikiExtractor marked, or else the file as a whole.

    WikiExtractor's other output, and any file named so, is JSON lines.
    """
    if _JSON_NAME.search(name) and content.lstrip().startswith("{"):
        for line in content.splitlines():
            yield from document_of_json(line)
        return
    if "<doc " not in content:
        yield Document(Path(name).stem, content)
    for title, text in _EXTRACTED.findall(content):
        yield Document(html.unescape(title), text)


def documents_of_dictionary(index: Path) -> Iterator[Document]:
    """The entries of a dictionary of dictd: `NAME.index` beside `NAME.dict` or `.dict.dz`."""
    text = _dictionary_text(index)
    try:
        lines = index.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UnusablePath(index, str(error)) from None
    for number, line in enumerate(lines, 1):
        fields = line.split("\t")
        try:
            headword, start, length = fields[0], _number(fields[1]), _number(fields[2])
        except (IndexError, KeyError):
            raise CorpusError(f"{index}, line {number}: not a line of dictd's index") from None
        if not headword.startswith("00-database"):
            entry = text[start : start + length].decode("utf-8", "replace")
            yield Document(headword, f"{headword} {entry}")


def _dictionary_text(index: Path) -> bytes:
    for suffix in (".dict.dz", ".dict"):
        path = index.with_suffix(suffix)
        if path.is_file():
            try:
                return (
                    gzip.decompress(path.read_bytes())
                    if suffix == ".dict.dz"
                    else path.read_bytes()
                )
            except (OSError, EOFError, zlib.error) as error:
                raise UnusablePath(path, str(error)) from None
    raise UnusablePath(index, "no .dict or .dict.dz beside it")


def _number(digits: str) -> int:
    """A number in dictd's notation: base 64, most significant digit first."""
    value = 0
    for digit in digits:
        value = value * 64 + _BASE64[digit]
    return value
