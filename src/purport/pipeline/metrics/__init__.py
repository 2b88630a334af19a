"""The figures of a running job, for programs."""
