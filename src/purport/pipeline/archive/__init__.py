"""Events kept as Parquet with statement ids, to be matched more than once."""
