"""Speaks to a Purport server: clients, the messages on the wire, and application profiles."""
