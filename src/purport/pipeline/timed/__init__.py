"""Subscriptions to events in time, on Spark: tasks find what matters to them, engines take it."""
