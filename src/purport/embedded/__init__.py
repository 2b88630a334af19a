"""The broker inside one's own process: locks, threads, waiting and handing over."""
