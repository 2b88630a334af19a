"""MQTT 3.1.1 and 5, as a client that acknowledges nothing before it is kept."""
