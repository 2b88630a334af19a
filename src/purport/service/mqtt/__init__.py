"""Bridges to brokers of MQTT: messages come as events, and matches go out on topics."""
