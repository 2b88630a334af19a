import io
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from rich.console import Console

from purport import parse
from purport.cli.stream_display import Show, StreamDisplay
from purport.model.event_lines import DeadLetter
from purport.pipeline.job_folder import BatchReport, JobFolder
from purport.pipeline.jobs.match_stream import MatchStream
from purport.pipeline.notes import Counts
from purport.pipeline.outcomes import dead_letter_rows
from purport.pipeline.sinks.batch_folders import BatchFolders
from purport.pipeline.sources.files import Files
from purport.pipeline.watched import Fixed

NOON = 1_700_000_000.0


class Shown:
    """A display on a console of this width, and what it has put out."""

    def __init__(self, folder: Path, show: Show, width: int = 80) -> None:
        self._output = io.StringIO()
        console = Console(
            file=self._output, width=width, height=40, force_terminal=show is Show.LIVE,
            color_system=None, highlight=False,
        )  # fmt: skip
        sink = BatchFolders(folder)
        self.job = MatchStream(
            Files(folder), sink, Fixed([parse("{a = 1}")]), JobFolder(folder / "job")
        )
        self.display = StreamDisplay(console, self.job, show, clock=lambda: NOON)

    @property
    def text(self) -> str:
        return self._output.getvalue()

    @property
    def lines(self) -> list[str]:
        return [line.rstrip() for line in self.text.splitlines()]


def report(
    batch: int,
    matches: dict[str, int] | None = None,
    *,
    after: float = 0.0,
    dead_letters: int = 0,
) -> BatchReport:
    counts = Counts(1000, matches or {}, dead_letters, appeared=NOON + after - 2.5)
    return BatchReport(batch, 4, NOON + after, 0.5, counts)


def set_aside(job: MatchStream, batch: int, reasons: Sequence[str]) -> None:
    letters = [DeadLetter("e.jsonl", n, reason, "{") for n, reason in enumerate(reasons, 1)]
    folder = job.folder.dead_letters / f"batch={batch}"
    folder.mkdir(parents=True)
    pq.write_table(pa.Table.from_batches([dead_letter_rows(letters)]), folder / "part.parquet")


def test_where_there_is_no_terminal_each_batch_is_a_line_and_the_end_a_summary(
    tmp_path: Path,
) -> None:
    shown = Shown(tmp_path, Show.LINES)
    with shown.display as display:
        display.show(report(0, {"hot": 3}))
        display.show(report(1, {"hot": 1}, after=0.4))
        display.show(report(2, {"wet": 1}, after=1.2))

    first, second, *summary = shown.lines
    assert first.endswith(
        "batch 0: 1,000 events, 2,000/s, 3 matches, 2.5 s behind; "
        "in all 1,000 events, 2,000/s, 3 matches, 0 dead letters"
    )
    assert "batch 2: " in second
    assert "in all 3,000 events" in second
    assert summary[0] == "events   3,000  2,000/s on average"
    assert summary[1] == "matches      5  by 2 subscriptions, version 4"
    assert any(line.split() == ["hot", "4"] for line in summary)
    assert any(line.split() == ["wet", "1"] for line in summary)


def test_a_problem_is_told_at_once_on_a_line_of_its_own(tmp_path: Path) -> None:
    shown = Shown(tmp_path, Show.LINES, width=40)
    with shown.display as display:
        display.show(report(0))
        display.warn(f"the subscriptions stay as they were: {'x' * 60}, line 3")
        display.show(report(1, after=2))

    assert shown.lines[1].endswith(
        f"problem: the subscriptions stay as they were: {'x' * 60}, line 3"
    )
    assert shown.lines[2].partition("  ")[2].startswith("batch 1")
    assert any(line.startswith("problems") for line in shown.lines)


def test_the_first_of_each_kind_of_reason_is_told(tmp_path: Path) -> None:
    shown = Shown(tmp_path, Show.LINES)
    set_aside(shown.job, 0, ["not valid JSON (byte 1)", "not valid JSON (byte 7)", "not UTF-8"])
    set_aside(shown.job, 1, ["not valid JSON (byte 3)", "too\x1b[31m long", "something else"])
    with shown.display as display:
        display.show(report(0, dead_letters=3))
        display.show(report(1, dead_letters=3, after=2))
        display.show(report(2, dead_letters=3, after=4))  # nobody has written them

    told = [line.partition("set aside: ")[2] for line in shown.lines if "set aside" in line]
    assert told == [
        "e.jsonl:1: not valid JSON (byte 1)",
        "e.jsonl:3: not UTF-8",
        r"e.jsonl:2: too\x1b[31m long",
    ]
    [letters] = [line for line in shown.lines if line.startswith("dead letters")]
    assert letters.split()[2] == "9"


@pytest.mark.parametrize("width", [30, 40, 80, 200])
def test_what_is_drawn_fits_the_terminal(tmp_path: Path, width: int) -> None:
    shown = Shown(tmp_path, Show.LIVE, width)
    long = "a subscription with a name that is longer than any terminal is wide " * 2
    with shown.display as display:
        for batch in range(3):
            display.show(report(batch, {long: 1, **{f"s{n}": n for n in range(50)}}, after=batch))
        live = shown.text
    end = shown.text[len(live) :].rpartition("\x1b")[2]

    assert "now" in live
    assert "2,000/s on average" in " ".join(live.split()) or width < 80
    for line in end.splitlines()[1:]:
        assert len(line) <= width
    [rest] = [line for line in end.splitlines() if "39 more" in line]
    assert rest.split()[-1] == f"{3 * (1 + sum(range(50)) - sum(range(38, 50))):,}"
    assert "s49" in end


def test_a_terminal_sees_one_picture_that_goes_away_for_the_summary(tmp_path: Path) -> None:
    shown = Shown(tmp_path, Show.LIVE)
    with shown.display as display:
        display.show(report(0, {"[bold]odd[/bold]\x1b[2J": 3}))

    assert r"[bold]odd[/bold]\x1b[2J" in shown.text
    assert "\x1b[2J" not in shown.text
    assert "+3" in shown.text
    assert "+3" not in shown.text.rpartition("\x1b[2K")[2]


def test_nothing_is_shown_before_the_end_if_so_asked(tmp_path: Path) -> None:
    shown = Shown(tmp_path, Show.AT_THE_END)
    with shown.display as display:
        display.show(report(0, {"hot": 3}))
        assert shown.text == ""
        display.warn("something")
        assert len(shown.lines) == 1

    assert "events" in shown.text


def test_a_stream_without_events_says_so_and_one_that_failed_at_once_says_nothing(
    tmp_path: Path,
) -> None:
    nothing, failed = Shown(tmp_path, Show.LINES), Shown(tmp_path, Show.LINES)
    with nothing.display:
        pass
    with pytest.raises(RuntimeError), failed.display:
        raise RuntimeError

    assert nothing.lines == ["events  0  none came, 0:00:00"]
    assert failed.text == ""


def test_a_batch_in_no_time_has_no_rate(tmp_path: Path) -> None:
    shown = Shown(tmp_path, Show.LINES)
    with shown.display as display:
        display.show(BatchReport(0, 1, NOON, 0.0, Counts(5)))

    assert "0/s" in shown.lines[0]
    assert "behind" not in shown.text
