"""What a page that stands alone has to be: well-formed, and told in words too."""

from html.parser import HTMLParser
from itertools import pairwise

_VOID = {"meta", "br"}


class HtmlPage(HTMLParser):
    """Reads a page; `AssertionError` where it breaks a rule."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.described: list[str] = []  # what is read out instead of pictures
        self._open: list[str] = []
        self._ids: set[str] = set()
        self._references: set[str] = set()
        assert page.startswith("<!doctype html>")
        self.feed(page)
        self.close()
        assert self._open == [], f"not closed: {self._open}"
        assert self.count("h1") == self.count("title") == self.count("main") == 1
        assert self.count("table") == self.count("caption")
        assert self.count("figure") == self.count("figcaption")
        assert self._references <= self._ids, "a reference leads nowhere"
        ranks = [int(tag[1]) for tag in self.tags if tag in ("h1", "h2", "h3")]
        assert all(after <= before + 1 for before, after in pairwise(ranks))

    def count(self, tag: str) -> int:
        """How many elements of a kind there are."""
        return self.tags.count(tag)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        self.tags.append(tag)
        if tag not in _VOID:
            self._open.append(tag)
        assert tag not in ("script", "link", "img", "iframe")
        if identifier := known.get("id"):
            assert identifier not in self._ids, f"{identifier} comes twice"
            self._ids.add(identifier)
        for name, value in attrs:
            if name in ("href", "src", "xlink:href"):
                assert value
                assert value.startswith("#"), f"from elsewhere: {value}"
                self._references.add(value[1:])
        if tag == "svg":
            assert known["role"] == "img"
            label = known["aria-label"]
            assert label
            self.described.append(label)
        if tag == "th":
            assert known["scope"] in ("row", "col")

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not {"style", "svg"} & set(self._open):
            self.text += data
        elif "style" in self._open:
            assert "url(" not in data
            assert "@import" not in data
