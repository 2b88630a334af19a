"""The journal of a broker, read by streams and replayed."""
