"""The data pipeline on Spark: DataFrame in, DataFrame out."""

from purport.errors import MissingExtra

try:
    import pyarrow  # noqa: F401
    import pyspark  # noqa: F401
except ModuleNotFoundError as error:
    raise MissingExtra("spark") from error

from purport.pipeline.jobs.build_space import concept_space

__all__ = ["concept_space"]
