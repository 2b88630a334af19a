"""Published experiments, run again: seeded, on Spark, beside the published figures."""
