"""Ontologies in files: RDF, OWL/XML, functional and Manchester syntax."""
