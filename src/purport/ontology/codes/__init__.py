"""Names in prime numbers: genes and codes, their file, messages and pictures."""
