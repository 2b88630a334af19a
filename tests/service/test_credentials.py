"""Who has registered: secrets as salted hashes, in a file that nobody else can read."""

import json
import os
import stat
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from purport.errors import InvalidInput, UnusablePath
from purport.service.credentials import Credentials
from purport.service.signing_keys import new_key, signing_keys


@pytest.fixture(autouse=True)
def _everybody_could_read() -> Iterator[None]:
    """What is secret is so although new files are for everybody."""
    before = os.umask(0)
    yield
    os.umask(before)


def registered(credentials: Credentials, identity: str, *, again: bool = False) -> tuple[str, str]:
    made = credentials.register(identity, again=again)
    assert made is not None
    return made


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_an_identity_registers_once(tmp_path: Path) -> None:
    credentials = Credentials(tmp_path / "clients.json")

    client, secret = registered(credentials, "ann")

    assert credentials.register("ann", again=False) is None
    assert credentials.identity(client, secret) == "ann"


def test_of_many_at_the_same_time_one_registers() -> None:
    credentials = Credentials(None)

    with ThreadPoolExecutor(4) as threads:
        made = list(threads.map(lambda _: credentials.register("ann", again=False), range(4)))

    assert len([one for one in made if one is not None]) == 1


def test_a_later_registration_takes_the_place_of_the_one_before() -> None:
    credentials = Credentials(None)

    first, second = (registered(credentials, "ann", again=True) for _ in range(2))

    assert credentials.identity(*first) is None
    assert credentials.identity(*second) == "ann"


@pytest.mark.parametrize("change", [str.swapcase, lambda one: one[:-1], lambda one: one + "x"])
def test_another_secret_or_another_client_is_nobodys(change: Callable[[str], str]) -> None:
    credentials = Credentials(None)
    client, secret = registered(credentials, "ann")
    others = [(client, change(secret)), (client, ""), ("", ""), ("x" + client, secret)]

    assert [credentials.identity(*other) for other in others] == [None] * 4


def test_clients_outlive_the_process_and_their_secrets_are_not_kept(tmp_path: Path) -> None:
    path = tmp_path / "clients.json"
    before = Credentials(path)
    ann, bob = registered(before, "ann"), registered(before, "bob")

    kept, after = path.read_text(), Credentials(path)

    assert (after.identity(*ann), after.identity(*bob)) == ("ann", "bob")
    assert after.register("ann", again=False) is None
    assert ann[1] not in kept
    assert bob[1] not in kept
    salts = {one["salt"] for one in json.loads(kept).values()}
    assert len(salts) == 2


def test_nobody_else_can_read_who_has_registered(tmp_path: Path) -> None:
    path = tmp_path / "clients.json"

    for name in ("ann", "bob"):
        registered(Credentials(path), name)

        assert mode_of(path) == 0o600
    assert [one.name for one in tmp_path.iterdir()] == ["clients.json"]


def test_what_cannot_be_kept_is_not_registered(tmp_path: Path) -> None:
    credentials = Credentials(tmp_path / "nowhere" / "clients.json")

    with pytest.raises(UnusablePath, match="No such file"):
        credentials.register("ann", again=False)
    (tmp_path / "nowhere").mkdir()

    assert registered(credentials, "ann")


@pytest.mark.parametrize("text", ["", "{", "[]", '{"a": {"identity": "ann"}}', "\xff"])
def test_a_file_that_is_none_of_clients_is_said_to_be_none(tmp_path: Path, text: str) -> None:
    path = tmp_path / "clients.json"
    path.write_bytes(text.encode("latin-1"))

    with pytest.raises(InvalidInput, match=r"clients\.json: not a file of clients"):
        Credentials(path)


def test_a_key_is_made_once_and_nobody_else_can_read_it(tmp_path: Path) -> None:
    [made] = signing_keys((), tmp_path / "new")
    [again] = signing_keys((), tmp_path / "new")

    assert made == again
    assert len(made) == 64
    assert mode_of(tmp_path / "new" / "signing.key") == 0o600
    assert [one.name for one in (tmp_path / "new").iterdir()] == ["signing.key"]


def test_no_two_keys_are_the_same_and_without_a_folder_none_is_kept() -> None:
    assert new_key() != new_key()
    assert signing_keys((), None) == ()


def test_keys_of_files_are_all_there_and_long_enough(tmp_path: Path) -> None:
    first, second, short = (tmp_path / name for name in ("first", "second", "short"))
    first.write_bytes(b"a" * 32 + b"\n")
    second.write_bytes(b"b" * 64)
    short.write_bytes(b"c" * 31)

    assert signing_keys((first, second), None) == (b"a" * 32, b"b" * 64)
    with pytest.raises(InvalidInput, match="short: expected a key of 32 bytes or more, got 31"):
        signing_keys((first, short), None)
    with pytest.raises(UnusablePath, match="none"):
        signing_keys((first, tmp_path / "none"), None)
