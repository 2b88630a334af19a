"""A streaming job in words: from a TOML file, from the flags of `purport stream`, or both."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated, Any

import msgspec

from purport.errors import InvalidInput
from purport.model.interval import read_duration, read_instant
from purport.pipeline.job_folder import JobFolder
from purport.pipeline.jobs.match_stream import MatchStream
from purport.pipeline.jobs.run_stream import EVERY_SECONDS
from purport.pipeline.matcher_spec import MatcherSettings
from purport.pipeline.sinks.catalogue import sink_at
from purport.pipeline.sinks.sink import Fleeting, Sink
from purport.pipeline.sources.catalogue import source_at
from purport.pipeline.sources.files import Files
from purport.pipeline.sources.mqtt import Mqtt
from purport.pipeline.watched import Watched
from purport.settings import read_options, read_toml

_NAMES = {"reads": "from", "writes": "to"}


class JobOptions(msgspec.Struct, frozen=True, rename=_NAMES):
    """A job in words; paths are meant from the folder that the command is run in."""

    reads: str | None = None
    writes: str | None = None
    subscriptions: tuple[str, ...] = ()
    checkpoint: Path | None = None
    since: str | None = None  # a time or an offset
    until_end: bool = False
    every_seconds: float = EVERY_SECONDS
    master: str | None = None  # of a cluster
    cores: int | str = "*"  # of this machine, where no cluster is named
    measure: str | None = None
    mode: str = "default"
    lexicon: Path | None = None
    competition: bool = False
    metrics_port: Annotated[int, msgspec.Meta(ge=0, le=65535)] | None = None  # 0: any free one
    ontology: tuple[Path, ...] = ()  # files that make it together
    ignore_missing_imports: bool = False
    scores: Path | None = None  # where they are kept; in the checkpoint, if nobody says
    late: str | None = None  # how late events may come, to count in time: 10 s
    source: Mapping[str, Any] = {}  # options
    sink: Mapping[str, Any] = {}

    def job(self) -> MatchStream:
        """The job; `InvalidInput` says what is missing or wrong."""
        if self.reads is None or self.writes is None or not self.subscriptions:
            raise InvalidInput("a job needs a source (from), a sink (to) and subscriptions")
        if self.cores != "*" and not (str(self.cores).isdecimal() and int(self.cores) > 0):
            raise InvalidInput(f"cores are 1 or more, or * for all there are, got {self.cores!r}")
        if self.every_seconds < 0:
            raise InvalidInput(f"every_seconds is 0 or more, got {self.every_seconds}")
        sink = sink_at(self.writes, self.sink)
        lexicon = self.lexicon.resolve() if self.lexicon is not None else None
        source, folder = source_at(self.reads, since(self.since), self.source), self._folder(sink)
        if isinstance(source, Mqtt):
            source = source.with_spool(folder.folder / "spool")
        if isinstance(source, Files):
            _require_apart(self.checkpoint, source)
            _require_apart(sink.home and sink.home.parent, source)
        return MatchStream(
            source,
            sink,
            Watched(self.subscriptions),
            folder,
            MatcherSettings(
                self.measure,
                self.mode,
                lexicon,
                self.competition,
                self.scores,
                tuple(path.resolve() for path in self.ontology),
                self.ignore_missing_imports,
            ),
            self.since,
            self._allowance(),
        )

    def _allowance(self) -> timedelta:
        if self.late is None:
            return timedelta(0)
        try:
            return read_duration(self.late)
        except ValueError as error:
            raise InvalidInput(f"late: {error}") from None

    def _folder(self, sink: Sink) -> JobFolder:
        home = self.checkpoint or sink.home
        if home is not None:
            return JobFolder(home)
        if isinstance(sink, Fleeting):
            return JobFolder.temporary()
        raise InvalidInput(
            f"{sink.place} has no place for what the job has to remember: name a checkpoint"
        )


def read_job(path: Path | None, flags: Mapping[str, Any]) -> JobOptions:
    """A job from a file, if there is one, and from flags, which count for more."""
    given = {} if path is None else read_toml(path)
    what = str(path) if path is not None else "the job"
    return read_options(JobOptions, {**given, **flags}, what)


def since(text: str | None) -> datetime | str | None:
    """A time, or an offset if it is none: a number, which ISO 8601 may take for a date, is one."""
    if text is None or text.isdecimal():
        return text
    try:
        return read_instant(text)
    except ValueError:
        return text


def _require_apart(path: Path | None, source: Files) -> None:
    """Refuse to write where files are read, unless they are passed over there."""
    if path is None or not path.resolve().is_relative_to(source.path.resolve()):
        return
    below = path.resolve().relative_to(source.path.resolve())
    if not any(part[0] in "._" for part in below.parts):
        raise InvalidInput(
            f"{path} lies in {source.path}, which is read: what the job writes would be taken "
            "for events; name another folder"
        )
