from hypothesis import given
from hypothesis import strategies as st

from purport.prometheus import (
    Family,
    Kind,
    Sample,
    counter,
    counters,
    exposition,
    gauge,
    gauges,
)
from tests.oracles.prometheus_text import read_exposition

texts = st.text(st.characters(codec="utf-8"))


@given(texts, st.dictionaries(texts, st.floats(allow_nan=False)))
def test_any_help_label_and_number_is_read_back(told: str, values: dict[str, float]) -> None:
    text = exposition([counters("purport_x", told, "name", values)])

    if not values:
        assert text == ""
        return
    [(name, family)] = read_exposition(text).items()
    assert name == "purport_x_total"
    assert family.by("name") == values
    assert family.help == told


def test_the_text_is_as_prometheus_has_it() -> None:
    families = [
        counter("purport_events", "Events.", 17),
        gauge("purport_lag_seconds", "Lag.", None),
        gauges("purport_odd", "a\\b\nc", "over", {'"\\\n': float("inf"), "x": float("nan")}),
        Family("purport_info", Kind.GAUGE, "Who.", (Sample(1, {"a": "1", "b": "2"}),)),
    ]

    assert exposition(families) == (
        "# HELP purport_events_total Events.\n"
        "# TYPE purport_events_total counter\n"
        "purport_events_total 17\n"
        "# HELP purport_odd a\\\\b\\nc\n"
        "# TYPE purport_odd gauge\n"
        'purport_odd{over="\\"\\\\\\n"} +Inf\n'
        'purport_odd{over="x"} NaN\n'
        "# HELP purport_info Who.\n"
        "# TYPE purport_info gauge\n"
        'purport_info{a="1",b="2"} 1\n'
    )
