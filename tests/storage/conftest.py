"""What tests of journals share."""

import pytest

from tests.contracts.journal import Sample


@pytest.fixture
def sample() -> Sample:
    """Makes entries that follow each other."""
    return Sample()
