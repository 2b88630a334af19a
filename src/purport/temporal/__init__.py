"""What happened after, during or instead of what? Events in time, their history, and patterns."""
