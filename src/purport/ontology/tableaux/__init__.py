"""What an ontology rules out, by trying to draw it."""
