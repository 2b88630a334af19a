"""Pictures show names, genes and codes, and refuse what nobody could read."""

import re
from pathlib import Path

import pytest

from purport.errors import InvalidInput
from purport.ontology.codes.drawing import draw_encodings, product_text
from purport.ontology.codes.encoding_file import parsed_encodings
from purport.ontology.codes.encodings import Encodings
from purport.ontology.errors import OntologyError, UnknownName
from purport.ontology.hierarchy import Hierarchy

FIGURE_3 = parsed_encodings("A=2, 2\nB=3, 6\nC=5, 30\nD=7, 7\nE=11, 154\n[properties]\np=2, 2\n")
EXAMPLE = "http://example.org/people#"
_SIZE = re.compile(r'viewBox="0 0 ([0-9.]+) ([0-9.]+)"')
STYLE = {"svg.fonttype": "none"}  # texts stay texts


def _drawn(tmp_path: Path, encodings: Encodings, **options: object) -> str:
    matplotlib = pytest.importorskip("matplotlib")
    path = tmp_path / "picture.svg"
    with matplotlib.rc_context(STYLE):
        draw_encodings(path, encodings, **options)  # type: ignore[arg-type]
    return path.read_text()


def test_names_genes_and_codes_are_shown(tmp_path: Path) -> None:
    picture = _drawn(tmp_path, FIGURE_3, title="Five of $them")

    for text in (">A<", ">E<", ">p<", ">11<", ">2·7·11 = 154<", ">2·3·5 = 30<", "Five of $them"):
        assert text in picture
    assert picture == _drawn(tmp_path, FIGURE_3, title="Five of $them")


def test_only_what_is_around_a_name(tmp_path: Path) -> None:
    picture = _drawn(tmp_path, FIGURE_3, around="B", depth=1)

    assert all(f">{name}<" in picture for name in "ABC")
    assert not any(f">{name}<" in picture for name in "DEp")


def test_only_so_far_from_the_top(tmp_path: Path) -> None:
    picture = _drawn(tmp_path, FIGURE_3, depth=1)

    assert ">B<" in picture
    assert ">C<" not in picture


def test_equivalent_names_share_a_box_and_empty_classes_have_none(tmp_path: Path) -> None:
    order = Hierarchy.of(
        {
            f"{EXAMPLE}Car": [f"{EXAMPLE}Automobile"],
            f"{EXAMPLE}Automobile": [f"{EXAMPLE}Car"],
            f"{EXAMPLE}Void": [],
        },
        unsatisfiable=[f"{EXAMPLE}Void"],
    )

    picture = _drawn(tmp_path, Encodings.of(order, Hierarchy.of({}), {"herbie": [f"{EXAMPLE}Car"]}))

    assert ">Automobile ≡ Car<" in picture
    assert "Void" not in picture
    assert "herbie" not in picture


def test_a_wide_hierarchy_is_drawn_from_left_to_right(tmp_path: Path) -> None:
    order = Hierarchy.of({f"child number {number}": ["top"] for number in range(60)})

    picture = _drawn(tmp_path, Encodings.of(order, Hierarchy.of({})))

    width, height = (float(one) for one in _SIZE.findall(picture)[0])
    assert height > width


def test_too_many_boxes_are_refused(tmp_path: Path) -> None:
    order = Hierarchy.of({f"{number}": [f"{(number - 1) // 2}"] for number in range(1, 400)})
    encodings = Encodings.of(order, Hierarchy.of({}))

    with pytest.raises(OntologyError, match=r"400 boxes, of which at most 150 .* around one name"):
        draw_encodings(tmp_path / "x.svg", encodings)
    with pytest.raises(OntologyError, match="a smaller depth"):
        draw_encodings(tmp_path / "x.svg", encodings, around="0")
    assert not (tmp_path / "x.svg").exists()


def test_what_cannot_be_drawn(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="class or property 'Z'"):
        draw_encodings(tmp_path / "x.svg", FIGURE_3, around="Z")
    with pytest.raises(OntologyError, match="no class or property to draw"):
        draw_encodings(tmp_path / "x.svg", parsed_encodings(""))
    with pytest.raises(InvalidInput, match=r"\.png, \.svg, \.pdf"):
        draw_encodings(tmp_path / "x.gif", FIGURE_3)


def test_long_codes_are_shortened() -> None:
    long = [2, 3, 5, 10_007, 10_009, 10_037, 1_000_003]

    assert product_text(long, 10**30) == "2·3·…·1000003  (7 genes, 100 bits)"
    assert product_text([2, 3, 10_007, 10_009, 10_037], 10**18) == "2·3·10007·10009·10037"
