"""Which subscription contains which, and what brokers ask of each other by it."""
