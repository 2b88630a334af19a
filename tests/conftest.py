"""What all tests share."""

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings
from pyspark.sql import SparkSession

from purport.pipeline.session import local_session

settings.register_profile("house", max_examples=150, deadline=None, print_blob=True)
settings.register_profile("long", parent=settings.get_profile("house"), max_examples=3000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "house"))


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """One Spark for all tests, on two cores of this machine."""
    session = local_session("purport tests", cores="2")
    yield session
    session.stop()
