"""Settings of a service: a file, variables and flags, and what is said when one is wrong."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

import purport.service.settings as of_service
from purport.broker.access import OPEN, Action
from purport.errors import InvalidInput
from purport.service.serving import opened
from purport.service.settings import ServiceSettings, read_settings

EXAMPLE = Path(__file__).parents[2] / "docs/guides/service.toml"
HASH = f"sha256:{'0' * 64}"


def written(folder: Path, text: str) -> Path:
    path = folder / "service.toml"
    path.write_text(text)
    return path


def test_the_example_in_the_guides_is_right_and_says_all_there_is() -> None:
    settings = read_settings(EXAMPLE, environment={})

    text = EXAMPLE.read_text()
    structs = [one for one in vars(of_service).values() if isinstance(one, msgspec.StructMeta)]
    unsaid = [
        f"{kind.__name__}.{name}"
        for kind in structs
        for name in kind.__struct_fields__
        if f"{name} =" not in text and f"{name}]" not in text
    ]
    assert not unsaid
    assert settings.auth.identities[0].name == "kitchen sensors"


def test_the_example_shows_defaults() -> None:
    example, default = read_settings(EXAMPLE, environment={}), ServiceSettings()

    assert (example.broker, example.limits) == (default.broker, default.limits)
    assert example.listen.ports == default.listen.ports == (8000, 9000)


def test_variables_count_for_more_than_the_file_and_flags_for_most(tmp_path: Path) -> None:
    path = written(tmp_path, '[listen]\nhost = "::1"\nport = 1\nsubscribe_port = 1\n')
    variables = {"PURPORT_LISTEN__PORT": "2", "PURPORT_LISTEN__SUBSCRIBE_PORT": "2"}

    listen = read_settings(path, {"listen": {"port": 3}}, variables).listen

    assert (listen.host, listen.port, listen.subscribe_port) == ("::1", 3, 2)


def test_variables_take_lists_and_tables_as_json() -> None:
    variables = {
        "PURPORT_BROKER__ONTOLOGY": '["a.ttl"]',
        "PURPORT_AUTH__TOKENS": f'[{{"name": "me", "hash": "{HASH}"}}]',
        "PURPORT_CACHE": "something else",
    }

    settings = read_settings(environment=variables)

    assert settings.broker.ontology == (Path("a.ttl"),)
    assert settings.auth.is_required


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[listen]\nprot = 1", "no option 'listen.prot' .* did you mean 'port'"),
        ("[lisen]\nport = 1", "no option 'lisen' .* did you mean 'listen'"),
        ("[listen]\nport = 'x'", "listen.port: Expected `int"),
        ("[listen]\nport = 70000", "listen.port: Expected `int` <= 65535"),
        ("[limits]\nbody_bytes = 0", "limits.body_bytes: Expected `int` >= 1"),
        ("[broker]\ndurability = 'none'", "broker.durability: Invalid enum value 'none'"),
        ("[[auth.identities]]\nnam = 'x'", r"no option 'auth.identities\[0\].nam' .* 'name'"),
        ("[[auth.identities]]\nname = 'x'\n[[auth.identities]]\nname = 'x'", "more than once"),
        ("[[auth.tokens]]\nname = 'x'\nhash = 'secret'", "auth.tokens.*hash: Expected `str`"),
        ("[auth]\nanonymous = true", "auth.anonymous: nobody has a name"),
        ("[[access.rules]]\nwho = ['x']\nactions = ['run']", "access.rules.*actions.*'run'"),
        (
            "[[access.rules]]\nwho = ['x']\nactions = ['publish']\ntopics = ['a/#/b']",
            r"access.rules\[0\]: 'a/#/b'",
        ),
        ("[cors]\norigins = ['city.example']", "cors.origins: expected an origin such as https"),
        ("[cors]\norigins = ['https://a.example/page']", "cors.origins: expected an origin"),
        ("[listen", "not TOML"),
    ],
)
def test_what_is_wrong_is_told_with_the_file_and_the_place(
    tmp_path: Path, text: str, told: str
) -> None:
    path = written(tmp_path, text)

    with pytest.raises(InvalidInput, match=f"service.toml: .*{told}"):
        read_settings(path, environment={})


def test_a_wrong_variable_is_told_as_one() -> None:
    with pytest.raises(InvalidInput, match=r"the variables PURPORT_\.\.\.: .*did you mean 'port'"):
        read_settings(environment={"PURPORT_LISTEN__PORTS": "1"})


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.7", "::", "example.org"])
def test_other_machines_come_in_with_tls_and_tokens_only(tmp_path: Path, host: str) -> None:
    flags = {"listen": {"host": host}}
    tls = {"listen": {"host": host, "tls": {"certificate": "c", "key": "k"}}}
    tokens = {"tokens": [{"name": "me", "hash": HASH}]}

    with pytest.raises(InvalidInput, match=r"a certificate .* and tokens .* --insecure"):
        read_settings(flags=flags, environment={})
    with pytest.raises(InvalidInput, match="needs tokens"):
        read_settings(flags=tls, environment={})
    with pytest.raises(InvalidInput, match="needs tokens"):
        read_settings(flags={**tls, "auth": {**tokens, "anonymous": True}}, environment={})
    with pytest.raises(InvalidInput, match="needs a certificate"):
        read_settings(flags={**flags, "auth": tokens}, environment={})
    assert read_settings(flags={**tls, "auth": tokens}, environment={}).listen.host == host
    insecure = {"listen": {"host": host, "insecure": True}}
    assert read_settings(flags=insecure, environment={}).listen.host == host


def test_ports_are_two_or_one_and_others_with_tls() -> None:
    def ports(**listen: object) -> tuple[int, ...]:
        return read_settings(flags={"listen": listen}, environment={}).listen.ports

    tls = {"certificate": "c", "key": "k"}
    assert ports() == (8000, 9000)
    assert ports(tls=tls) == (8443, 9443)
    assert ports(port=80, subscribe_port=80) == (80,)
    assert ports(port=0, subscribe_port=0) == (0, 0)


def test_without_access_rules_names_have_their_own_and_no_names_have_everything() -> None:
    named = {"auth": {"tokens": [{"name": "me", "hash": HASH}]}}

    access = read_settings(flags=named, environment={}).access_rules()

    assert access.allows("me", Action.PUBLISH)
    assert not access.allows("me", Action.MANAGE)
    assert ServiceSettings().access_rules() is OPEN


def test_what_is_shown_has_no_secrets() -> None:
    flags = {
        "broker": {"journal": "postgresql://me:secret@host/place"},
        "auth": {"tokens": [{"name": "me", "hash": HASH}]},
    }

    shown = read_settings(flags=flags, environment={}).shown()

    assert "secret" not in shown and HASH not in shown
    assert 'auth.tokens[0].name = "me"' in shown
    assert "listen.port = null" in shown


@pytest.mark.parametrize(
    ("host", "said", "posts"),
    [
        ("127.0.0.1", None, True),
        ("0.0.0.0", None, False),
        ("0.0.0.0", True, True),
        ("127.0.0.1", False, False),
    ],
)
def test_only_a_service_that_nobody_else_reaches_posts_to_private_networks_unless_it_is_said(
    host: str, said: bool | None, posts: bool
) -> None:
    flags: dict[str, Any] = {
        "broker": {"in_memory": True, "webhooks_to_private": said},
        "listen": {"host": host, "insecure": True},
    }

    with opened(read_settings(flags=flags, environment={})) as broker:
        if posts:
            broker.subscribe("{a > 0}", webhook="http://10.0.0.1/")
        else:
            with pytest.raises(InvalidInput, match="in a private network"):
                broker.subscribe("{a > 0}", webhook="http://10.0.0.1/")


@pytest.mark.parametrize(
    ("overlay", "wrong"),
    [
        ('name = "a b"', r"overlay\.name: .*matching regex"),
        ("", r"missing required field `name` - at `\$\.overlay`"),
        ('name = "a"\nnear = 1', "no option 'overlay.near'"),
        (
            'name = "a"\n[[overlay.neighbours]]\nname = "a"',
            r"overlay\.neighbours\[0\]\.name: a broker is no neighbour of itself",
        ),
        (
            'name = "a"' + '\n[[overlay.neighbours]]\nname = "b"' * 2,
            r"overlay\.neighbours\[1\]\.name: 'b' stands there more than once",
        ),
        (
            'name = "a"\n[[overlay.neighbours]]\nname = "b"\nurl = "b.example"',
            r"overlay\.neighbours\[0\]\.url: expected an address such as",
        ),
        (
            'name = "a"\n[[overlay.neighbours]]\nname = "b"\ntoken = "x"\ntoken_file = "y"',
            r"overlay\.neighbours\[0\]: either token or token_file",
        ),
        ('name = "a"\nmost_hops = 0', r"overlay\.most_hops"),
    ],
)
def test_what_is_wrong_with_neighbours_is_said_with_its_place(
    tmp_path: Path, overlay: str, wrong: str
) -> None:
    path = written(tmp_path, f"[overlay]\n{overlay}\n")

    with pytest.raises(InvalidInput, match=f"service.toml: .*{wrong}"):
        read_settings(path, environment={})


def test_the_tokens_of_neighbours_are_not_shown(tmp_path: Path) -> None:
    neighbour = '[[overlay.neighbours]]\nname = "b"\ntoken = "secret"\n'
    settings = read_settings(
        written(tmp_path, f'[overlay]\nname = "a"\n{neighbour}'), environment={}
    )

    assert "secret" not in settings.shown() and 'neighbours[0].name = "b"' in settings.shown()


def test_a_token_file_without_a_token_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "token"
    neighbour = of_service.NeighbourSettings("b", token_file=path)
    for written_there, wrong in ((None, "No such file"), ("", "no token"), ("é", "it is no token")):
        if written_there is not None:
            path.write_text(written_there)
        with pytest.raises(InvalidInput, match=wrong):
            neighbour.token_to_show()
    path.write_text(" t0 \n")
    assert neighbour.token_to_show() == "t0"
