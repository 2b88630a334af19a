"""What all tests share."""

from collections.abc import Iterator

import pytest
from hypothesis import settings
from pyspark.sql import SparkSession

from purport.pipeline.session import local_session

settings.register_profile("house", deadline=None, print_blob=True)
settings.load_profile("house")


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """One Spark for all tests, on two cores of this machine."""
    session = local_session("purport tests", cores="2")
    yield session
    session.stop()
