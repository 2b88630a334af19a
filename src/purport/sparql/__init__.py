"""SPARQL subscriptions: updates and queries in, changes of answers out."""

from purport.sparql.engine import Engine, LiveQuery, Notification
from purport.sparql.graph_store import Dataset, MemoryStore

__all__ = ["Dataset", "Engine", "LiveQuery", "MemoryStore", "Notification"]
