"""What a spool has acknowledged is there after a crash; nothing is there that nobody appended."""

import shutil
import signal
import subprocess
import sys
from bisect import bisect_right
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from purport.errors import PurportError
from purport.mqtt.message import Message
from purport.spool.errors import SpoolDamaged
from purport.spool.reader import SpoolReader
from purport.spool.spool import Spool
from tests.strategies.messages import numbered

_BATCHES = (3, 1, 4, 0, 1, 5, 2, 0)  # where nothing came, an id was released


@dataclass(frozen=True)
class Interrupted:
    """A spool as it was at each of its acknowledgements, the mark too; all of it at the end."""

    folder: Path
    segment: str
    lengths: list[int]
    marks: list[bytes]
    opened: list[frozenset[int]]

    def kept(self, place: int) -> int:
        """How many messages were acknowledged then."""
        return sum(_BATCHES[:place])


@pytest.fixture(scope="module")
def interrupted(tmp_path_factory: pytest.TempPathFactory) -> Interrupted:
    folder, copy = tmp_path_factory.mktemp("open"), tmp_path_factory.mktemp("copies") / "copy"
    kept = 0
    with closing(Spool.open(folder)) as spool:
        spool.adopt("here")
        [segment] = folder.glob("*.segment")
        lengths, marks = [segment.stat().st_size], [(folder / "end").read_bytes()]
        opened = [spool.open_ids]
        for place, count in enumerate(_BATCHES):
            spool.append(
                numbered(kept, kept + count), opened=[place + 1], released=[place] if place else []
            )
            kept += count
            lengths.append(segment.stat().st_size)
            marks.append((folder / "end").read_bytes())
            opened.append(spool.open_ids)
        shutil.copytree(folder, copy)
    return Interrupted(copy, segment.name, lengths, marks, opened)


@pytest.mark.usefixtures("unsynced")
@given(data=st.data())
def test_a_tail_that_is_torn_is_cut_off_and_nothing_acknowledged_with_it(
    data: st.DataObject, interrupted: Interrupted, tmp_path_factory: pytest.TempPathFactory
) -> None:
    acknowledged = data.draw(st.integers(0, len(_BATCHES)), "acknowledged")
    folder = tmp_path_factory.mktemp("cut") / "copy"
    shutil.copytree(interrupted.folder, folder)
    written = bytearray((folder / interrupted.segment).read_bytes())
    begin = interrupted.lengths[acknowledged]
    cut = data.draw(st.integers(begin, len(written)), "cut")
    flipped = data.draw(st.none() | st.integers(begin, max(begin, cut - 1)), "flipped")
    if flipped is not None and flipped < cut:
        written[flipped] ^= data.draw(st.integers(1, 255))
    garbage = data.draw(st.binary(max_size=40), "garbage")
    (folder / interrupted.segment).write_bytes(bytes(written[:cut]) + garbage)
    (folder / "end").write_bytes(interrupted.marks[acknowledged])

    assert SpoolReader(folder).end == interrupted.kept(acknowledged)
    with closing(Spool.open(folder)) as spool:
        found = list(chain.from_iterable(spool.read(0, spool.end)))
        whole = bisect_right(interrupted.lengths, cut if flipped is None else min(flipped, cut)) - 1

        assert found == numbered(0, interrupted.kept(max(whole, acknowledged)))
        assert spool.open_ids == interrupted.opened[max(whole, acknowledged)]
        length = (folder / interrupted.segment).stat().st_size
        assert length == interrupted.lengths[max(whole, acknowledged)]
        assert spool.append(numbered(len(found), len(found) + 2)) == len(found)
        assert list(chain.from_iterable(spool.read(0, spool.end))) == numbered(0, len(found) + 2)


@pytest.mark.usefixtures("unsynced")
@given(data=st.data())
def test_what_was_acknowledged_and_cannot_be_read_is_an_error_and_not_cut_off(
    data: st.DataObject, interrupted: Interrupted, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("damaged") / "copy"
    shutil.copytree(interrupted.folder, folder)
    written = bytearray((folder / interrupted.segment).read_bytes())
    written[data.draw(st.integers(0, len(written) - 1))] ^= data.draw(st.integers(1, 255))
    (folder / interrupted.segment).write_bytes(written)

    with pytest.raises(SpoolDamaged, match=interrupted.segment):
        Spool.open(folder)
    assert (folder / interrupted.segment).read_bytes() == bytes(written)
    with suppress(PurportError):
        found = chain.from_iterable(SpoolReader(folder).read(0, sum(_BATCHES)))
        assert list(found) == numbered(0, sum(_BATCHES))


def test_a_mark_that_is_lost_is_made_again(
    interrupted: Interrupted, tmp_path_factory: pytest.TempPathFactory
) -> None:
    for mark in (b"", b"garbage", interrupted.marks[2]):
        folder = tmp_path_factory.mktemp("mark") / "copy"
        shutil.copytree(interrupted.folder, folder)
        (folder / "end").write_bytes(mark)

        with closing(Spool.open(folder)) as spool:
            assert SpoolReader(folder).end == spool.end == sum(_BATCHES)


_APPEND = """
import sys
from pathlib import Path
from purport.spool.spool import Spool
from tests.strategies.messages import numbered
spool = Spool.open(Path(sys.argv[1]), most_bytes=10**8, segment_bytes=4_000)
while True:
    spool.append(numbered(spool.end, spool.end + 7))
    print(spool.end, flush=True)
"""


def test_a_process_that_is_killed_loses_nothing_that_it_acknowledged(tmp_path: Path) -> None:
    acknowledged = 0
    for kill in range(3):
        command = [sys.executable, "-c", _APPEND, str(tmp_path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            for _ in range(20 + 13 * kill):
                acknowledged = int(process.stdout.readline())
            process.send_signal(signal.SIGKILL)
            for line in process.stdout:
                acknowledged = int(line)

        with closing(Spool.open(tmp_path, most_bytes=10**8, segment_bytes=4_000)) as spool:
            found: list[Message] = list(chain.from_iterable(spool.read(0, spool.end)))
        assert len(found) >= acknowledged
        assert found == numbered(0, len(found))
