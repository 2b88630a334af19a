"""What can go wrong, as a tree.

* PurportError
  + InvalidInput                 what a user gave us cannot be used; the message is fit to be shown
    - SubscriptionSyntaxError    the text is no subscription: file, line, column, what was expected
    - SubscriptionFileError      one or more of the above, from one file
    - EventError                 the data is not an event
    - UnusablePath               a path that is missing, not permitted, damaged or not UTF-8
    - NotFound (NotThere, MessagesGone)
                                 what is named is not there, or no longer
    - CorpusError, WordNetError, StoreError, LexiconError, SparqlSyntaxError, NotAllowed,
      NotSpoken, TooManyRows, NotAddressable, LiteralNotKept, JournalTaken, HistoryTaken, EventGone,
      OntologyError (MessageError, EncodingFileError), UnknownName (MistakenName, AmbiguousName),
      ScenarioError, OptionError, TopicError
                                 beside what they speak of
  + NotSupportedYet              the form is part of the language, but no engine here runs it
  + MissingExtra                 an optional part of Purport is not installed
  + JavaNotFound                 Spark needs Java 17 or newer and there is none
  + StreamFailed                 a job on Spark stopped before its end
  + ProcessDied                  one of several processes ended before its work did
  + JournalError, HistoryError, BacklogFull, BrokerClosed, Forbidden, StoreFailed, EndlessUpdates
                                 what a broker, its journal, a history of events or a store of
                                 triples cannot do
    - StoreTaken                 another process has the store open
    - EndpointFailed             a SPARQL endpoint: EndpointUnreachable, EndpointTooSlow,
                                 EndpointRefused, EndpointAnswersNonsense
  + Overloaded, Refused (QueryTooSlow)
                                 what a service answers a request with
  + LinkRefused, WireBroken      what two brokers that are neighbours meet at each other
  + ServerUnreachable, ServerRefused, ServerAnswersNonsense
                                 what a client meets at its server, or does not
  + ProtocolError, BrokerUnreachable, BrokerRefused, NotDelivered
                                 what a client of MQTT meets at a broker
  + CannotKeep                   what came is not kept, so far: it is tried again
    - SpoolFull, SpoolFailed     the room of a spool is used up; its disk does not take it
  + SpoolTaken, SpoolDamaged     another process has a spool open; what it kept cannot be read
  + MeasureUnavailable, TextsNotFetched, PostFailed, ClusterUnavailable, KafkaUnavailable,
    ConnectorUnavailable
                                 something beyond this machine does not answer
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


class PurportError(Exception):
    """The root of every error that Purport raises on purpose."""


class InvalidInput(PurportError):
    """Something a user gave us cannot be used as it is."""


class NotFound(InvalidInput):
    """What is named is not there: it never was, or it has gone."""


class SubscriptionSyntaxError(InvalidInput):
    """The text is not a subscription."""

    def __init__(
        self,
        message: str,
        *,
        line: int,
        column: int,
        excerpt: str = "",
        file: str | None = None,
    ) -> None:
        super().__init__(message, line, column)
        self.message = message
        self.line = line
        self.column = column
        self.excerpt = excerpt
        self.file = file

    def __str__(self) -> str:
        return f"{self.place}: {self.message}"

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuilt_syntax_error, (
            self.message,
            self.line,
            self.column,
            self.excerpt,
            self.file,
        )

    @property
    def place(self) -> str:
        """Where it is, e.g. `city.purport, line 3, column 9`."""
        position = f"line {self.line}, column {self.column}"
        return f"{self.file}, {position}" if self.file else position

    def with_caret(self) -> str:
        """The message, the offending line and a caret below the place."""
        caret = " " * (self.column - 1) + "^"
        return f"{self}\n  {self.excerpt}\n  {caret}"


def _rebuilt_syntax_error(
    message: str, line: int, column: int, excerpt: str, file: str | None
) -> SubscriptionSyntaxError:
    return SubscriptionSyntaxError(message, line=line, column=column, excerpt=excerpt, file=file)


class SubscriptionFileError(InvalidInput):
    """Every mistake found in a file of subscriptions, not only the first."""

    def __init__(self, errors: Sequence[SubscriptionSyntaxError]) -> None:
        super().__init__(tuple(errors))
        self.errors = tuple(errors)

    def __str__(self) -> str:
        return "\n".join(error.with_caret() for error in self.errors)


class EventError(InvalidInput):
    """The data is not an event."""


class UnusablePath(InvalidInput):
    """A file or folder cannot be read or written."""

    def __init__(self, path: str | Path, reason: str) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


class NotSupportedYet(PurportError):
    """The form parses, but nothing here runs it."""

    def __init__(self, form: str, subscription: str) -> None:
        super().__init__(form, subscription)
        self.form = form
        self.subscription = subscription

    def __str__(self) -> str:
        return f"not supported here: {self.form} (in {self.subscription})"


class MissingExtra(PurportError):
    """An optional part of Purport is not installed."""

    def __init__(self, extra: str) -> None:
        super().__init__(extra)
        self.extra = extra

    def __str__(self) -> str:
        return (
            f"this needs the extra '{self.extra}': pip install 'purport[{self.extra}]' "
            f"(in a clone: pip install '.[{self.extra}]')"
        )


class JavaNotFound(PurportError):
    """Spark needs Java 17 or newer and there is none."""


class StreamFailed(PurportError):
    """A job on Spark stopped before its end."""
