"""SPARQL subscriptions: updates and queries in, changes of answers out."""

from purport.sparql.binding import bound
from purport.sparql.engine import Engine, LiveQuery, Notification
from purport.sparql.graph_store import Dataset
from purport.sparql.memory_store import MemoryStore
from purport.sparql.roles import Aggregator, Consumer, Producer, Space

__all__ = [
    "Aggregator",
    "Consumer",
    "Dataset",
    "Engine",
    "LiveQuery",
    "MemoryStore",
    "Notification",
    "Producer",
    "Space",
    "bound",
]
