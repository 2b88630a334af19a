"""The data pipeline on Spark: DataFrame in, DataFrame out."""

from purport.errors import MissingExtra

try:
    import pyarrow  # noqa: F401
    import pyspark  # noqa: F401
except ModuleNotFoundError as error:
    raise MissingExtra("spark") from error

from purport.pipeline.jobs.build_space import concept_space
from purport.pipeline.journal.stretch_rows import journal_table
from purport.pipeline.matches import match_outcomes, match_stream
from purport.pipeline.timed.at_rest import temporal_matches

__all__ = ["concept_space", "journal_table", "match_outcomes", "match_stream", "temporal_matches"]
