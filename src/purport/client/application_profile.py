"""Application profiles of SEPA: where a server is, and the queries and updates of an application.

They are JSON (JSAP) or YAML (YSAP). Members that are unknown are ignored.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pyoxigraph import Literal, NamedNode

from purport.client.addresses import Addresses
from purport.client.extra import read_yaml
from purport.client.forced_bindings import Value, with_values
from purport.client.profile_member import Member
from purport.errors import InvalidInput
from purport.model.rdf import XSD
from purport.model.text_file import read_text
from purport.sparql.tokens import after_prologue, tokens_of

_PREFIX = re.compile(r"(?:[^\W\d_](?:[\w.\-]*[\w\-])?)?")
_PREFIXED = re.compile(r"([^\s:/?#]*):(?!//)(.*)", re.DOTALL)
_YAML_ENDINGS = (".yaml", ".yml", ".ysap")
_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}


@dataclass(frozen=True, slots=True)
class Graphs:
    """Which graphs a request is about, as IRIs; of an update, those that it uses."""

    default: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    using: tuple[str, ...] = ()
    using_named: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProfiledRequest:
    """A query or an update of a profile, ready to be sent: its text, where to, for which graphs."""

    text: str
    addresses: Addresses
    graphs: Graphs = field(default_factory=Graphs)


class ApplicationProfile:
    """A profile, as its file has it; each of its queries and updates has a name."""

    def __init__(self, data: Mapping[str, Any], source: str = "the profile") -> None:
        self._root = Member(data, source)
        self._root.mapping()
        self._namespaces = _namespaces(self._root.get("namespaces"))
        self.queries = tuple(self._root.get("queries").mapping())
        self.updates = tuple(self._root.get("updates").mapping())

    def __repr__(self) -> str:
        return f"<profile {self._root.path!r}>"

    @classmethod
    def read(cls, path: str | Path) -> ApplicationProfile:
        """The profile in a file: YAML if it is called .yaml, .yml or .ysap, or else JSON."""
        is_yaml = Path(path).suffix.lower() in _YAML_ENDINGS
        text = read_text(path)
        return cls(
            read_yaml(text, str(path)) if is_yaml else _from_json(text, str(path)), str(path)
        )

    @property
    def addresses(self) -> Addresses:
        """Where the server is."""
        return _addresses(self._root, None)

    def query(self, name: str, bindings: Mapping[str, Any] | None = None) -> ProfiledRequest:
        """A query by its name, with its variables bound: to these values, or those in the file."""
        return self._request("queries", name, bindings or {})

    def update(self, name: str, bindings: Mapping[str, Any] | None = None) -> ProfiledRequest:
        """An update, likewise."""
        return self._request("updates", name, bindings or {})

    def _request(self, kind: str, name: str, bindings: Mapping[str, Any]) -> ProfiledRequest:
        asked = self._root.get(kind)
        if name not in asked.mapping():
            raise InvalidInput(f"{asked.path}: no {name!r}{_hint(name, asked.mapping())}")
        member = asked.get(name)
        sparql = member.get("sparql")
        values = self._values(member.get("forcedBindings"), bindings)
        try:
            text = with_values(sparql.text(), values)
        except InvalidInput as error:
            raise InvalidInput(f"{sparql.path}: {error}") from None
        return ProfiledRequest(
            self._prologue(text) + text, _addresses(self._root, member), _graphs(self._root, member)
        )

    def _prologue(self, text: str) -> str:
        """The prefixes that the text does not declare itself."""
        tokens = tokens_of(text)
        declared = {token.text[:-1] for token in tokens[: after_prologue(tokens)]}
        return "".join(
            f"PREFIX {prefix}: {iri}\n"
            for prefix, iri in self._namespaces.items()
            if prefix not in declared
        )

    def _values(self, forced: Member, given: Mapping[str, Any]) -> dict[str, Value]:
        there = forced.mapping()
        for name in given:
            if name not in there:
                raise InvalidInput(f"{forced.path}: no variable {name!r}{_hint(name, there)}")
        return {name: self._value(forced.get(name), given.get(name)) for name in there}

    def _value(self, member: Member, given: Any) -> Value:
        """What a variable is bound to; a term that is given is taken as it is."""
        if isinstance(given, NamedNode | Literal):
            return given
        lexical = (member.get("value") if given is None else member.with_value(given)).lexical()
        kind = member.get("type").text("literal")
        try:
            if kind == "uri":
                return self._iri(lexical)
            if kind != "literal":
                raise ValueError(f"its type is literal or uri, got {kind!r}")
            return self._literal(member, lexical)
        except ValueError as error:
            raise InvalidInput(f"{member.path}: {error}") from None

    def _literal(self, member: Member, lexical: str) -> Literal:
        language, datatype = member.get("language"), member.get("datatype")
        if language.is_there and language.text():
            return Literal(lexical, language=language.text())
        if datatype.is_there and datatype.text():
            return Literal(lexical, datatype=self._iri(datatype.text()))
        return Literal(lexical)

    def _iri(self, text: str) -> NamedNode:
        """An IRI, or a name with a prefix of the profile."""
        prefixed = _PREFIXED.fullmatch(text)
        if prefixed is not None and prefixed[1] in self._namespaces:
            return NamedNode(self._namespaces[prefixed[1]].value + prefixed[2])
        if prefixed is not None and prefixed[1] == "xsd":
            return NamedNode(XSD + prefixed[2])
        try:
            return NamedNode(text)
        except ValueError as error:
            raise ValueError(f"{text!r} is no IRI: {error}") from None


def _namespaces(member: Member) -> dict[str, NamedNode]:
    found = {}
    for prefix in member.mapping():
        iri = member.get(prefix)
        if _PREFIX.fullmatch(prefix) is None:
            raise InvalidInput(f"{iri.path}: {prefix!r} cannot be a prefix")
        try:
            found[prefix] = NamedNode(iri.text())
        except ValueError as error:
            raise InvalidInput(f"{iri.path}: {iri.text()!r} is no IRI: {error}") from None
    return found


def _addresses(root: Member, own: Member | None) -> Addresses:
    """Where a request goes: as it says itself, or else as the profile says for all."""
    places = [root] if own is None else [own, root]
    host = _first(places, "host")
    protocol = _first(places, "sparql11protocol", "protocol").text("http")
    if protocol not in ("http", "https"):
        where = _first(places, "sparql11protocol", "protocol").path
        raise InvalidInput(f"{where}: expected http or https, got {protocol!r}")
    port = _first(places, "sparql11protocol", "port").port(_PORTS[protocol])
    server = f"{protocol}://{_first(places, 'sparql11protocol', 'host').text(host.text())}:{port}"
    query, update = (
        _first(places, "sparql11protocol", kind, "path").text_path(f"/{kind}")
        for kind in ("query", "update")
    )
    base = server + update.removesuffix("/update") if update.endswith("/update") else server
    try:
        plain = Addresses.of(base)
        return Addresses(
            plain.base,
            server + query,
            server + update,
            Addresses.of(base, _subscribe(places, host)).subscribe,
            _first(places, "oauth", "register").text(plain.register),
            _first(places, "oauth", "tokenRequest").text(plain.token),
        )
    except InvalidInput as error:
        raise InvalidInput(f"{host.path}: {error}") from None


def _subscribe(places: list[Member], host: Member) -> str:
    event = "sparql11seprotocol"
    protocol = _first(places, event, "protocol").text("ws")
    available = _first(places, event, "availableProtocols")
    if protocol not in ("ws", "wss"):
        where = _first(places, event, "protocol").path
        raise InvalidInput(f"{where}: expected ws or wss, got {protocol!r}")
    chosen = available.get(protocol)
    if available.is_there and not chosen.is_there:
        raise InvalidInput(f"{chosen.path}: missing, though it is the protocol")
    port = chosen.get("port").port(_PORTS[protocol] if available.is_there else 9000)
    path = chosen.get("path").text_path("/subscribe")
    return f"{protocol}://{_first(places, event, 'host').text(host.text())}:{port}{path}"


def _first(places: list[Member], *names: str) -> Member:
    """The first such member that is there; or else the last, which can say what is missing."""
    found = places
    for name in names:
        found = [one.get(name) for one in found]
    return next((one for one in found if one.is_there), found[-1])


def _graphs(root: Member, own: Member) -> Graphs:
    return Graphs(
        *(
            _first([own, root], "graphs", name).iris()
            for name in (
                "default-graph-uri",
                "named-graph-uri",
                "using-graph-uri",
                "using-named-graph-uri",
            )
        )
    )


def _hint(name: str, there: Mapping[str, Any]) -> str:
    near = get_close_matches(name, list(there), 1, 0.5)
    if near:
        return f"; did you mean {near[0]!r}?"
    return f" (there are {', '.join(there)})" if there else " (there is none)"


def _from_json(text: str, source: str) -> Any:
    try:
        return json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise InvalidInput(f"{source}: not valid JSON: {error}") from None
