"""What can be written where; root, who may everything, is told of a system that is read-only."""

from collections.abc import Callable
from pathlib import Path

import pytest

from purport.errors import UnusablePath
from purport.writable import require_file, require_room, require_room_in


@pytest.mark.parametrize("require", [require_file, require_room, require_room_in])
def test_what_can_be_made_is_fine_with_folders_above_it(
    require: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    require(tmp_path / "new")
    require(tmp_path / "a" / "new" / "one")
    require(Path("here"))

    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("require", [require_file, require_room, require_room_in])
def test_below_a_file_nothing_can_be_written(
    require: Callable[[Path], None], tmp_path: Path
) -> None:
    (tmp_path / "file").touch()

    for path in (tmp_path / "file" / "x", tmp_path / "file" / "x" / "y"):
        with pytest.raises(UnusablePath, match=f"^{path}: {tmp_path}/file is not a folder$"):
            require(path)


def test_where_one_may_not_write_nothing_new_has_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = tmp_path / "full"
    full.mkdir()
    monkeypatch.setattr("os.access", lambda path, _: path != tmp_path)

    require_room_in(full)
    for require in (require_file, require_room, require_room_in):
        with pytest.raises(UnusablePath, match=f"nothing may be written in {tmp_path}$"):
            require(tmp_path / "new")
    with pytest.raises(UnusablePath, match=f"nothing may be written in {tmp_path}$"):
        require_room(full)


def test_a_file_is_written_over_and_a_folder_is_not(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    require_file(tmp_path / "file")
    require_file(Path("/dev/null"))
    with pytest.raises(UnusablePath, match=r"is a folder$"):
        require_file(tmp_path)
