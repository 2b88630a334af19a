"""Jobs as they are found on disk, made without Spark."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from purport.model.event_lines import DeadLetter
from purport.model.subscription import Subscription
from purport.pipeline.file_parts import FilePart
from purport.pipeline.job_folder import BatchReport, JobFolder, JobIdentity
from purport.pipeline.matcher_spec import MatcherSettings
from purport.pipeline.notes import Counts
from purport.pipeline.outcomes import dead_letter_rows, match_rows
from purport.pipeline.readers import FileReader
from purport.pipeline.sinks.batch_folders import BatchFolders
from purport.pipeline.sources.files import Files
from purport.pipeline.versions import Versions


@dataclass(frozen=True)
class LeftBehind:
    """A job that reads `events` and writes `matches`, both below a folder."""

    folder: Path
    settings: MatcherSettings = field(default_factory=MatcherSettings)

    @property
    def events(self) -> Path:
        return self.folder / "events"

    @property
    def matches(self) -> Path:
        return self.folder / "matches"

    @property
    def job(self) -> JobFolder:
        return JobFolder(BatchFolders(self.matches).home)

    def open(self) -> JobFolder:
        self.events.mkdir(parents=True, exist_ok=True)
        sink = BatchFolders(self.matches)
        sink.claim(self.job.open(JobIdentity(Files(self.events).place, sink.place)))
        return self.job

    def match(self, subscriptions: Sequence[Subscription]) -> BatchReport:
        """Match all files in one more batch."""
        job = self.open()
        version = Versions(job.subscriptions).number_of(subscriptions, self.settings)
        matcher = self.settings.matcher()
        for subscription in subscriptions:
            matcher.add(subscription)
        counts = Counts()
        rows: list[pa.RecordBatch] = []
        letters: list[DeadLetter] = []
        for path in sorted(self.events.iterdir()):
            for told in FileReader(self.events).told(FilePart.of(self.events, path.name)):
                found = told.match(matcher)
                rows += match_rows(found, version)
                letters += found.dead_letters
                counts.events += sum(len(part.ids) for part, _ in found.found)
        for batch in rows:
            for name in batch.column("subscription").to_pylist():
                counts.count_matches({name: 1})
        return self.keep(version, rows, letters, counts)

    def keep(
        self,
        version: int,
        rows: Sequence[pa.RecordBatch],
        letters: Iterable[DeadLetter] = (),
        counts: Counts | None = None,
        seconds: float = 0.5,
    ) -> BatchReport:
        """Keep what one more batch gave."""
        job = self.open()
        number = len(list(job.reports()))
        if rows:
            place = self.matches / f"batch={number}"
            place.mkdir()
            pq.write_table(pa.Table.from_batches(rows), place / "part-00000.parquet")
        notes, refused = job.notes(), list(letters)
        counts = counts or Counts()
        if refused:
            notes.folder.mkdir(parents=True, exist_ok=True)
            pq.write_table(
                pa.Table.from_batches([dead_letter_rows(refused)]), notes.folder / "part.parquet"
            )
            counts.dead_letters = len(refused)
        report = BatchReport(number, version, 1_700_000_000.0 + number, seconds, counts, 2)
        job.keep(report, notes)
        return report
