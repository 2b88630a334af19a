"""A line is read once, in the part where it begins, wherever a file is cut."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from purport.errors import UnusablePath
from purport.pipeline import file_parts
from purport.pipeline.file_parts import PART_BYTES, FilePart, line_blocks, whole_text


def lines_of(part: FilePart) -> list[bytes]:
    return [line for block in line_blocks(part) for line in block.split(b"\n")]


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_parts, "_BLOCK_BYTES", 3)


@given(text=st.lists(st.sampled_from([b"\n", b"a", b"bc", b"\r"])).map(b"".join), cut=st.data())
def test_parts_together_are_the_file(
    tmp_path_factory: pytest.TempPathFactory, text: bytes, cut: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("cut") / "file.jsonl"
    path.write_bytes(text)
    size = cut.draw(st.integers(1, len(text) + 1))

    found: list[bytes] = []
    for begin in range(0, max(len(text), 1), size):
        found += lines_of(FilePart(path, path.name, begin, begin + size))

    assert found == text.removesuffix(b"\n").split(b"\n")[: text.count(b"\n") + 1 if text else 0]


@given(lines=st.lists(st.integers(0, 25).map(lambda size: b"x" * size), max_size=12), cut=st.data())
def test_lines_of_any_length_come_once_and_in_order(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], cut: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("long") / "file.jsonl"
    text = b"".join(line + b"\n" for line in lines)
    path.write_bytes(text)
    size = cut.draw(st.integers(1, len(text) + 1))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(file_parts, "LONGEST_LINE", 10)
        found = [
            line
            for begin in range(0, max(len(text), 1), size)
            for line in lines_of(FilePart(path, path.name, begin, begin + size))
        ]

    assert [line[:11] for line in found] == [line[:11] for line in lines]


def test_of_a_line_that_is_too_long_enough_is_given_to_see_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_parts, "LONGEST_LINE", 10)
    path = tmp_path / "long.jsonl"
    path.write_bytes(b"one\n" + b"x" * 50 + b"\ntwo\n")

    assert lines_of(FilePart(path, path.name)) == [b"one", b"x" * 11, b"two"]


def test_a_compressed_file_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "packed.jsonl.gz"
    path.write_bytes(gzip.compress(b"one\ntwo\n"))

    assert lines_of(FilePart(path, path.name)) == [b"one", b"two"]


def test_of_a_damaged_file_what_comes_before_is_read_and_then_it_is_told(tmp_path: Path) -> None:
    path = tmp_path / "packed.jsonl.gz"
    lines = [f"line {number * 7919 % 1000}".encode() for number in range(1000)]
    path.write_bytes(gzip.compress(b"\n".join(lines))[:-200])
    found: list[bytes] = []

    with pytest.raises(UnusablePath, match=r"packed\.jsonl\.gz"):
        for block in line_blocks(FilePart(path, path.name)):
            found += block.split(b"\n")

    assert len(found) > 700
    assert found == lines[: len(found)]


def test_a_text_that_has_to_be_whole_has_a_bound(tmp_path: Path) -> None:
    path = tmp_path / "large.ttl"
    path.write_bytes(b"x" * (2 * 1024 * 1024))

    with pytest.raises(UnusablePath, match="larger than 1 MiB"):
        whole_text(FilePart(path, path.name), 1024 * 1024)


def test_a_part_is_found_again_by_its_source(tmp_path: Path) -> None:
    (tmp_path / "odd@12").write_text("{}")
    second = FilePart(tmp_path / "a.jsonl", "a.jsonl", PART_BYTES, 2 * PART_BYTES)

    assert FilePart.of(tmp_path, second.source) == second
    assert FilePart.of(tmp_path, "odd@12").begin == 0
