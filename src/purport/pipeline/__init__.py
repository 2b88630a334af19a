"""The data pipeline on Spark: DataFrame in, DataFrame out."""
