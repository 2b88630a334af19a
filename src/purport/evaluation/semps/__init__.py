"""Sensor networks over many seeds and scenarios, beside what SemPS'12 says of them."""
