"""Corpora of every kind as tables of documents."""
