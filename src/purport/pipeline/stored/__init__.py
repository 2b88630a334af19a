"""What a job leaves behind, for those who look at it: no Spark is started, nothing is touched."""
