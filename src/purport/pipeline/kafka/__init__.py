"""Kafka: where it is, what it says of itself, and Spark's package for it."""
