"""What Spark's errors say, without the stacks of two machines around it."""

from __future__ import annotations

import re

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

_CAUSE = re.compile(r"^(?:: |Caused by: )?([\w.$]+(?:Error|Exception): .+)$", re.M)


def reason_of(error: PySparkException | Py4JJavaError) -> str:
    """The line of an error that says what happened."""
    text = str(error)
    causes = _CAUSE.findall(text)
    return str(causes[-1]) if causes else text.strip().splitlines()[0]
