"""Messages of a broker to events: what they say, and what their topics, keys and headers say."""
