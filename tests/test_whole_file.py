import os
from errno import ENOSPC
from pathlib import Path

import pytest

from purport.whole_file import clear_unfinished, whole_file, write_whole


@pytest.mark.parametrize("is_lasting", [True, False])
def test_a_file_is_written_whole_and_nothing_is_left_beside_it(
    tmp_path: Path, is_lasting: bool
) -> None:
    for text in (b"one", b"two"):
        write_whole(tmp_path / "x", text, is_lasting=is_lasting)

    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("x", b"two")]


def test_what_cannot_be_written_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_whole(tmp_path / "report.json", b"{}")

    assert not list(tmp_path.iterdir())


def test_nothing_is_seen_of_a_file_before_it_is_whole(tmp_path: Path) -> None:
    place = tmp_path / "x"
    place.write_bytes(b"before")

    with pytest.raises(ValueError, match="half-way"), whole_file(place) as hidden:
        hidden.write_bytes(b"half")
        raise ValueError("half-way")

    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("x", b"before")]


def test_only_what_was_being_written_is_cleared_away(tmp_path: Path) -> None:
    with whole_file(tmp_path / "x") as hidden:
        hidden.write_bytes(b"left")
        left = tmp_path / hidden.name.replace(".x-", ".y-")
        left.write_bytes(b"left")
    (tmp_path / ".kept").write_bytes(b"kept")

    clear_unfinished(tmp_path)
    clear_unfinished(tmp_path / "not there")

    assert sorted(path.name for path in tmp_path.iterdir()) == [".kept", "x"]
