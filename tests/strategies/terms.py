"""Terms of every kind, among them those that are easily confused."""

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import strategies as st

from purport.model.term import Boolean, Resource, Term, Text, Time
from purport.model.units import Quantity, find_unit

CONFUSING = [
    "25 °C", "112", "007", "true", "False", "2016-04-11", "http://example.org/a", "wine:Red", "in",
    "isa", "room 112", "ground  floor", " padded ", "", "a, b", 'say "hi"', "back\\slash", "$port",
    "C#", "# not a comment", "50 %", "1e999", "tab\there", "line\nbreak", "über", "{x}", "a = b",
    "~", "more specific than", "after {x}", "n:1", "min 3", "über~", "!", "!=", "e5", ".5", "+5",
    "event x",
]  # fmt: skip
UNITS = [find_unit(symbol) for symbol in ("°C", "°F", "K", "%", "km/h", "m/s", "kWh", "dB", "hPa")]

plain_words = st.text(st.characters(codec="utf-8", categories=["Ll", "Lu", "Nd"]), min_size=1)
texts = st.one_of(
    st.lists(plain_words, min_size=1, max_size=3).map(" ".join),
    st.sampled_from(CONFUSING),
    st.text(st.characters(codec="utf-8"), max_size=12),
)
text_terms = st.builds(Text, texts, st.sampled_from([None, None, None, "en", "de-AT"]))
resources = st.builds(
    Resource,
    st.one_of(
        st.sampled_from(["http://example.org/a#b", "wine:Red", "urn:x:y", "net:Link(1)", "a:~"]),
        st.from_regex(r"[a-z]{1,5}:[A-Za-z0-9_/#~()=,.-]{1,8}", fullmatch=True),
    ),
)
magnitudes = st.one_of(
    st.integers(-(10**20), 10**20), st.floats(allow_nan=False, allow_infinity=False)
)
quantities = st.builds(Quantity, magnitudes, st.sampled_from([None, *UNITS]))
booleans = st.builds(Boolean, st.booleans())
moments = st.datetimes(
    datetime(1000, 1, 2),  # noqa: DTZ001 - the strategy wants naive bounds
    datetime(9990, 1, 1),  # noqa: DTZ001
    timezones=st.sampled_from([UTC, timezone(timedelta(hours=5, minutes=30))]),
)
times = st.builds(Time, moments)
terms: st.SearchStrategy[Term] = st.one_of(text_terms, resources, quantities, booleans, times)
attributes = st.one_of(text_terms.filter(lambda term: bool(term.text.strip())), resources)
