"""A job as it is found on disk: by its own folder, or by that of its matches."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from purport.errors import InvalidInput, UnusablePath
from purport.pipeline.job_folder import JobFolder, JobIdentity
from purport.pipeline.sinks.batch_folders import OWNER, BatchFolders, FileKind
from purport.pipeline.stored.matches import StoredMatches
from purport.pipeline.versions import Versions


@dataclass(frozen=True, slots=True)
class StoredJob:
    """A job that ran or runs; `matches` is None if they went elsewhere than to files."""

    folder: JobFolder
    identity: JobIdentity
    matches: StoredMatches | None

    @classmethod
    def at(cls, path: Path) -> StoredJob:
        """The job that a folder belongs to; `InvalidInput` if it belongs to none."""
        if not path.is_dir():
            raise UnusablePath(path, "not a folder" if path.exists() else "no such folder")
        beside = JobFolder(BatchFolders(path).home)
        for folder in (JobFolder(path), beside):
            if folder.is_there():
                identity = folder.identity()
                return cls(folder, identity, _matches(folder, identity))
        if (path / OWNER).exists():
            raise InvalidInput(
                f"{path} holds the matches of a job that remembers itself elsewhere; name its "
                "checkpoint"
            )
        raise InvalidInput(
            f"{path} is no job's folder; expected one that `purport stream` wrote matches to, or "
            "its checkpoint"
        )

    @property
    def versions(self) -> Versions:
        """The versions of its subscriptions."""
        return Versions(self.folder.subscriptions)

    def require_matches(self) -> StoredMatches:
        """The matches; `InvalidInput` if they are not in files."""
        if self.matches is None:
            raise InvalidInput(
                f"{self.folder.folder}: the matches of this job are not in files, they went to "
                f"{self.identity.sink}"
            )
        return self.matches


def _matches(folder: JobFolder, identity: JobIdentity) -> StoredMatches | None:
    """Where a job's matches are: around its folder, or else where they were written to."""
    kind, _, place = identity.sink.partition(":")
    if kind not in list(FileKind):
        return None
    around = folder.folder.absolute().parent
    is_beside = BatchFolders(around).home == folder.folder.absolute() and (around / OWNER).exists()
    return StoredMatches(around if is_beside else Path(place), FileKind(kind))
