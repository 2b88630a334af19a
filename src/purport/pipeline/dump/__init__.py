"""RDF dumps to events: lines, statements, subjects."""
