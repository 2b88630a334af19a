"""The small world that graphs, updates and queries speak of, so that they meet often."""

from dataclasses import dataclass

XSD = "http://www.w3.org/2001/XMLSchema#"
NODES = ["<urn:a>", "<urn:b>", "<urn:c>"]
PREDICATES = ["<urn:p>", "<urn:q>", "<urn:r>"]
GRAPHS = ["<urn:g>", "<urn:h>"]
VARIABLES = ["a", "b", "c", "d"]  # few, so that patterns connect

_LITERALS = [
    "1", "2", "0", "01", '"x"', '"x"@en', '"x"@EN', '"xy"', '"y"@fr', "true",
    f'"1"^^<{XSD}boolean>', "1.5", "0.50", f'"2020-01-02"^^<{XSD}date>',
    f'"2020-02-01T00:00:00Z"^^<{XSD}dateTime>', '""', f'"x"^^<{XSD}integer>', '"1"', '"z"^^<urn:t>',
    f'"1_0"^^<{XSD}integer>', "99999999999999999999",
]  # fmt: skip
_EQUAL_TO_OTHERS = ["1.0", "1e0", "2.0", "0.5e0"]


@dataclass(frozen=True, slots=True)
class World:
    """The literals of one case.

    With `ties` there are terms that are equal and yet not the same, such as `1` and `1.0`. Which of
    them MIN or MAX give is open, so these are asked for plain variables only in worlds without.
    """

    ties: bool = False

    @property
    def literals(self) -> list[str]:
        return _LITERALS[:3] + _EQUAL_TO_OTHERS + _LITERALS[3:] if self.ties else _LITERALS
