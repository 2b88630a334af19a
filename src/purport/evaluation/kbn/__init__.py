"""Temporal subscriptions over a history of events (KBN, section VII), run again."""
