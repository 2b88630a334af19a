"""What tests of the spool share."""

import os

import pytest


@pytest.fixture(scope="module")
def unsynced() -> object:
    """Nothing waits for the disk: for tests that write hundreds of spools."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(os, "fsync", lambda _: None)
        patched.setattr(os, "fdatasync", lambda _: None)
        yield
