"""What Spark's errors say, without the stacks of two machines around it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.errors import PySparkException

from purport.errors import InvalidInput

SPARK_ERRORS: tuple[type[Exception], ...] = (PySparkException,)
try:
    from py4j.protocol import Py4JError
except ModuleNotFoundError:  # with `pyspark-client` alone, which speaks to Spark Connect
    pass
else:
    SPARK_ERRORS += (Py4JError,)

_OWN = re.compile(r"purport\.[\w.]+: ")
_OF_A_SYSTEM = re.compile(r"^java\.(?:io|net)\.\w+: ")
_CAUSE = re.compile(
    rf"^(?:: |Caused by: )?((?:{_OWN.pattern}|[\w.$]+(?:Error|Exception): ).+)$", re.M
)


def reason_of(error: Exception) -> str:
    """The line of an error that says what happened."""
    text = str(error)
    causes = _CAUSE.findall(text)
    if not causes:
        return next(iter(text.strip().splitlines()), type(error).__name__)
    own = [cause for cause in causes if _OWN.match(cause)]
    return _OWN.sub("", own[-1]) if own else _OF_A_SYSTEM.sub("", causes[-1])


@contextmanager
def job_errors(what: str) -> Iterator[None]:
    """Says of a job that stopped what could not be done, and why."""
    try:
        yield
    except SPARK_ERRORS as error:
        raise InvalidInput(f"{what}: {reason_of(error)}") from error
