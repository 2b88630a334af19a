"""Adapters that keep what a broker does: journals in databases, their stretches in Parquet."""
