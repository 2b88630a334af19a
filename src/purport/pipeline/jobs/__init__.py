"""Jobs: they read, call the steps and write."""
