"""The experiment of TOIT'14, section 6.2: effectiveness over semantically expanded events."""
