"""What follows from an ontology, by a model in which everything is as general as it can be."""
