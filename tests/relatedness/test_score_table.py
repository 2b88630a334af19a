import multiprocessing
import os
import pickle
import signal
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from purport.errors import InvalidInput, UnusablePath
from purport.relatedness import score_table
from purport.relatedness.array_store import StoreError
from purport.relatedness.esa import Esa
from purport.relatedness.measure import Measure, Scores
from purport.relatedness.score_blocks import Block
from purport.relatedness.score_table import ScoreTable
from tests.contracts.measure import MeasureContract
from tests.relatedness.spaces import small_space
from tests.strategies.pairwise import Pairwise


@dataclass(frozen=True)
class Letters(Pairwise):
    """Terms are near when they share letters; what is computed is counted."""

    identity: str = "letters"
    asked: list[tuple[int, int]] = field(default_factory=list, compare=False)

    def score(self, left: str, right: str) -> float:
        if left == right:
            return 1.0
        return len(set(left) & set(right)) / (1 + len(set(left) | set(right)))

    def matrix(self, left: Sequence[str], right: Sequence[str]) -> Scores:
        self.asked.append((len(left), len(right)))
        return super().matrix(left, right)


class TestScoreTable(MeasureContract):
    @pytest.fixture
    def measure(self, tmp_path: Path) -> Measure:
        return ScoreTable(Esa(small_space(tmp_path / "space")), tmp_path / "table")


words = st.lists(st.text("abcdé\0\ud800", max_size=4), max_size=6)


@given(st.lists(st.tuples(words, words), max_size=6), st.integers(0, 40))
def test_it_gives_the_measures_scores_however_it_is_asked(
    questions: list[tuple[list[str], list[str]]], most_cells: int
) -> None:
    letters = Letters()
    table = ScoreTable(letters, most_cells=most_cells)
    for left, right in questions:
        assert table.matrix(left, right) == pytest.approx(letters.matrix(left, right), abs=1e-6)
        for term in left[:1]:
            for other in right[:1]:
                assert table.score(term, other) == pytest.approx(letters.score(term, other))
    rows, columns = table.size
    assert rows * columns <= most_cells


def test_what_is_known_is_not_computed_again() -> None:
    letters = Letters()
    table = ScoreTable(letters)
    table.matrix(["ab", "cd"], ["abc", "bcd"])
    letters.asked.clear()

    table.matrix(["cd", "ab"], ["bcd", "abc", "abc"])
    table.score("ab", "abc")
    assert letters.asked == []

    table.matrix(["ab", "cd"], ["abc", "new", "newer"])
    assert letters.asked == [(2, 2)]


def test_beyond_the_bound_it_scores_and_does_not_remember() -> None:
    letters = Letters()
    table = ScoreTable(letters, most_cells=4)
    table.matrix(["ab", "cd"], ["abc", "bcd"])
    letters.asked.clear()

    for _ in range(2):
        assert table.score("ef", "fe") == pytest.approx(letters.score("ef", "fe"))
    assert letters.asked == [(1, 1), (1, 1)]
    assert table.size == (2, 2)
    assert not table.add(Block(["x"], ["y"], np.ones((1, 1), np.float32)))


def test_places_are_looked_up_pair_by_pair() -> None:
    table = ScoreTable(Letters())
    numbers = table.numbers(["ab", "cd"], ["abc", "bcd"])
    assert numbers is not None
    rows, columns = numbers

    assert table.look_up(rows, columns) == pytest.approx(
        [Letters().score("ab", "abc"), Letters().score("cd", "bcd")]
    )


def test_scores_are_kept_across_restarts(tmp_path: Path) -> None:
    with ScoreTable(Letters(), tmp_path / "t") as table:
        scores = table.matrix(["ab", "", "\ud800"], ["abc", "x\0y"])
    letters = Letters()
    again = ScoreTable(letters, tmp_path / "t")

    assert np.array_equal(again.matrix(["ab", "", "\ud800"], ["abc", "x\0y"]), scores)
    assert letters.asked == []
    assert again.known_given(["ab"]) == {"abc", "x\0y"}
    assert again.known_given(["unheard"]) == set()


def test_a_table_is_sent_by_its_folder(tmp_path: Path) -> None:
    table = ScoreTable(Letters(), tmp_path / "t")
    table.matrix(["ab"], ["abc"])

    assert pickle.loads(pickle.dumps(table)).size == (1, 1)


def grow(folder: Path, number: int) -> None:
    table = ScoreTable(Letters(), folder)
    for step in range(20):
        table.matrix([f"a{step % 3}"], [f"n{number}s{step}"])
        table.flush()
        if step % 5 == 0:
            table.refresh()


def test_many_processes_grow_one_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "t"
    monkeypatch.setattr(score_table, "_MOST_BLOCKS", 8)
    with multiprocessing.get_context("fork").Pool(4) as pool:
        pool.starmap(grow, [(folder, number) for number in range(4)])
    letters = Letters()
    table = ScoreTable(letters, folder)

    assert table.size == (3, 80)
    for number in range(4):
        for step in range(20):
            left, right = f"a{step % 3}", f"n{number}s{step}"
            assert table.score(left, right) == pytest.approx(Letters().score(left, right))
    assert letters.asked == []
    assert len(list(folder.glob("block-*.npz"))) <= 8 + 4


def write_for_ever(folder: Path) -> None:
    table = ScoreTable(Letters(), folder)
    number = 0
    while True:
        table.matrix(["a", "b"], [f"w{number + step}" for step in range(50)])
        table.flush()
        number += 50


def test_a_process_that_is_killed_leaves_a_table_that_opens(tmp_path: Path) -> None:
    for number in range(3):
        folder = tmp_path / f"t{number}"
        process = multiprocessing.get_context("fork").Process(target=write_for_ever, args=(folder,))
        process.start()
        deadline = time.monotonic() + 30
        while len(list(folder.glob("block-*.npz"))) < 3 and time.monotonic() < deadline:
            time.sleep(0.01)
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        letters = Letters()
        table = ScoreTable(letters, folder)
        assert table.score("a", "w7") == pytest.approx(Letters().score("a", "w7"))
        assert letters.asked == []


def test_many_blocks_become_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(score_table, "_MOST_BLOCKS", 4)
    table = ScoreTable(Letters(), tmp_path / "t")
    for number in range(10):
        table.matrix(["ab"], [f"w{number}"])
        table.flush()
    ScoreTable(Letters(), tmp_path / "t")

    assert len(list((tmp_path / "t").glob("block-*.npz"))) <= 4
    again = ScoreTable(Letters(), tmp_path / "t")
    assert again.known_given(["ab"]) == {f"w{number}" for number in range(10)}


def test_what_a_block_does_not_know_stays_known() -> None:
    letters = Letters()
    table = ScoreTable(letters)
    known = table.score("ab", "bc")

    unknown = np.nan
    assert table.add(
        Block(["ab", "cd"], ["bc", "de"], np.array([[unknown, 0.5], [0.25, unknown]], np.float32))
    )

    assert (table.score("ab", "bc"), table.score("ab", "de")) == (known, 0.5)
    assert letters.asked == [(1, 1)]


def test_the_scores_of_another_measure_are_refused(tmp_path: Path) -> None:
    ScoreTable(Letters(), tmp_path / "t")

    with pytest.raises(StoreError, match=r"the scores of another measure \(letters, not other\)"):
        ScoreTable(Letters("other"), tmp_path / "t")


@dataclass(frozen=True)
class Nameless(Pairwise):
    """The two methods that make a measure, and no more."""

    def score(self, left: str, right: str) -> float:
        return float(left == right)


def test_a_measure_that_does_not_say_who_it_is_is_kept_in_memory_only(tmp_path: Path) -> None:
    assert ScoreTable(Nameless()).score("a", "a") == 1
    with pytest.raises(InvalidInput, match="does not say its identity"):
        ScoreTable(Nameless(), tmp_path / "t")


def test_what_did_not_fit_is_not_lost_when_blocks_are_merged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(score_table, "_MOST_BLOCKS", 2)
    for number in range(8):
        with ScoreTable(Letters(), tmp_path / "t") as table:
            table.matrix(["ab"], [f"w{number}{step}" for step in range(5)])
    small = ScoreTable(Letters(), tmp_path / "t", most_cells=5)
    small.refresh()

    assert ScoreTable(Letters(), tmp_path / "t").size == (1, 40)


def test_one_new_row_and_one_new_column_are_all_that_is_computed() -> None:
    letters = Letters()
    table = ScoreTable(letters)
    asked, given_ = [f"a{n}" for n in range(50)], [f"b{n}" for n in range(60)]
    table.matrix(asked, given_)
    letters.asked.clear()

    table.matrix([*asked, "new"], [*given_, "newer"])

    assert sum(rows * columns for rows, columns in letters.asked) == 61 + 50


def test_threads_look_up_while_the_table_grows() -> None:
    table = ScoreTable(Letters())
    wrong: list[object] = []

    def ask(start: int) -> None:
        try:
            for number in range(start, start + 400):
                found = table.score(f"a{number % 7}", f"b{number}")
                if abs(found - Letters().score(f"a{number % 7}", f"b{number}")) > 1e-6:
                    wrong.append(number)
        except IndexError as error:
            wrong.append(error)

    threads = [threading.Thread(target=ask, args=(start,)) for start in (0, 100, 200, 300)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert wrong == []


def test_folders_that_are_no_tables_are_told(tmp_path: Path) -> None:
    (tmp_path / "precious.txt").write_text("keep me")
    with pytest.raises(UnusablePath, match="not a table of scores"):
        ScoreTable(Letters(), tmp_path)

    ScoreTable(Letters(), tmp_path / "t")
    (tmp_path / "t" / "table.json").write_text('{"version": 99, "measure": "letters"}')
    with pytest.raises(StoreError, match="is of version 99"):
        ScoreTable(Letters(), tmp_path / "t")
    (tmp_path / "t" / "table.json").write_text("{")
    with pytest.raises(StoreError, match="the table of scores is damaged"):
        ScoreTable(Letters(), tmp_path / "t")


@given(st.integers(0, 1500), st.sampled_from(["cut", "zeros", "flip"]))
def test_a_damaged_block_is_told_and_its_scores_are_computed_again(place: int, how: str) -> None:
    with TemporaryDirectory() as folder:
        with ScoreTable(Letters(), folder) as table:
            scores = table.matrix(["ab", "cd"], ["abc", "é"])
        [block] = Path(folder).glob("block-*.npz")
        whole = bytearray(block.read_bytes())
        place %= len(whole)
        if how == "cut":
            del whole[place:]
        elif how == "zeros":
            whole[place : place + 8] = bytes(len(whole[place : place + 8]))
        else:
            whole[place] ^= 0x55
        block.write_bytes(whole)

        again = ScoreTable(Letters(), folder)

        assert np.array_equal(again.matrix(["ab", "cd"], ["abc", "é"]), scores)
        assert all("the block of scores is damaged" in problem for problem in again.problems)
        assert len(again.problems) <= 1
        assert how != "cut" or len(again.problems) == 1
