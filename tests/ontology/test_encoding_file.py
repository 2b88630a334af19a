"""Numbers survive a file, and a damaged file is told where."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from purport.errors import UnusablePath
from purport.ontology.encoding_file import (
    EncodingFileError,
    encodings_text,
    parsed_encodings,
    read_encodings,
    write_encodings,
)
from purport.ontology.encodings import Encodings
from purport.ontology.hierarchy import Hierarchy
from purport.ontology.prime_encoding import Encoding, random_assignment

FIGURE_3 = "A=2, 2\nB=3, 6\nC=5, 30\nD=7, 7\nE=11, 154\n"
EXAMPLE = "http://example.org/people#"
IRIS = st.sampled_from([f"{EXAMPLE}{name}" for name in "ABCDE"] + ["F", "x=y", "u:v", "a b", "[G]"])
TOLD = st.dictionaries(IRIS, st.lists(IRIS, max_size=3), max_size=8)


@given(TOLD, TOLD, st.booleans(), st.sets(IRIS, max_size=1))
def test_what_is_written_is_read_back(
    classes: Mapping[str, list[str]],
    properties: Mapping[str, list[str]],
    has_prefixes: bool,
    empty: set[str],
) -> None:
    order = Hierarchy.of(classes, empty)
    told = {"ann": order.names[:2], f"{EXAMPLE}bob": ()}
    encodings = Encodings.of(order, Hierarchy.of(properties), told)

    text = encodings_text(
        encodings, {"ex": EXAMPLE, "": "http://example.org/"} if has_prefixes else None
    )

    assert parsed_encodings(text) == encodings


@given(TOLD.filter(bool), st.data())
def test_a_part_is_read_back(above: Mapping[str, list[str]], data: st.DataObject) -> None:
    order = Hierarchy.of(above)
    names = data.draw(st.lists(st.sampled_from(order.names), unique=True))
    part = Encodings(random_assignment(order, 3).part(names))

    restored = parsed_encodings(encodings_text(part))

    assert restored.classes.codes == part.classes.codes
    assert restored.classes.hierarchy() == part.classes.hierarchy()


def test_a_file_as_in_the_paper(tmp_path: Path) -> None:
    path = tmp_path / "figure3.txt"
    path.write_text(FIGURE_3)

    encodings = read_encodings(path)

    assert encodings.classes.subsumes("D", "E")
    assert not encodings.classes.subsumes("D", "C")
    assert encodings.classes.is_ordered
    assert encodings.classes.hierarchy().parents("E") == {"A", "D"}
    assert len(FIGURE_3) < 100
    write_encodings(path, encodings)
    assert path.read_text() == FIGURE_3


def test_primes_in_another_order_are_noticed() -> None:
    encodings = parsed_encodings("A=3, 3\nB=2, 6\n")

    assert not encodings.classes.is_ordered
    assert encodings.classes.subsumes("A", "B")


def test_a_code_of_many_digits(tmp_path: Path) -> None:
    chain = Encoding.of(Hierarchy.of({str(number): [str(number - 1)] for number in range(1, 1500)}))
    path = tmp_path / "chain.txt"

    write_encodings(path, Encodings(chain))

    assert read_encodings(path).classes == chain
    assert chain.figures.longest_bits > 15_000


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("A=2, 2\nB=4, 8\n", 2, "expected a prime as gene, not 4"),
        ("A=2, 2\nB=3, 8\n", 2, "the gene 3 does not divide the code 8"),
        ("A=2, 2\n\n# B\nB=2, 6\n", 4, "the gene 2 is that of A in line 1"),
        ("A=2, 2\nA=3, 3\n", 2, "A is in line 1 already"),
        ("A=2, 2\nB=3, 15\n", 2, "the code of B has a factor 5 that is no name's gene"),
        ("A=2, 2\nB=3, 6\nC=5, 15\n", 3, "C has the gene 3 of B in line 2, but not all"),
        ("A=2, 30\nB=3, 6\nC=5, 5\n", 2, "B is its own ancestor: it is below A in line 1"),
        ("A=2, 6\nB=3, 6\n", 1, "A is its own ancestor"),
        ("A=2, 4\n", 1, "A has its gene 2 twice"),
        ("A=2\n", 1, "expected NAME=GENE, CODE as in A=2, 2, not 'A=2'"),
        ("A=2, -2\n", 1, "expected NAME=GENE, CODE"),
        ("=2, 2\n", 1, "expected NAME=GENE, CODE"),
        ("A=2, 0\n", 1, "does not divide"),
        (f"A={2**64 + 13}, {2**64 + 13}\n", 1, "below 2**64"),
        ("[things]\n", 1, "expected one of [classes], [properties], [individuals]"),
        ("@base <x>\n", 1, "expected @prefix NAME: <IRI>"),
        ("ex:A=2, 2\n", 1, "no @prefix ex: before"),
        ("[properties]\np=2, 2\n[individuals]\na=3, 6\n", 4, "a factor 2 that is no name's gene"),
    ],
)
def test_a_damaged_file(text: str, line: int, message: str) -> None:
    with pytest.raises(EncodingFileError) as raised:
        parsed_encodings(text, file="codes.txt")

    assert str(raised.value).startswith(f"codes.txt:{line}: ")
    assert message in str(raised.value)


def test_a_path_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "latin.txt").write_bytes(b"\xe9=2, 2\n")

    with pytest.raises(UnusablePath):
        read_encodings(tmp_path / "missing.txt")
    with pytest.raises(UnusablePath, match="UTF-8"):
        read_encodings(tmp_path / "latin.txt")
    with pytest.raises(UnusablePath):
        write_encodings(tmp_path / "no folder" / "x.txt", Encodings(Encoding({}, {})))
