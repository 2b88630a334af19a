import pytest

from purport.pipeline.spark_errors import reason_of

WORKER = """An exception was thrown from the Python worker:
Traceback (most recent call last):
  File "matcher.py", line 109, in add
{cause}
 SQLSTATE: 38000
\tat org.apache.spark.api.python.BasePythonRunner
"""


@pytest.mark.parametrize(
    ("cause", "reason"),
    [
        ("purport.errors.InvalidInput: line 7: no space", "line 7: no space"),
        ("purport.errors.UnusablePath: job: nothing is there", "job: nothing is there"),
        ("Caused by: java.io.IOException: disk full", "disk full"),
        ("java.lang.IllegalStateException: stopped", "java.lang.IllegalStateException: stopped"),
    ],
)
def test_of_a_long_error_the_line_is_told_that_says_why(cause: str, reason: str) -> None:
    assert reason_of(RuntimeError(WORKER.format(cause=cause))) == reason
