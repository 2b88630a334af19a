"""Adapters of ports: journals in databases with their stretches in Parquet, and graph stores."""
