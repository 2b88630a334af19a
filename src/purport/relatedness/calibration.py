"""Calibration: the probability that two words are related, as a logistic function of features."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from purport.errors import InvalidInput, UnusablePath
from purport.relatedness.word_features import FEATURES

Values = NDArray[np.float64]


class Calibration(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The parameters of the logistic function, and what they were fitted on."""

    intercept: float
    weights: dict[str, float]
    fitted_on: dict[str, int] = {}
    background: int = 0

    def __post_init__(self) -> None:
        if set(self.weights) != set(FEATURES):
            raise ValueError(f"weights must be given for {', '.join(FEATURES)}")

    @classmethod
    def read(cls, path: Path | None = None) -> Calibration:
        """The parameters in a file; without one, those that come with Purport."""
        own = files("purport.relatedness").joinpath("calibration.json")
        try:
            text = path.read_bytes() if path is not None else own.read_bytes()
            return msgspec.json.decode(text, type=cls)
        except OSError as error:
            raise UnusablePath(path or Path(str(own)), error.strerror or str(error)) from None
        except msgspec.MsgspecError as error:
            raise InvalidInput(f"{path} is not a calibration: {error}") from None

    def write(self, path: Path) -> None:
        """Write the parameters as `read` takes them."""
        text = msgspec.json.format(msgspec.json.encode(self), indent=2)
        try:
            path.write_bytes(text + b"\n")
        except OSError as error:
            raise UnusablePath(path, error.strerror or str(error)) from None

    def probabilities(self, features: Values) -> Values:
        """The probabilities that pairs are related; 0 for words that nobody knows."""
        weights = np.array([self.weights[name] for name in FEATURES])
        logits = np.clip(self.intercept + features @ weights, -500, 500)
        return np.asarray(np.nan_to_num(1 / (1 + np.exp(-logits))), np.float64)
