"""Brokers side by side: links over which interests travel one way, and events the other."""
