"""What a spool has taken is there: after restarts, in other processes, in the middle."""

import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from purport.errors import InvalidInput, UnusablePath
from purport.mqtt.message import Message
from purport.spool.errors import MessagesGone, SpoolDamaged, SpoolFailed, SpoolFull, SpoolTaken
from purport.spool.inlet import SpoolInlet, WhenFull
from purport.spool.reader import SpoolReader
from purport.spool.segments import Mark
from purport.spool.spool import Spool
from tests.strategies.messages import messages, numbered


def everything(spool: Spool | SpoolReader) -> list[Message]:
    return list(chain.from_iterable(spool.read(spool.first, spool.end)))


@pytest.fixture
def spool(tmp_path: Path) -> Iterator[Spool]:
    """Small segments: a few hundred messages are many of them."""
    with closing(Spool.open(tmp_path / "spool", most_bytes=40_000, segment_bytes=2_000)) as made:
        yield made


@pytest.mark.usefixtures("unsynced")
@given(st.lists(st.lists(messages, max_size=4), max_size=8), st.data())
def test_what_was_appended_is_read_from_anywhere_to_anywhere(
    tmp_path_factory: pytest.TempPathFactory, batches: list[list[Message]], data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("spool")
    kept: list[Message] = []
    for batch in batches:
        with closing(Spool.open(folder, most_bytes=10**6, segment_bytes=200)) as spool:
            assert spool.append(batch) == len(kept)
            kept += batch
    with closing(Spool.open(folder)) as spool:
        begin = data.draw(st.integers(0, len(kept)))
        end = data.draw(st.integers(begin, len(kept)))

        assert list(chain.from_iterable(spool.read(begin, end))) == kept[begin:end]
        assert (spool.first, spool.end) == (0, len(kept))


def test_positions_go_on_after_everything_was_dropped(spool: Spool) -> None:
    spool.append(numbered(0, 100))
    spool.append(numbered(100, 101))

    assert spool.drop(spool.end) == 100
    assert (spool.first, spool.end) == (100, 101)
    assert spool.append(numbered(101, 102)) == 101
    assert everything(spool) == numbered(100, 102)


def test_positions_go_on_when_somebody_has_removed_the_segments(tmp_path: Path) -> None:
    with closing(Spool.open(tmp_path)) as spool:
        spool.append(numbered(0, 7))
    for segment in tmp_path.glob("*.segment"):
        segment.unlink()

    with closing(Spool.open(tmp_path)) as spool:
        assert spool.append(numbered(7, 8)) == 7
        assert everything(spool) == numbered(7, 8)


def test_only_whole_segments_are_dropped_and_the_last_one_stays(spool: Spool) -> None:
    for number in range(0, 200, 10):
        spool.append(numbered(number, number + 10))

    spool.drop(99)

    assert 0 < spool.first <= 100
    assert everything(spool) == numbered(spool.first, 200)
    spool.drop(10**9)
    assert 100 < spool.first <= 199
    assert everything(spool) == numbered(spool.first, 200)


def test_what_was_dropped_or_never_came_is_said_to_be_gone(spool: Spool) -> None:
    spool.append(numbered(0, 200))
    spool.append(numbered(200, 210))
    spool.drop(199)

    with pytest.raises(MessagesGone, match="message 150 is gone; the first that is there is 200"):
        list(spool.read(150, 210))
    with pytest.raises(MessagesGone, match="message 210 is not there yet"):
        list(spool.read(205, 211))
    assert list(spool.read(300, 300)) == []


def test_a_spool_that_is_full_takes_nothing_until_something_is_dropped(spool: Spool) -> None:
    kept = 0
    with pytest.raises(SpoolFull, match="of at most 40,000"):
        while kept < 5_000:
            spool.append(numbered(kept, kept + 20))
            kept += 20
    assert everything(spool) == numbered(0, kept)
    spool.adopt("another")
    spool.append((), opened=[3])
    assert spool.open_ids == {3}

    spool.drop(kept // 2)

    assert spool.append(numbered(kept, kept + 1)) == kept


def test_a_message_that_is_larger_than_the_spool_comes_through_an_empty_one(spool: Spool) -> None:
    large = Message("a", bytes(100_000))
    for _ in range(3):
        position = spool.append([large])
        with pytest.raises(SpoolFull):
            spool.append([large])
        spool.drop(position)

    assert everything(spool) == []


def test_an_inlet_waits_or_drops_what_is_oldest(tmp_path: Path) -> None:
    for when_full in WhenFull:
        with closing(
            Spool.open(tmp_path / when_full, most_bytes=8_000, segment_bytes=1_000)
        ) as spool:
            inlet = SpoolInlet(spool, when_full=when_full)
            for number in range(0, 400, 20):
                try:
                    inlet.keep(numbered(number, number + 20), opened=(), released=())
                except SpoolFull:
                    assert when_full is WhenFull.WAIT
                    break
            else:
                assert when_full is WhenFull.DROP_OLDEST
                assert inlet.dropped == spool.first > 0
            assert everything(spool) == numbered(spool.first, spool.end)


def test_another_writer_is_refused_and_told_who_it_is(spool: Spool) -> None:
    with pytest.raises(SpoolTaken, match=f"process {os.getpid()}$"):
        Spool.open(spool.folder)

    spool.close()
    Spool.open(spool.folder).close()


def test_open_ids_outlive_restarts_and_segments(tmp_path: Path) -> None:
    def opened() -> Spool:
        return Spool.open(tmp_path, most_bytes=40_000, segment_bytes=500)

    with closing(opened()) as spool:
        assert spool.adopt("here") == frozenset()
        spool.append(numbered(0, 3), opened=[7, 8, 9])
        spool.append(numbered(3, 4), opened=[1], released=[8])
    with closing(opened()) as spool:
        for number in range(4, 50):
            spool.append(numbered(number, number + 1))
        assert spool.drop(40) > 0
        assert spool.adopt("here") == {1, 7, 9}
    with closing(opened()) as spool:
        spool.append((), released=[7])
    with closing(opened()) as spool:
        assert spool.adopt("here") == {1, 9}
        assert spool.adopt("elsewhere") == frozenset()
    with closing(opened()) as spool:
        assert spool.adopt("here") == frozenset()


@pytest.mark.parametrize("reason", [errno.ENOSPC, errno.EROFS, errno.EIO])
@pytest.mark.parametrize("call", ["pwrite", "fdatasync"])
def test_a_disk_that_takes_nothing_costs_nothing_that_was_kept(
    spool: Spool, monkeypatch: pytest.MonkeyPatch, reason: int, call: str
) -> None:
    spool.append(numbered(0, 5), opened=[1])
    real, calls = os.pwrite, iter([True, False])

    def failing(*arguments: object) -> int:
        if call == "pwrite" and next(calls):
            return real(arguments[0], bytes(arguments[1])[:10], arguments[2])  # type: ignore[arg-type,call-overload]
        raise OSError(reason, os.strerror(reason))

    with monkeypatch.context() as patched:
        patched.setattr(os, call, failing)
        with pytest.raises(SpoolFailed, match=os.strerror(reason)):
            spool.append(numbered(5, 9), released=[1])

    assert SpoolReader(spool.folder).end == spool.end == 5
    assert spool.open_ids == {1}
    assert spool.append(numbered(5, 6)) == 5
    mark = Mark.read(spool.folder)
    assert mark is not None
    assert next(spool.folder.glob("*.segment")).stat().st_size == mark.offset
    assert everything(SpoolReader(spool.folder)) == numbered(0, 6)


def test_a_reader_sees_nothing_that_is_not_synced(
    spool: Spool, monkeypatch: pytest.MonkeyPatch
) -> None:
    spool.append(numbered(0, 5))
    reader = SpoolReader(spool.folder)
    seen: list[int] = []

    monkeypatch.setattr(os, "fdatasync", lambda _: seen.append(reader.end))
    spool.append(numbered(5, 9))

    assert seen == [5]
    assert reader.end == 9


def test_whoever_sees_an_end_can_read_up_to_there(
    spool: Spool, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, seen = Mark.write, list[int]()

    def watched(mark: Mark, handle: int) -> None:
        seen.append(spool.end)
        write(mark, handle)

    monkeypatch.setattr(Mark, "write", watched)
    spool.append(numbered(0, 5))

    assert seen == [0]


def test_a_folder_that_is_no_spool_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnusablePath, match="no spool"):
        SpoolReader(tmp_path).end  # noqa: B018
    with pytest.raises(UnusablePath):
        SpoolReader(tmp_path / "nowhere").end  # noqa: B018
    (tmp_path / "file").touch()
    with pytest.raises(UnusablePath):
        Spool.open(tmp_path / "file")
    with pytest.raises(InvalidInput, match="segments of 1 to 25 bytes"):
        Spool.open(tmp_path, most_bytes=100, segment_bytes=50)


def test_an_index_that_is_wrong_or_gone_changes_nothing(tmp_path: Path) -> None:
    batch = [Message("a", os.urandom(30_000)) for _ in range(20)]
    with closing(Spool.open(tmp_path)) as spool:
        for message in batch:
            spool.append([message])
        [index] = tmp_path.glob("*.index")
        written = index.read_bytes()
        assert len(written) == 16 * 6

        for other in (b"", written[:-3], bytes(len(written)), written[16:] + written[:16]):
            index.write_bytes(other)
            for begin in (0, 3, 19):
                assert list(chain.from_iterable(spool.read(begin, 20))) == batch[begin:]
        index.unlink()
        assert everything(spool) == batch
    with closing(Spool.open(tmp_path)) as spool:
        assert index.read_bytes() == written


def test_reading_from_the_middle_does_not_read_what_is_before(tmp_path: Path) -> None:
    with closing(Spool.open(tmp_path)) as spool:
        for number in range(200):
            spool.append([Message(str(number), bytes(30_000))])
        [segment] = tmp_path.glob("*.segment")
        with segment.open("r+b") as file:
            file.write(bytes(3_000_000))

        assert [one.topic for [one] in spool.read(150, 153)] == ["150", "151", "152"]
        with pytest.raises(SpoolDamaged, match="message 0 cannot be read"):
            list(spool.read(0, 3))


_READ = """
import sys
from itertools import chain
from pathlib import Path
from purport.spool.reader import SpoolReader
reader, begin, wanted = SpoolReader(Path(sys.argv[1])), 0, int(sys.argv[2])
while begin < wanted:
    end = reader.end
    for one in chain.from_iterable(reader.read(begin, end)):
        assert one.payload == b"message %d" % begin, (one, begin)
        begin += 1
print(begin)
"""


def test_another_process_reads_while_it_grows(tmp_path: Path) -> None:
    wanted = 2_000
    with closing(Spool.open(tmp_path, most_bytes=10**7, segment_bytes=5_000)) as spool:
        command = [sys.executable, "-c", _READ, str(tmp_path), str(wanted)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as reading:
            for number in range(0, wanted, 10):
                spool.append(numbered(number, number + 10))
            assert reading.communicate()[0] == f"{wanted}\n"
