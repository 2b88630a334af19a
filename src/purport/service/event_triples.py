"""Events as triples: what each of them says of its subject, as an update of the graph."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

from pyoxigraph import NamedNode

from purport.errors import InvalidInput
from purport.model.event import Event, Statement
from purport.model.term import Attribute, Resource, Time, folded, is_iri
from purport.service.settings import Triples
from purport.sparql.binding import said_in_rdf


def update_of(event: Event, wanted: Triples) -> str:
    """The update that adds an event to the graph; run twice, it changes nothing more.

    >>> event = Event.from_json({"@id": "urn:e1", "sensor": "urn:s7", "room heat": 21})
    >>> print(update_of(event, Triples("readings", "{heat > 0}", subject="sensor", keep="latest")))
    DELETE { ?s ?p ?o } INSERT {
    <urn:s7> <urn:purport:room_heat> "21"^^<http://www.w3.org/2001/XMLSchema#integer> .
    } WHERE { OPTIONAL { VALUES (?s ?p) { (<urn:s7> <urn:purport:room_heat>) } ?s ?p ?o } }
    """
    subject = _subject(event, wanted)
    triples = [f"{subject} {predicate} {value} ." for predicate, value in _said(event, wanted)]
    facts = "\n".join(dict.fromkeys(triples))
    new = _in_graph(facts, wanted.graph)
    if wanted.keep == "all":
        return f"INSERT DATA {{\n{new}\n}}"
    names = dict.fromkeys(predicate for predicate, _ in _said(event, wanted))
    pairs = " ".join(f"({subject} {name})" for name in names)
    old = _in_graph("?s ?p ?o", wanted.graph)
    return (
        f"DELETE {{ {old} }} INSERT {{\n{new}\n}} "
        f"WHERE {{ OPTIONAL {{ VALUES (?s ?p) {{ {pairs} }} {old} }} }}"
    )


def _in_graph(triples: str, graph: str) -> str:
    return f"GRAPH <{graph}> {{ {triples} }}" if graph else triples


def _said(event: Event, wanted: Triples) -> Iterator[tuple[NamedNode, str]]:
    """The properties and values of an event; its times are said as `start` and `end`."""
    for one in event.statements:
        if one is not _naming(event, wanted):
            yield _property(one.attribute, wanted), _value(one)
    if event.interval is not None:
        for name, time in (("start", event.interval.start), ("end", event.interval.end)):
            if time is not None:
                yield NamedNode(wanted.vocabulary + name), str(said_in_rdf(Time(time)))


def _subject(event: Event, wanted: Triples) -> NamedNode:
    """What an event is about: the thing that an attribute names, or the event itself."""
    if not wanted.subject:
        return _named(event.id or "", f"{wanted.vocabulary}event/")
    naming = _naming(event, wanted)
    if naming is None:
        raise InvalidInput(f"the event says nothing under {wanted.subject!r}, which is its subject")
    return _named(str(naming.value), wanted.vocabulary)


def _naming(event: Event, wanted: Triples) -> Statement | None:
    """The statement that names the subject."""
    if not wanted.subject:
        return None
    name = folded(wanted.subject)
    return next((one for one in event.statements if folded(str(one.attribute)) == name), None)


def _property(attribute: Attribute, wanted: Triples) -> NamedNode:
    if isinstance(attribute, Resource):
        return NamedNode(attribute.iri)
    return _named(attribute.text, wanted.vocabulary)


def _named(name: str, vocabulary: str) -> NamedNode:
    """A name as an IRI: as it is if it is one, or else within a vocabulary."""
    if is_iri(name):
        return NamedNode(name)
    return NamedNode(vocabulary + quote("_".join(name.split()), safe="-._~/"))


def _value(one: Statement) -> str:
    try:
        return str(said_in_rdf(one.value))
    except ValueError as error:
        raise InvalidInput(f"{one} cannot be said in RDF: {error}") from None
