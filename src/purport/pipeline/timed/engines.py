"""The engines of a job, each with some of its subscriptions, in the workers that run them.

What an engine knows after a batch follows from the events that the job has kept, so that any worker
can build it. One that has it from the batch before only takes what is new.
"""

from __future__ import annotations

import pickle
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import lru_cache
from pathlib import Path

from purport.model.language.write import write
from purport.model.subscription import Subscription
from purport.pipeline.matcher_spec import MatcherSettings
from purport.pipeline.timed.kept import KeptMark, TimedFolder, timed_files
from purport.pipeline.timed.taking import Taking, Told, rows_in


@dataclass(frozen=True, slots=True)
class EnginesSpec:
    """What a worker needs to run an engine of a job through a batch; fit to be sent to it."""

    run: str  # which run of the job: what is known from another one is forgotten
    batch: int
    version: int  # of the subscriptions
    packed: bytes  # the subscriptions to events in time, by their texts
    since: Mapping[str, int]
    settings: MatcherSettings
    allowance: timedelta
    groups: int  # how many engines there are
    kept: TimedFolder
    fresh: Path  # where the events of the batch itself are

    def subscriptions(self, group: int) -> dict[str, Subscription]:
        """Those that an engine has, by their texts."""
        found: dict[str, Subscription] = pickle.loads(self.packed)
        return dict(list(found.items())[group :: self.groups])


def by_text(subscriptions: Sequence[Subscription]) -> dict[str, Subscription]:
    """Subscriptions by their texts."""
    return {write(one): one for one in subscriptions}


def packed(subscriptions: Sequence[Subscription]) -> bytes:
    """Subscriptions by their texts, fit to be sent."""
    return pickle.dumps(by_text(subscriptions), pickle.HIGHEST_PROTOCOL)


def since(subscriptions: Sequence[Subscription], before: KeptMark) -> dict[str, int]:
    """The sequences after which subscriptions are told: new ones of what comes from now on."""
    texts = map(write, subscriptions)
    return {text: before.since.get(text, before.sequence) for text in texts}


def take_batch(spec: EnginesSpec, group: int) -> tuple[Told, KeptMark]:
    """What an engine has to tell of a batch, and how far it comes with that."""
    engines = _worker_engines(spec.run)
    taking = engines.at(spec, group)
    told = taking.take(rows_in(timed_files(spec.fresh)), spec.version)
    taking.batch = spec.batch
    engines.known[group] = taking
    mark = taking.mark
    return told, KeptMark(mark.watermark, mark.last_instant, taking.sequence, dict(spec.since))


def claimed_group(spec: EnginesSpec, folder: Path, task: str) -> int:
    """One of the groups for a task: if there is one, a group that this worker knows.

    A group belongs to one task; a task that is done again has the same.
    """
    known = _worker_engines(spec.run).known
    return _claimed(folder, spec.groups, task, known)


def _claimed(folder: Path, groups: int, task: str, known: Collection[int]) -> int:
    links = [folder / f"group-{group}" for group in range(groups)]
    for group, link in enumerate(links):
        if link.is_symlink() and link.readlink().name == task:
            return group
    for group in sorted(range(groups), key=lambda one: one not in known):
        try:
            links[group].symlink_to(task)  # whole at once, and for one alone
        except FileExistsError:
            continue
        return group
    raise AssertionError(f"{groups} groups for more tasks than that")


@dataclass(slots=True)
class _WorkerEngines:
    """The engines that a worker has run, for one run of a job."""

    known: dict[int, Taking] = field(default_factory=dict)

    def at(self, spec: EnginesSpec, group: int) -> Taking:
        """An engine that has taken everything before a batch.

        It is known again when it has taken the batch as well: one that fails on the way is not.
        """
        taking = self.known.pop(group, None)
        if taking is None or taking.batch >= spec.batch:
            taking = Taking(spec.settings, spec.allowance)
        for batch in spec.kept.batches(taking.batch, spec.batch):
            taking.take(rows_in(spec.kept.files(batch)))
            taking.batch = batch
        taking.subscribe(spec.subscriptions(group), spec.since)
        return taking


@lru_cache(maxsize=1)
def _worker_engines(run: str) -> _WorkerEngines:
    return _WorkerEngines()
