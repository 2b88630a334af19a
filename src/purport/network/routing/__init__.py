"""Ways to bring events to those who asked for them, one file each."""
