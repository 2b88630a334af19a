import sys
from pathlib import Path

import numpy as np
import pytest

from purport.errors import InvalidInput, MissingExtra, UnusablePath
from purport.plots import Curve, Mark, comparison, heat_map, reliability

SCORES = np.array([[0.1, 0.9], [1.0, 0.0]])


def size_of_png(path: Path) -> tuple[int, int]:
    data = path.read_bytes()
    assert data.startswith(b"\x89PNG")
    return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")


def test_a_heat_map_is_drawn_with_its_terms(tmp_path: Path) -> None:
    heat_map(tmp_path / "map.png", ["a", "b"], ["c", "$d$"], SCORES, "title")
    heat_map(tmp_path / "map.svg", ["laptop", "b"], ["computer", "$d$"], SCORES, "how near?")

    width, height = size_of_png(tmp_path / "map.png")
    assert width >= 400
    assert height >= 300
    drawn = (tmp_path / "map.svg").read_text()
    for text in ("laptop", "computer", "how near?", "$d$", "0.90", "relatedness"):
        assert (
            f"<!-- {text} -->" in drawn or f"<!-- {text.replace('$', chr(92) + '$')} -->" in drawn
        )


def test_a_large_heat_map_stays_within_bounds(tmp_path: Path) -> None:
    terms = [f"term number {number}" for number in range(300)]
    heat_map(tmp_path / "map.png", terms, terms, np.zeros((300, 300)), "large")

    assert max(size_of_png(tmp_path / "map.png")) <= 6000


def test_curves_are_drawn_beside_what_others_have_found(tmp_path: Path) -> None:
    ours = Curve("ours", (50, 100), (90, 70), (88, 69), (92, 71))
    found = [Mark("theirs", "ours", 50, 94, 97), Mark("theirs", "ours", 100, 40, 40)]
    labels = ("degree", "F1")
    comparison(tmp_path / "f1.png", [ours], found, title="two seeds", axes_labels=labels)
    comparison(tmp_path / "f1.svg", [ours], found, title="two seeds", axes_labels=labels)

    assert size_of_png(tmp_path / "f1.png")[0] >= 800
    drawn = (tmp_path / "f1.svg").read_text()
    for text in ("ours", "theirs", "two seeds", "degree", "F1"):
        assert f"<!-- {text} -->" in drawn


def test_the_same_picture_is_the_same_file(tmp_path: Path) -> None:
    for name in ("one.svg", "two.svg"):
        reliability(tmp_path / name, [(0.1, 0.2, 5), (0.9, 0.8, 7)], "12 pairs")

    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()


def test_what_cannot_be_drawn_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidInput, match=r"map\.docx"):
        heat_map(tmp_path / "map.docx", ["a"], ["b"], SCORES[:1, :1], "title")
    with pytest.raises(UnusablePath, match="No such file"):
        heat_map(tmp_path / "nowhere" / "map.png", ["a"], ["b"], SCORES[:1, :1], "title")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r"purport\[plots\]"):
        heat_map(tmp_path / "map.png", ["a"], ["b"], SCORES[:1, :1], "title")
