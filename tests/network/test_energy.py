"""The radio model, with the two examples of SemPS'12, section 3.1, under both presets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from purport.network.control import Control
from purport.network.energy import RadioEnergy
from purport.network.scenario import Electronics, Overhearing, Radio
from purport.network.traffic import Air

BITS = 512


def direct_uj(electronics: Electronics) -> float:
    """A message of 64 bytes to somebody 50 m away."""
    energy = RadioEnergy.of(Radio(electronics))
    return float(energy.sending(BITS, 50.0**2) + energy.receiving(BITS)) / 1e6


def relayed_uj(electronics: Electronics) -> float:
    """The same over four relays, 10 m apart."""
    energy = RadioEnergy.of(Radio(electronics))
    return float(5 * (energy.sending(BITS, 10.0**2) + energy.receiving(BITS))) / 1e6


@pytest.mark.parametrize(
    ("electronics", "direct", "relayed"),
    [(Electronics.STATED, 179, 282), (Electronics.WORKED, 132, 46)],
)
def test_the_examples_of_the_paper_come_to_these_microjoules(
    electronics: Electronics, direct: float, relayed: float
) -> None:
    assert round(direct_uj(electronics)) == direct
    assert round(relayed_uj(electronics)) == relayed


def test_with_what_the_paper_states_relays_lose_and_with_what_it_works_out_they_win() -> None:
    assert direct_uj(Electronics.STATED) < relayed_uj(Electronics.STATED)
    assert direct_uj(Electronics.WORKED) > relayed_uj(Electronics.WORKED)


def test_electronics_may_be_given_in_place_of_a_preset() -> None:
    energy = RadioEnergy.of(Radio(electronics_nj_per_bit=10.0))

    assert energy.receiving(100) == 1_000_000


@given(st.integers(1, 10_000), st.floats(0, 1e6), st.sampled_from(Electronics))
def test_energy_is_that_of_the_model_to_the_picojoule(
    bits: int, distance_m2: float, electronics: Electronics
) -> None:
    energy = RadioEnergy.of(Radio(electronics))

    exact = bits * (electronics.nj_per_bit * 1000 + 100 * distance_m2)

    assert abs(float(energy.sending(bits, distance_m2)) - exact) <= 0.5 + 1e-9 * exact
    assert energy.receiving(bits) == bits * electronics.nj_per_bit * 1000


def test_power_goes_up_to_the_next_level() -> None:
    air = Air.of(Radio(levels_m=(20.0, 10.0, 50.0)))

    reached = air.reached(np.array([1.0, 100.0, 100.1, 2500.0]))

    assert reached.tolist() == [100.0, 100.0, 400.0, 2500.0]


@pytest.mark.parametrize(
    ("overhearing", "heard_bits"),
    [(Overhearing.NOTHING, 0), (Overhearing.HEADER, 128), (Overhearing.ALL, 400)],
)
def test_one_transmission_is_heard_by_all_in_range_who_pay_for_what_they_hear(
    overhearing: Overhearing, heard_bits: int
) -> None:
    """Nodes on a line: 0 sends to 2 and 1; 3 is as far as 2, 4 is farther, 5 is not there."""
    positions = np.array([[0.0, 0], [10, 0], [20, 0], [-20, 0], [30, 0], [5, 0]])
    near = np.array([[5, 1, 2, 3, 4]] * 6, np.int32)
    if overhearing is Overhearing.NOTHING:
        near = near[:, :0]
    up = np.array([True] * 5 + [False])
    hearing = Air.of(Radio(overhearing=overhearing)).hearing(positions, up, near)

    control = Control.of(
        hearing,
        np.array([0], np.int32),
        (np.array([0, 2]), np.array([2, 1], np.int32)),
        np.array([400], np.int32),
    )

    receiving, sending = 400 * 50_000, 400 * (50_000 + 100 * 400)
    assert control.cost_pj.tolist() == [sending, receiving, receiving, heard_bits * 50_000, 0, 0]
    assert (control.transmissions, control.copies) == (1, 2)
