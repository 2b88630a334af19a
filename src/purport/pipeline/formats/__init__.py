"""How files of events are read: a stretch in, what it tells out."""
