"""The messages between a server and its clients: over WebSockets, and as bodies over HTTP.

Over WebSockets they are those of the SPARQL 1.1 Secure Event protocol, with more members where ours
can do more. Members that are unknown are ignored. What is absent is left out, never null.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType

# Of JSON as it stands: an event, a subscription's answer, what explains a match.
Json = Any
Graphs = str | list[str]  # one IRI, or several
Acknowledge = Literal["sent", "by hand"]  # what counts as received: what was sent, or what is told
DeliveryName = Literal["at least once", "at most once"]
OverflowName = Literal["drop oldest", "pause", "refuse", "disconnect", "block"]
_Count = Annotated[int, msgspec.Meta(ge=0)]
_AtLeastOne = Annotated[int, msgspec.Meta(ge=1)]
_Waiting = Annotated[int, msgspec.Meta(ge=1, le=1_000_000_000)]


class SubscribeMessage(Struct, frozen=True, omit_defaults=True):
    """Asks for events (`purport`) or for the answer to a query (`sparql`); one of them is there.

    Of a durable one, `name` is its id, which is subscribed to again, and `after` the number of the
    last notification that arrived, so that the next one is that which follows it.
    """

    sparql: str | None = None
    purport: str | None = None
    alias: str | None = None
    authorization: str | None = None  # "Bearer ...", or the token alone
    default_graph_uri: Graphs | None = msgspec.field(default=None, name="default-graph-uri")
    named_graph_uri: Graphs | None = msgspec.field(default=None, name="named-graph-uri")
    name: str | None = None
    durable: bool = False
    after: Annotated[int, msgspec.Meta(ge=-1)] | None = None  # -1: from the first
    most_waiting: _Waiting | None = None
    overflow: OverflowName | None = None
    acknowledge: Acknowledge = "sent"


class UnsubscribeMessage(Struct, frozen=True, omit_defaults=True):
    """Asks for no more of a subscription."""

    spuid: str
    authorization: str | None = None


class AcknowledgeMessage(Struct, frozen=True):
    """Says that everything through this number has arrived."""

    spuid: str
    sequence: _Count


class SocketRequest(Struct, frozen=True, omit_defaults=True):
    """What a client says over a WebSocket; one of the first three is there.

    A token alone takes the place of the one before, under which the client hears what it hears.
    """

    subscribe: SubscribeMessage | None = None
    unsubscribe: UnsubscribeMessage | None = None
    acknowledge: AcknowledgeMessage | None = None
    authorization: str | None = None  # where some clients put their token


class SubscribedMessage(Struct, frozen=True, omit_defaults=True):
    """That a subscription of ours is there; `sequence` is the number of what is told next.

    A query that is not durable is told its answer instead, as the protocol says.
    """

    spuid: str
    sequence: int
    alias: str | None = None


class UnsubscribedMessage(Struct, frozen=True, omit_defaults=True):
    """That a subscription is over."""

    spuid: str
    alias: str | None = None


class AnswerMessage(Struct, frozen=True):
    """The answer to a query, or what came into it or left it: SPARQL 1.1 results in JSON."""

    class Head(Struct, frozen=True):
        """The names of the variables."""

        vars: list[str] = []

    class Results(Struct, frozen=True):
        """One member for each solution, which has one for each variable that is bound."""

        bindings: list[dict[str, dict[str, Json]]] = []

    head: Head = Head()
    results: Results = Results()


class ExplanationMessage(Struct, frozen=True, omit_defaults=True):
    """Why an event answers one predicate."""

    predicate: str
    attribute: str = ""
    value: str = ""
    similarity: float = 1.0
    probability: float = 1.0


class EvidenceMessage(Struct, frozen=True, omit_defaults=True):
    """Another event that a match in time rests on."""

    place: str
    event: Json = None
    probability: float = 1.0


class NotificationMessage(Struct, frozen=True, omit_defaults=True):
    """What a subscriber is told: of an event that matches, or how the answer to a query changed.

    Over a WebSocket `spuid` is the subscription; elsewhere `subscription` is. Members of the other
    kind are absent.
    """

    sequence: int
    spuid: str = ""
    alias: str | None = None
    id: str = ""
    subscription: str = ""
    at: datetime | None = None
    topic: str = ""
    causes: tuple[str, ...] = ()
    missed: int = 0
    event: Json | UnsetType = UNSET
    probability: float | None = None
    explanation: tuple[ExplanationMessage, ...] = ()
    evidence: tuple[EvidenceMessage, ...] = ()
    added: AnswerMessage | None = msgspec.field(default=None, name="addedResults")
    removed: AnswerMessage | None = msgspec.field(default=None, name="removedResults")
    whole: bool = False


class ProblemMessage(Struct, frozen=True, omit_defaults=True):
    """What is wrong with a request, over HTTP and WebSockets alike."""

    error: str
    status_code: int
    error_description: str = ""
    alias: str | None = None


class SocketAnswer(Struct, frozen=True, omit_defaults=True):
    """What a server says over a WebSocket: one of the first three, or a problem."""

    notification: NotificationMessage | None = None
    subscribed: SubscribedMessage | None = None
    unsubscribed: UnsubscribedMessage | None = None
    error: str | None = None
    status_code: int = 0
    error_description: str = ""
    alias: str | None = None


def socket_notification(spuid: str, alias: str | None, body: bytes) -> bytes:
    """The JSON form of a notification as a message of a WebSocket, without reading it.

    >>> socket_notification("urn:s", None, b'{"sequence":0}')
    b'{"notification":{"spuid":"urn:s","sequence":0}}'
    """
    called: dict[str, str] = {"spuid": spuid} if alias is None else {"spuid": spuid, "alias": alias}
    return b'{"notification":' + msgspec.json.encode(called)[:-1] + b"," + body[1:] + b"}"


class EventReceipt(Struct, frozen=True):
    """That an event is in the journal; `repeated`: it was there before, under this sequence."""

    id: str
    sequence: int
    notified: int = 0
    repeated: bool = False


class EventReceipts(Struct, frozen=True):
    """The answer to events that were published, in their order."""

    events: tuple[EventReceipt, ...]


class SubscriptionRequest(Struct, frozen=True, omit_defaults=True):
    """Asks for a subscription, or a rule; either `purport` or `sparql` is there."""

    purport: str | None = None
    sparql: str | None = None
    name: str | None = None  # its id, if it is not to be given one
    durable: bool = True
    delivery: DeliveryName | None = None
    most_waiting: _AtLeastOne | None = None
    overflow: OverflowName | None = None
    default_graph_uri: Graphs | None = msgspec.field(default=None, name="default-graph-uri")
    named_graph_uri: Graphs | None = msgspec.field(default=None, name="named-graph-uri")
    webhook: str | None = None  # an address that is posted each notification


class SubscriptionPatch(Struct, frozen=True, omit_defaults=True):
    """What is to change of a subscription or a rule; what is absent stays."""

    purport: str | UnsetType = UNSET
    sparql: str | UnsetType = UNSET
    delivery: DeliveryName | UnsetType = UNSET
    most_waiting: _AtLeastOne | UnsetType = UNSET
    overflow: OverflowName | UnsetType = UNSET
    default_graph_uri: Graphs | UnsetType = msgspec.field(default=UNSET, name="default-graph-uri")
    named_graph_uri: Graphs | UnsetType = msgspec.field(default=UNSET, name="named-graph-uri")
    webhook: str | UnsetType | None = UNSET  # null: none any more


class SubscriptionStatus(Struct, frozen=True, omit_defaults=True):
    """How far a subscriber is, and how it goes with the webhook, if there is one."""

    waiting: int
    next: int  # the number of the next notification
    acknowledged: int  # the number of the last one that has arrived; -1: none yet
    missed: int
    told_at: datetime | None = None
    last_failure: str | None = msgspec.field(default=None, name="lastFailure")
    consecutive_errors: int = msgspec.field(default=0, name="consecutiveErrors")


class SubscriptionState(Struct, frozen=True, omit_defaults=True):
    """A subscription or rule as it is."""

    id: str
    kind: Literal["subscription", "query", "rule"]
    text: str
    version: int
    since: datetime  # of this version
    durable: bool
    delivery: str
    most_waiting: int
    overflow: str
    paused: bool
    owner: str | None = None
    default_graph_uri: Graphs | None = msgspec.field(default=None, name="default-graph-uri")
    named_graph_uri: Graphs | None = msgspec.field(default=None, name="named-graph-uri")
    webhook: str | None = None
    status: SubscriptionStatus | None = None  # of one; of a list, left out


class SubscriptionList(Struct, frozen=True):
    """The answer to GET /subscriptions, or to GET /rules: the one or the other, or both."""

    subscriptions: tuple[SubscriptionState, ...] | UnsetType = UNSET
    rules: tuple[SubscriptionState, ...] | UnsetType = UNSET


class NotificationList(Struct, frozen=True):
    """The answer to GET /subscriptions/{id}/notifications: those after a number, oldest first."""

    notifications: tuple[NotificationMessage, ...]


class AcknowledgeRequest(Struct, frozen=True):
    """Says over HTTP that everything through this number has arrived."""

    sequence: _Count


class DryRunRequest(Struct, frozen=True, omit_defaults=True):
    """Asks what a subscription would be told of an example event, or of a part of the journal."""

    purport: str | None = None
    sparql: str | None = None
    event: Json | UnsetType = UNSET
    topic: str = ""  # of the event
    after: _Count | None = None  # entries of the journal
    through: _Count | None = None
    since: datetime | None = None
    most: _AtLeastOne | None = None
    default_graph_uri: Graphs | None = msgspec.field(default=None, name="default-graph-uri")
    named_graph_uri: Graphs | None = msgspec.field(default=None, name="named-graph-uri")


class DryRunAnswer(Struct, frozen=True):
    """What it would be told, as notifications are; nothing was changed."""

    trials: tuple[Json, ...] = ()


class UpdateDone(Struct, frozen=True, omit_defaults=True):
    """What came of an update; one that waits for its time has a number."""

    sequence: int = 0  # of its entry in the journal; 0 if the server says nothing of it
    added: int = 0
    removed: int = 0
    notified: int = 0
    number: int | None = None
    due: datetime | None = None


class UpdateResponse(Struct, frozen=True, rename={"is_json": "isJson"}):
    """What is said of an update, as the SPARQL 1.1 Secure Event protocol wraps it."""

    body: Json = ""
    is_json: bool = False


class UpdateAnswer(Struct, frozen=True):
    """The answer to an update; of another server than ours, whatever that says."""

    response: UpdateResponse

    def done(self) -> UpdateDone:
        """What came of it, as far as it is said."""
        if isinstance(self.response.body, dict):
            return msgspec.convert(self.response.body, UpdateDone, strict=False)
        return UpdateDone()


class DelayedUpdateState(Struct, frozen=True, omit_defaults=True):
    """An update that waits for its time."""

    number: int
    text: str
    due: datetime
    publisher: str | None = None


class DelayedUpdates(Struct, frozen=True):
    """The answer to GET /updates."""

    updates: tuple[DelayedUpdateState, ...]


class RegisterMessage(Struct, frozen=True):
    """Who wants credentials."""

    client_identity: str
    grant_types: tuple[str, ...] = ("client_credentials",)


class RegisterRequest(Struct, frozen=True):
    """The body of POST /oauth/register."""

    register: RegisterMessage


class CredentialsMessage(Struct, frozen=True, omit_defaults=True):
    """What a client fetches tokens with."""

    client_id: str
    client_secret: str
    signature: Json = None

    def __repr__(self) -> str:
        return f"<credentials of {self.client_id!r}>"


class RegisterAnswer(Struct, frozen=True):
    """The answer to POST /oauth/register."""

    credentials: CredentialsMessage


class TokenMessage(Struct, frozen=True):
    """A token, and for how many seconds it may be used."""

    access_token: str
    token_type: str = "bearer"
    expires_in: float = 0

    def __repr__(self) -> str:
        return f"<token for {self.expires_in:g} s>"


class TokenAnswer(Struct, frozen=True):
    """The answer to POST /oauth/token, which says the same twice, since clients differ."""

    access_token: str | None = None
    token_type: str = "bearer"
    expires_in: float = 0
    token: TokenMessage | None = None

    def __repr__(self) -> str:
        return "<answer with a token>"
