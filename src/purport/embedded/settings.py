"""What can be set of a broker in one's own process."""

from __future__ import annotations

from dataclasses import dataclass, field

from purport.broker.access import OPEN, AccessRules
from purport.broker.drafting import Limits
from purport.broker.retention import Retention
from purport.broker.time_engine import HistoryLimits
from purport.courier import Patience


@dataclass(frozen=True, slots=True)
class BrokerSettings:
    """The defaults are for a machine of one's own, on which everybody may do everything."""

    access: AccessRules = OPEN
    limits: Limits = field(default_factory=Limits)
    retention: Retention = field(default_factory=Retention)
    patience: Patience = field(default_factory=Patience)  # with services that are posted to
    webhooks_to_private: bool = True  # whether these may be on this machine or a private network
    snapshot_every: int = 50_000  # entries
    memory_entries: int = 100_000  # that a broker in memory keeps, besides what waits
    closing_seconds: float = 5.0  # that callbacks at work are waited for
    history: HistoryLimits = field(default_factory=HistoryLimits)  # of subscriptions in time
    reserved: tuple[str, ...] = ()  # what no name begins with but of what is adopted
    most_rows: int | None = None  # that who subscribes to a query has made at a time
    may_load: bool = False  # whether LOAD, in an update, reads files of this machine
    infers: bool = False  # whether queries see what follows from the graph by the ontology
