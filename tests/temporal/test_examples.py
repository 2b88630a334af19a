"""The examples about time do what their stories say."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_three_failed_logins_in_a_row_lower_the_level_for_a_minute(
    capsys: pytest.CaptureFixture[str],
) -> None:
    runpy.run_path(str(EXAMPLES / "failed_logins.py"), run_name="__main__")

    assert [line.strip() for line in capsys.readouterr().out.splitlines()] == [
        "5 s  WARNING  login failed",
        "9 s  WARNING  login failed",
        "10.5 s  WARNING  login failed",
        "12 s  WARNING  login failed",
        "12 s  -------  3 failed logins: from now on INFO, for a minute",
        "13 s  INFO     login from 203.0.113.9",
        "71 s  INFO     login from 203.0.113.9",
    ]


def test_the_port_that_brought_a_vpn_down_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(EXAMPLES / "vpn_causes.py"), run_name="__main__")

    assert capsys.readouterr().out == "payroll is down: look at port core1/3\n"
