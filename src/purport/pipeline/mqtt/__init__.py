"""MQTT on Spark: a data source that reads a spool, into which a broker's messages come."""
