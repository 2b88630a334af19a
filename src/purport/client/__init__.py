"""What a Purport server and those who speak to it say to each other, and a client that does."""
