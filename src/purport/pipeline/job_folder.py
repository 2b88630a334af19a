"""What a streaming job remembers: who it is, how far it has come, what it set aside."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import msgspec

from purport.errors import InvalidInput, UnusablePath
from purport.ontology.owl.reading import read_ontology
from purport.pipeline.notes import Counts, Notes
from purport.pipeline.timed.kept import TimedFolder
from purport.whole_file import clear_unfinished, write_whole

VERSION = 1
_JOB = "job.json"
_REPORTS = "batches.jsonl"


class JobIdentity(msgspec.Struct, frozen=True):
    """What makes a job the same one: where it reads and where it writes."""

    source: str
    sink: str
    since: str | None = None


class _JobFile(msgspec.Struct, frozen=True):
    version: int
    id: str
    identity: JobIdentity


class BatchReport(msgspec.Struct, frozen=True):
    """What became of one batch; `finished` is in seconds since 1970."""

    batch: int
    version: int  # of the subscriptions
    finished: float
    seconds: float
    counts: Counts
    cores: int = 1  # that worked on it

    @property
    def lag_seconds(self) -> float | None:
        """How long ago the oldest source of the batch had changed when its matches were written."""
        appeared = self.counts.appeared
        return None if appeared is None else max(0.0, self.finished - appeared)


@dataclass(frozen=True, slots=True)
class JobFolder:
    """A folder of one job: Spark's checkpoint, dead letters, subscriptions, scores, reports."""

    folder: Path
    is_temporary: bool = False  # it is there while the job runs, and no longer

    @classmethod
    def temporary(cls) -> JobFolder:
        """A folder for a job that begins anew each time."""
        return cls(Path(tempfile.gettempdir()) / f"purport-{uuid.uuid4().hex}", is_temporary=True)

    @property
    def checkpoint(self) -> Path:
        """Where Spark remembers what was read."""
        return self.folder / "spark"

    @property
    def dead_letters(self) -> Path:
        """Where records are that could not be read, matched or delivered."""
        return self.folder / "dead_letters"

    @property
    def timed(self) -> TimedFolder:
        """What happened in time, as far as it matters."""
        return TimedFolder(self.folder / "timed")

    @property
    def subscriptions(self) -> Path:
        """Where the versions of the subscriptions are."""
        return self.folder / "subscriptions"

    @property
    def scores(self) -> Path:
        """Where scores are kept."""
        return self.folder / "scores"

    def open(self, identity: JobIdentity) -> str:
        """The id of the job, a new one if there is none here; another job's folder is refused."""
        path = self.folder / _JOB
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            if not path.exists():
                if any(one.name[0] != "." for one in self.folder.iterdir()):
                    raise InvalidInput(f"{self.folder}: there is something here that is no job")
                job = _JobFile(VERSION, uuid.uuid4().hex, identity)
                write_whole(path, msgspec.json.format(msgspec.json.encode(job)))
            job = self._job()
        except OSError as error:
            raise UnusablePath(self.folder, error.strerror or str(error)) from None
        _require_same(self.folder, job.identity, identity)
        return job.id

    def identity(self) -> JobIdentity:
        """Which job this is, for somebody who only looks."""
        try:
            return self._job().identity
        except OSError as error:
            raise UnusablePath(self.folder, error.strerror or str(error)) from None

    def is_there(self) -> bool:
        """Whether there is a job here."""
        return (self.folder / _JOB).is_file()

    def _job(self) -> _JobFile:
        path = self.folder / _JOB
        try:
            job = msgspec.json.decode(path.read_bytes(), type=_JobFile)
        except msgspec.MsgspecError as error:
            raise InvalidInput(f"{path}: the checkpoint cannot be read: {error}") from None
        if job.version != VERSION:
            raise InvalidInput(f"{path}: of version {job.version}, this Purport reads {VERSION}")
        return job

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keeps a second process from running the same job; clears what is not to be left."""
        with ExitStack() as stack:
            if self.is_temporary:
                stack.callback(shutil.rmtree, self.folder, ignore_errors=True)
            try:
                file = stack.enter_context((self.folder / ".lock").open("wb"))
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(self._staging, ignore_errors=True)
                clear_unfinished(self.folder)
                self._mend_reports()
            except BlockingIOError:
                raise InvalidInput(f"{self.folder}: another process runs this job") from None
            except OSError as error:
                raise UnusablePath(self.folder, error.strerror or str(error)) from None
            yield

    def keep_lexicon(self, rules: Path) -> Path:
        """A copy of a lexicon, which stays as it is while the job runs, under a name of its own."""
        return self._keep_copy(rules, "lexicons", ".lexicon")

    def keep_ontology(
        self, paths: Sequence[Path], *, ignores_missing_imports: bool = False
    ) -> tuple[Path, ...]:
        """Copies of an ontology's files, of all that they import too, which stay as they are.

        They keep their names, which are prefixes of what is in them.
        """
        if not paths:
            return ()
        read = read_ontology(paths, ignores_missing_imports=ignores_missing_imports)
        return tuple(self._keep_copy(path, "ontologies", f"/{path.name}") for path in read.files)

    def _keep_copy(self, path: Path, kind: str, ending: str) -> Path:
        """A copy of a file, under a name that begins with the hash of its text."""
        try:
            text = path.read_bytes()
            copy = self.folder / kind / f"{sha256(text).hexdigest()[:16]}{ending}"
            if not copy.exists():
                copy.parent.mkdir(parents=True, exist_ok=True)
                write_whole(copy, text)
        except OSError as error:
            raise UnusablePath(path, error.strerror or str(error)) from None
        return copy.resolve()

    def notes(self, places: Iterable[Path] = ()) -> Notes:
        """Room for the notes of an attempt at a batch; workers have to see these places too."""
        folder = self._staging.resolve() / uuid.uuid4().hex
        folder.mkdir(parents=True)
        return Notes(folder, tuple(place.resolve() for place in places))

    def keep(self, report: BatchReport, notes: Notes) -> None:
        """Remember that a batch is done: its dead letters first, its report at last."""
        place = self.timed.place(report.batch)
        shutil.rmtree(place, ignore_errors=True)
        if notes.timed.exists():
            place.parent.mkdir(exist_ok=True)
            notes.timed.rename(place)
        letters = notes.dead_letter_files()
        place = self.dead_letters / f"batch={report.batch}"
        shutil.rmtree(place, ignore_errors=True)
        if letters:
            place.mkdir(parents=True)
            for path in letters:
                path.rename(place / path.name)
        with (self.folder / _REPORTS).open("ab") as file:
            file.write(msgspec.json.encode(report) + b"\n")
            file.flush()
            os.fsync(file.fileno())
        shutil.rmtree(notes.folder, ignore_errors=True)

    def reports(self) -> Iterator[BatchReport]:
        """The batches that are done, in their order; one that is being written is not yet done."""
        path = self.folder / _REPORTS
        if path.exists():
            with path.open("rb") as file:
                for line in file:
                    if line.endswith(b"\n"):
                        yield msgspec.json.decode(line, type=BatchReport)

    def _mend_reports(self) -> None:
        """Cut off a report that a process died over."""
        path = self.folder / _REPORTS
        if path.exists():
            whole = path.read_bytes()
            if not whole.endswith(b"\n"):
                os.truncate(path, whole.rfind(b"\n") + 1)

    @property
    def _staging(self) -> Path:
        return self.folder / "staging"


def _require_same(folder: Path, known: JobIdentity, given: JobIdentity) -> None:
    for field in JobIdentity.__struct_fields__:
        was, asked = getattr(known, field), getattr(given, field)
        if was != asked:
            raise InvalidInput(
                f"{folder} is the checkpoint of another job: its {field} is {was or 'not given'}, "
                f"not {asked or 'not given'}; name another checkpoint"
            )
