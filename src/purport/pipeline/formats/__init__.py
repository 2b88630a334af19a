"""How files of events are read: a part in, what it tells out."""
