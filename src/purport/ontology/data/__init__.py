"""Sets of data values."""
