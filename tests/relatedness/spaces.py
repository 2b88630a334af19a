"""A small space to test with."""

from pathlib import Path

import numpy as np

from purport.relatedness.array_store import word_hash
from purport.relatedness.concept_space import ConceptSpace, Source, WordRow, new_space
from tests.oracles.concept_weights import unit_vectors

DOCUMENTS = (
    (
        "Car park",
        "A parking space is where a car is left; a garage is built for parking cars.",
    ),
    ("Garage", "A garage holds cars. Parking garages have many floors for vehicles."),
    ("Energy", "Energy consumption is the power that a device uses over time, as electricity."),
    ("Power", "Electricity is energy; a power meter measures the consumption of a building."),
    ("Laptop", "A laptop is a small computer; its battery stores energy for hours of use."),
    ("Computer", "A computer runs programs. Laptops and servers are computers in a room."),
    ("Weather", "Wind, rain and temperature are the weather of a place over hours."),
    ("Temperature", "Temperature says how warm a room or the weather is, in degrees."),
)


def small_space(folder: Path) -> ConceptSpace:
    """A space of eight documents, written by the slow and obvious way."""
    vectors = unit_vectors(DOCUMENTS, 1000)
    source = Source("eight", "by hand", len(DOCUMENTS))
    with new_space(folder, name="small", sources=[source], parameters={}) as writer:
        writer.add_words(
            WordRow(
                word,
                np.array(list(vectors[word]), np.int32),
                np.array(list(vectors[word].values()), np.float32),
            )
            for word in sorted(vectors, key=word_hash)
        )
        writer.add_titles(title for title, _ in DOCUMENTS)
    return ConceptSpace.open(folder)
