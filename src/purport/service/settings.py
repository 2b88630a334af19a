"""What can be set of a service: where it listens, what it keeps, who may do what."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from purport.broker.access import ANYONE, OPEN, AccessRule, AccessRules, Action, Effect
from purport.errors import InvalidInput, PurportError, UnusablePath
from purport.model.term import is_iri
from purport.posting import is_loopback, shown
from purport.service.mqtt.settings import MqttSettings
from purport.service.mqtt.settings import problems as mqtt_problems
from purport.service.overlay.address import overlay_address
from purport.settings import in_environment, merged, read_options, read_toml

PREFIX = "PURPORT_"  # of variables: PURPORT_LISTEN__PORT is `port` under [listen]
FOLDER = Path("purport-data")  # of a service that is told nothing else
ANY_ORIGIN = "*"
_LOCAL_ORIGINS = tuple(
    f"{scheme}://{host}:*"
    for scheme in ("http", "https")
    for host in ("localhost", "127.0.0.1", "[::1]")
)
_ORIGIN = re.compile(
    r"\*|null|[a-z][a-z0-9+.-]*://(\[[0-9a-f:.]+\]|[^\s/?#@:*]+)(:(\d+|\*))?/?", re.I
)

_Port = Annotated[int, msgspec.Meta(ge=0, le=65535)]  # 0: any free one
_Count = Annotated[int, msgspec.Meta(ge=1)]
_Seconds = Annotated[float, msgspec.Meta(gt=0)]
_Name = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
_BrokerName = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")]
_TokenHash = Annotated[str, msgspec.Meta(pattern="^sha256:[0-9a-f]{64}$")]


class Tls(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a service proves who it is."""

    certificate: Path  # a chain, in PEM
    key: Path


class Listening(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where a service listens; subscriptions have a port of their own, or the same one."""

    host: str = "127.0.0.1"
    port: _Port | None = None  # 8000, and 8443 with TLS
    subscribe_port: _Port | None = None  # 9000, and 9443 with TLS; the same as `port`: one for both
    tls: Tls | None = None
    insecure: bool = False  # it may listen beyond this machine without TLS and tokens
    trusted_proxies: tuple[str, ...] = ()  # whose X-Forwarded headers count
    drain_seconds: _Seconds = 10.0  # that requests have to come to their ends
    log: Literal["text", "json"] = "text"

    @property
    def ports(self) -> tuple[int, ...]:
        """The ports, one or two of them; a zero is any that is free."""
        whole = 8000 if self.tls is None else 8443
        port = whole if self.port is None else self.port
        other = whole + 1000 if self.subscribe_port is None else self.subscribe_port
        return (port,) if port == other != 0 else (port, other)

    @property
    def is_on_this_machine(self) -> bool:
        """Whether nobody else can reach it."""
        return is_loopback(self.host)


class RequestLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is refused because it is too large, too deep, or too much at once."""

    body_bytes: _Count = 16 * 1024 * 1024
    all_bodies_bytes: _Count = 128 * 1024 * 1024  # at the same time; more are answered 429
    message_bytes: _Count = 1024 * 1024  # of a WebSocket
    header_bytes: _Count = 64 * 1024
    header_seconds: _Seconds = 10.0  # in which a request has to have begun and told its headers
    body_seconds: _Seconds = 30.0
    write_seconds: _Seconds = 30.0  # in which a client has to take something of its answer
    keep_alive_seconds: _Count = 75  # that a connection may stay without a request
    json_depth: _Count = 64
    subscriptions_per_socket: _Count = 10_000
    most_waiting: _Count = 10_000  # notifications for one subscription of a socket
    connections: _Count = 20_000
    connections_per_address: _Count = 10_000
    requests_waiting: _Count = 1_000  # more are answered 429
    block_seconds: Annotated[float, msgspec.Meta(ge=0)] = 3.0  # for a subscriber to have room
    requests_per_second: _Count | None = None  # for each client
    query_seconds: _Seconds = 60.0
    subscribed_rows: _Count = 200_000  # of patterns of a query that is subscribed to
    first_answer_seconds: _Seconds = 2.0  # to a query that is subscribed to: all wait for it
    ping_seconds: _Seconds = 20.0  # between looks whether a WebSocket is still there
    silent_seconds: _Seconds = 300.0  # that a WebSocket may be open before it says something


class CrossOrigin(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Whose pages may ask, by their origins: `https://city.example`.

    `http://localhost:*` is any port, `*` any origin at all. Cookies are never asked for: who asks
    is known by a token, which the page has, or by nothing.
    """

    origins: tuple[str, ...] | None = None  # else by whether a token is needed: see cross_origin
    max_age_seconds: _Count = 86_400  # that a browser may remember the answer to a preflight


class Keeping(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the broker of a service keeps, and where; without a folder, in memory."""

    folder: Path | None = FOLDER
    in_memory: bool = False  # nothing outlives the process
    journal: str | None = None  # the address of a database
    history: str | None = None
    durability: Literal["full", "relaxed"] = "full"
    ontology: tuple[Path, ...] = ()
    infers: bool = False
    may_load: bool = False  # LOAD reads files of this machine
    remembered_ids: _Count = 100_000  # of publications: one of them is not published again
    webhooks_to_private: bool | None = None  # where is posted; None: if nobody else gets in here

    @property
    def kept_in(self) -> Path | None:
        """The folder; None in memory."""
        return None if self.in_memory else self.folder


class Identity(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who may register as a client, and is then known by tokens."""

    name: _Name
    lifetime_seconds: _Count = 3600  # of a token
    disabled: bool = False
    register_again: bool = False  # a later registration takes the place of the one before


class Token(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A token that lasts, of which only a hash is kept: see `purport serve --hash-token`."""

    name: _Name
    hash: _TokenHash
    disabled: bool = False


class Authentication(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who is who. With an identity or a token here, nobody is let in without one."""

    identities: tuple[Identity, ...] = ()
    tokens: tuple[Token, ...] = ()
    anonymous: bool = False  # those without a token are let in as well, without a name
    signing_keys: tuple[Path, ...] = ()  # the first signs, all are accepted

    @property
    def is_on(self) -> bool:
        """Whether anybody is known."""
        return bool(self.identities or self.tokens)

    @property
    def is_required(self) -> bool:
        """Whether nobody is let in without a token."""
        return self.is_on and not self.anonymous


class AccessLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Allows or denies some actions to some, on topics and graphs."""

    who: tuple[str, ...]
    actions: tuple[Action, ...]
    topics: tuple[str, ...] = ("#",)
    graphs: tuple[str, ...] = ("*",)
    effect: Effect = Effect.ALLOW

    def rule(self) -> AccessRule:
        """The same as the broker knows it."""
        who, actions = frozenset(self.who), frozenset(self.actions)
        return AccessRule(who, actions, self.topics, self.graphs, self.effect)


class Access(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who may do what."""

    open: bool = False  # what no rule speaks of is allowed
    rules: tuple[AccessLine, ...] = ()


class RuleFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file of subscriptions and rules that are registered for an owner."""

    file: Path
    owner: _Name = "service"


class Triples(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Events that become triples of the graph."""

    name: _Name
    of: str  # a subscription: which events
    graph: str = ""  # an IRI; else the default graph
    vocabulary: str = "urn:purport:"  # the beginning of what has no IRI of its own
    subject: str = ""  # the attribute that names what an event is about; else it is about itself
    keep: Literal["all", "latest"] = "all"  # latest: what was said before of the same is gone
    owner: _Name = "service"


class Changes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Queries of which the bindings that come and go become events."""

    name: _Name
    of: str  # a query
    topic: str = ""
    owner: _Name = "service"


class NeighbourSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Another broker with which this one shares what is published."""

    name: _BrokerName
    url: str | None = None  # of its service; without one, it is waited for
    token: str | None = None  # that this broker shows there
    token_file: Path | None = None  # the same, in a file
    ca: Path | None = None  # certificates to trust instead of the usual ones
    principal: _Name | None = None  # whose token it shows here, and whose rights it has; its name
    most_waiting: _Count = 100_000  # events, while it is down
    overflow: Literal["drop oldest", "refuse"] = "drop oldest"  # refuse: publishers have to wait

    @property
    def comes_as(self) -> str:
        """Whose rights it has."""
        return self.principal or self.name

    def token_to_show(self) -> str | None:
        """What this broker shows there; `UnusablePath` if it is in a file that has none."""
        path = self.token_file
        if path is None:
            return self.token
        try:
            token = path.read_text(encoding="ascii").strip()
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is no token"
            raise UnusablePath(path, reason) from None
        if not token:
            raise UnusablePath(path, "no token is in it")
        return token


class OverlaySettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Brokers side by side: what this one is called, and who is near."""

    name: _BrokerName
    neighbours: tuple[NeighbourSettings, ...] = ()
    most_hops: _Count = 32  # links over which an interest is passed on
    linger_seconds: _Seconds = 5.0  # that a link is used on when another way leads there


class ServiceSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All of it."""

    broker: Keeping = Keeping()
    listen: Listening = Listening()
    limits: RequestLimits = RequestLimits()
    auth: Authentication = Authentication()
    access: Access | None = None  # everybody may do everything
    cors: CrossOrigin = CrossOrigin()
    rules: tuple[RuleFile, ...] = ()
    triples: tuple[Triples, ...] = ()
    changes: tuple[Changes, ...] = ()
    overlay: OverlaySettings | None = None  # this broker has no neighbours
    mqtt: tuple[MqttSettings, ...] = ()

    @property
    def posts_to_private(self) -> bool:
        """Whether webhooks and rules may post to this machine or a private network."""
        told = self.broker.webhooks_to_private
        return self.listen.is_on_this_machine if told is None else told

    def shown(self) -> str:
        """All of it, a line for each setting, without secrets."""
        return "".join(f"{line}\n" for line in _lines(msgspec.to_builtins(self, enc_hook=str), ""))

    def access_rules(self) -> AccessRules:
        """Who may do what; where everybody has a name, nobody decides about what is another's."""
        if self.access is not None:
            return AccessRules(tuple(one.rule() for one in self.access.rules), self.access.open)
        return OPEN if not self.auth.is_on else AccessRules((_OF_ONES_OWN,))

    def cross_origin(self) -> CrossOrigin:
        """Whose pages may ask; if nothing is said, any where all need a token, or local ones."""
        if self.cors.origins is not None:
            return self.cors
        origins = (ANY_ORIGIN,) if self.auth.is_required else _LOCAL_ORIGINS
        return msgspec.structs.replace(self.cors, origins=origins)


def _lines(said: Any, place: str) -> Iterator[str]:
    """A line for each thing that is said; of addresses no passwords, of tokens no hashes."""
    if isinstance(said, dict) and said:
        for name, value in said.items():
            yield from _lines(value, f"{place}.{name}" if place else name)
    elif isinstance(said, list | tuple) and any(isinstance(one, dict) for one in said):
        for number, value in enumerate(said):
            yield from _lines(value, f"{place}[{number}]")
    else:
        is_hash = place.startswith("auth.tokens") and place.endswith(".hash")
        secret = is_hash or (place.startswith("overlay.neighbours") and place.endswith(".token"))
        told = shown(said) if isinstance(said, str) and "://" in said else said
        yield f"{place} = {'...' if secret and said else json.dumps(told, ensure_ascii=False)}"


_OF_ONES_OWN = AccessRule(
    frozenset({ANYONE}), frozenset({Action.PUBLISH, Action.SUBSCRIBE, Action.UPDATE})
)


def read_settings(
    path: Path | None = None,
    flags: Mapping[str, Any] | None = None,
    environment: Mapping[str, str] = os.environ,
) -> ServiceSettings:
    """Settings from a file, below variables, below flags; `InvalidInput` says where what is wrong.

    Paths are from the folder in which the service is started.
    """
    layers = (
        (str(path), {} if path is None else read_toml(path)),
        (f"the variables {PREFIX}...", in_environment(environment, PREFIX)),
        ("the flags", flags or {}),
    )
    whole: dict[str, Any] = {}
    problem: InvalidInput | None = None
    settings = ServiceSettings()
    for place, layer in layers:
        whole = merged(whole, layer)
        if layer:
            try:
                settings = read_options(ServiceSettings, whole, place)
            except InvalidInput as error:  # unless what is missing comes later
                problem = problem or error
                continue
            problem = None
    if problem is not None:
        raise problem
    require_sound(settings, "the settings" if path is None else str(path))
    return settings


def require_sound(settings: ServiceSettings, what: str) -> None:
    """Raise what is wrong although each part of it is right."""
    for problem in _problems(settings):
        raise InvalidInput(f"{what}: {problem}")


def _problems(settings: ServiceSettings) -> Iterator[str]:
    auth = settings.auth
    for table, names in (
        ("auth.identities", [one.name for one in auth.identities]),
        ("auth.tokens", [one.name for one in auth.tokens]),
        ("triples", [one.name for one in settings.triples]),
        ("changes", [one.name for one in settings.changes]),
    ):
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            yield f"{table}: {twice[0]!r} stands there more than once"
    if auth.anonymous and not auth.is_on:
        yield "auth.anonymous: nobody has a name: there are no identities and no tokens"
    limits = settings.limits
    if limits.all_bodies_bytes < limits.body_bytes:
        yield "limits.all_bodies_bytes: one body may have more (limits.body_bytes)"
    for origin in settings.cors.origins or ():
        if _ORIGIN.fullmatch(origin) is None:
            told = "expected an origin such as https://city.example:8080"
            yield f"cors.origins: {told}, got {origin!r:.100}"
    for number, line in enumerate(settings.access.rules if settings.access else ()):
        try:
            line.rule()
        except PurportError as error:
            yield f"access.rules[{number}]: {error}"
    for number, triples in enumerate(settings.triples):
        for name, iri in (("graph", triples.graph), ("vocabulary", triples.vocabulary)):
            if (iri or name == "vocabulary") and not is_iri(iri):
                yield f"triples[{number}].{name}: expected an absolute IRI, got {iri!r:.100}"
    if settings.overlay is not None:
        yield from _of_overlay(settings.overlay)
    yield from mqtt_problems(settings.mqtt)
    yield from _beyond(settings)


def _of_overlay(overlay: OverlaySettings) -> Iterator[str]:
    """What is wrong with the neighbours."""
    names = [one.name for one in overlay.neighbours]
    for number, one in enumerate(overlay.neighbours):
        place = f"overlay.neighbours[{number}]"
        if one.name == overlay.name:
            yield f"{place}.name: a broker is no neighbour of itself, got {one.name!r}"
        if names.index(one.name) < number:
            yield f"{place}.name: {one.name!r} stands there more than once"
        if one.token is not None and one.token_file is not None:
            yield f"{place}: either token or token_file"
        if one.url is not None:
            try:
                overlay_address(one.url)
            except InvalidInput as error:
                yield f"{place}.url: {error}"


def _beyond(settings: ServiceSettings) -> Iterator[str]:
    """What is missing for a service that others than this machine can reach."""
    listen = settings.listen
    if listen.is_on_this_machine or listen.insecure:
        return
    missing = []
    if listen.tls is None:
        missing.append("a certificate ([listen.tls])")
    if not settings.auth.is_required:
        missing.append("tokens ([auth], without anonymous)")
    if missing:
        yield (
            f"listen.host: {listen.host} can be reached from other machines, which needs "
            f"{' and '.join(missing)}; if you mean it, say listen.insecure = true or --insecure"
        )
