from pathlib import Path

import pytest

from purport.errors import UnusablePath
from purport.model.event_lines import DeadLetter
from purport.pipeline.stored.letters import StoredLetters, kind_of
from tests.pipeline.left_behind import LeftBehind


@pytest.mark.parametrize(
    ("reasons", "kind"),
    [
        (["not JSON (byte 17)", "not JSON (byte 3)"], "not JSON (byte …)"),
        (
            ["duplicate '@id' 'e1', seen in line 3", "duplicate '@id' 'x y', seen in line 1,000"],
            "duplicate '@id' …, seen in line …",
        ),
        (["expected 3 values, got 2.5"], "expected … values, got …"),
        (["the text is not UTF-8"], "the text is not UTF-8"),
    ],
)
def test_a_kind_of_reason_leaves_out_what_is_different_in_each(
    reasons: list[str], kind: str
) -> None:
    assert {kind_of(reason) for reason in reasons} == {kind}


def test_dead_letters_are_grouped_by_kind_with_examples(tmp_path: Path) -> None:
    left = LeftBehind(tmp_path)
    first = [DeadLetter("a.jsonl", n, f"broken (byte {n})", f"{{{n}") for n in range(30)]
    left.keep(1, [], first)
    left.keep(1, [], [DeadLetter("b.jsonl", 4, "not UTF-8", "x"), *first[:5]])
    letters = StoredLetters(left.job.dead_letters)

    broken, other = letters.by_reason()

    assert (broken.kind, broken.count) == ("broken (byte …)", 35)
    assert [one.line for one in broken.examples] == [0, 1]
    assert (other.kind, other.count) == ("not UTF-8", 1)
    assert other.examples == [DeadLetter("b.jsonl", 4, "not UTF-8", "x")]
    assert letters.of_batch(1, 2) == [DeadLetter("b.jsonl", 4, "not UTF-8", "x"), first[0]]
    assert letters.of_batch(7, 2) == []


def test_a_job_without_dead_letters_has_none(tmp_path: Path) -> None:
    assert StoredLetters(tmp_path / "nowhere").by_reason() == []


def test_dead_letters_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    (tmp_path / "batch=0").mkdir()
    (tmp_path / "batch=0" / "part.parquet").write_text("no")

    with pytest.raises(UnusablePath, match="the dead letters cannot be read"):
        StoredLetters(tmp_path).by_reason()
