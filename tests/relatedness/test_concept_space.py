import json
import multiprocessing
from pathlib import Path

import numpy as np
import pytest

from purport.errors import UnusablePath
from purport.relatedness.array_store import StoreError
from purport.relatedness.concept_space import ConceptSpace, WordRow, new_space
from tests.oracles.concept_weights import unit_vectors
from tests.relatedness.spaces import DOCUMENTS, small_space


def test_every_word_is_found_with_its_vector(tmp_path: Path) -> None:
    space = small_space(tmp_path / "space")

    for word, vector in unit_vectors(DOCUMENTS, 1000).items():
        number = space.find(word)
        assert number is not None
        row = space.row(number)
        assert row.word == word
        assert row.concepts.tolist() == list(vector)
        assert row.weights == pytest.approx(np.array(list(vector.values())), abs=1e-3)
    assert space.find("xyzzy") is None
    assert [space.title(number) for number in range(len(DOCUMENTS))] == [t for t, _ in DOCUMENTS]


def found_in_another_process(folder: Path) -> int | None:
    return ConceptSpace.open(folder).find("energi")


def test_many_processes_read_one_space(tmp_path: Path) -> None:
    folder = tmp_path / "space"
    expected = small_space(folder).find("energi")

    with multiprocessing.get_context("spawn").Pool(3) as pool:
        assert pool.map(found_in_another_process, [folder] * 6) == [expected] * 6


def test_a_space_that_fails_half_way_leaves_nothing_behind(tmp_path: Path) -> None:
    with (
        pytest.raises(RuntimeError, match="half way"),
        new_space(tmp_path / "space", name="s", sources=[], parameters={}) as writer,
    ):
        writer.add_titles(["one"])
        raise RuntimeError("half way")

    assert list(tmp_path.iterdir()) == []


def test_a_space_without_words_is_refused_and_the_old_one_stays(tmp_path: Path) -> None:
    folder = tmp_path / "space"
    small_space(folder)

    with (
        pytest.raises(StoreError, match="no usable word"),
        new_space(folder, name="s", sources=[], parameters={}),
    ):
        pass

    assert ConceptSpace.open(folder).manifest.name == "small"
    assert [path.name for path in tmp_path.iterdir()] == ["space"]


def test_a_space_that_cannot_take_its_place_leaves_the_old_one_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "space"
    small_space(folder)
    rename = Path.rename

    def fail_once_it_is_free(path: Path, target: Path) -> Path:
        if target == folder and not folder.exists() and "-old-" not in path.name:
            raise OSError(28, "No space left on device")
        return rename(path, target)

    with monkeypatch.context() as patch, pytest.raises(UnusablePath, match="No space left"):
        patch.setattr(Path, "rename", fail_once_it_is_free)
        small_space(folder)

    assert ConceptSpace.open(folder).manifest.name == "small"
    assert [path.name for path in tmp_path.iterdir()] == ["space"]


def test_a_folder_of_other_things_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "precious.txt").write_text("keep me")

    (tmp_path / "manifest.json").write_text('{"name": "a web page"}')

    with pytest.raises(UnusablePath, match=r"not a concept space: precious\.txt"):
        small_space(tmp_path)

    assert (tmp_path / "precious.txt").read_text() == "keep me"


def test_words_out_of_order_are_a_mistake(tmp_path: Path) -> None:
    rows = [WordRow(word, np.empty(0, np.int32), np.empty(0, np.float32)) for word in "abcdefgh"]

    with (
        pytest.raises(ValueError, match="order of their hashes"),
        new_space(tmp_path / "space", name="s", sources=[], parameters={}) as writer,
    ):
        writer.add_words(rows)


def test_what_is_no_space_is_told(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is not a concept space: manifest"):
        ConceptSpace.open(tmp_path / "missing")
    (tmp_path / "manifest.json").write_text("{")
    with pytest.raises(StoreError, match="the manifest is damaged"):
        ConceptSpace.open(tmp_path)


def test_a_space_of_another_version_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "space"
    small_space(folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps(manifest | {"version": 99}))

    with pytest.raises(StoreError, match="is of version 99; this Purport opens 1"):
        ConceptSpace.open(folder)


def test_a_damaged_space_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "space"
    space = small_space(folder)
    space.verify()
    weights = bytearray((folder / "weights.bin").read_bytes())
    weights[0] ^= 1
    (folder / "weights.bin").write_bytes(weights)
    with pytest.raises(StoreError, match="weights has changed"):
        ConceptSpace.open(folder).verify()
    concepts = (folder / "concepts.bin").read_bytes()
    (folder / "concepts.bin").write_bytes(b"\x7f" * len(concepts))
    broken = ConceptSpace.open(folder)
    with pytest.raises(StoreError, match="concepts that it has not"):
        broken.row(0)
    with pytest.raises(StoreError, match="concepts that it has not"):
        broken.rows(np.array([0, 1]))
    (folder / "concepts.bin").write_bytes(concepts)
    (folder / "weights.bin").write_bytes(weights[:-2])
    with pytest.raises(StoreError, match="the concept space is damaged: weights holds"):
        ConceptSpace.open(folder)
    (folder / "weights.bin").unlink()
    with pytest.raises(StoreError, match="the concept space is damaged: weights"):
        ConceptSpace.open(folder)
