"""Small scenarios, of every kind."""

from __future__ import annotations

from hypothesis import strategies as st

from purport.network.routing.catalogue import ROUTINGS
from purport.network.scenario import (
    Air,
    Battery,
    Clusters,
    Electronics,
    Field,
    Motion,
    Overhearing,
    Publishing,
    Radio,
    Roles,
    Scenario,
    Succession,
    Until,
    Wiring,
)

EVENTS = (
    "Smoke that level value 5",
    "BlackIce that level value 1",
    "Rain that level value 3",
    "ParkedCar that level value 1",
)
QUESTIONS = (
    "Observation",
    "Hazard",
    "Traffic and Hazard",
    "Water",
    "Presence",
    "Weather that level some xsd:integer[>= 3]",
)

routings = st.sampled_from(sorted(ROUTINGS))
_NO_MOTION = Motion()


@st.composite
def fields(draw: st.DrawFn) -> Field:
    """A few nodes, all connected."""
    wiring = draw(st.sampled_from([Wiring.WEIGHTED, Wiring.GRID, Wiring.GEOMETRIC]))
    return Field(
        wiring,
        nodes=draw(st.integers(5, 16)),
        side_m=draw(st.sampled_from([20.0, 100.0, 300.0])),
        weights=draw(st.sampled_from([(1.0,), (5.0, 20.0), (0.0, 3.0, 50.0)])),
        link_m=500.0 if wiring is Wiring.GEOMETRIC else None,
    )


@st.composite
def radios(draw: st.DrawFn) -> Radio:
    """Radios that reach everywhere."""
    return Radio(
        draw(st.sampled_from(Electronics)),
        levels_m=draw(st.sampled_from([(), (30.0, 90.0, 600.0)])),
        header_bytes=draw(st.sampled_from([4, 16])),
        data_bytes=draw(st.sampled_from([0, 32])),
        overhearing=draw(st.sampled_from(Overhearing)),
    )


@st.composite
def airs(draw: st.DrawFn) -> Air:
    """Air with any of its faults."""
    return Air(
        half_duplex=draw(st.booleans()),
        loss=draw(st.sampled_from([0.0, 0.0, 0.2, 0.6])),
        interference=draw(st.booleans()),
        retransmissions=draw(st.sampled_from([0, 0, 1, 4])),
        awake=draw(st.sampled_from([1.0, 0.5, 0.03])),
        drift_ppm=draw(st.sampled_from([0.0, 40.0])),
        sync_every_rounds=draw(st.sampled_from([3, 10])),
        slots=draw(st.sampled_from([1, 10, 300])),
    )


_CLEAR = st.just(Air())


@st.composite
def scenarios(draw: st.DrawFn, air: st.SearchStrategy[Air] = _CLEAR) -> Scenario:
    """Small scenarios in which nodes die soon."""
    return Scenario(
        draw(routings),
        hop_limit=draw(st.sampled_from([None, None, 1, 2, 4])),
        shared_paths=draw(st.booleans()),
        until=draw(st.sampled_from(Until)),
        rounds=draw(st.sampled_from([4, 30])),
        field=draw(fields()),
        roles=Roles(
            draw(st.sampled_from([0.2, 0.3])),
            draw(st.sampled_from([0.4, 0.6])),
            succession=draw(st.sampled_from(Succession)),
        ),
        radio=draw(radios()),
        battery=Battery(
            draw(st.sampled_from([0.0002, 0.001, 0.005])),
            draw(st.sampled_from([0.0, 0.5])),
            draw(st.sampled_from([0.0, 5.0])),
        ),
        publishing=Publishing(draw(st.sampled_from([1, 1, 3])), draw(st.sampled_from([1.0, 0.6]))),
        clusters=Clusters(draw(st.sampled_from([0.05, 0.3])), draw(st.sampled_from([2, 7]))),
        air=draw(air),
        motion=draw(
            st.one_of(
                st.just(_NO_MOTION),
                st.builds(
                    Motion,
                    moving=st.sampled_from([0.0, 0.5]),
                    leaving=st.sampled_from([0.0, 0.3]),
                    every_rounds=st.sampled_from([2, 5]),
                ),
            )
        ),
    )
