"""Which subscription contains which: all that one is told of, another is told of too."""
