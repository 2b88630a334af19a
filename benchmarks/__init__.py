"""Speed as ratios and counts of work; run by `make bench`."""
