"""Figures in the text form that Prometheus reads, version 0.0.4."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_IN_HELP = str.maketrans({"\\": r"\\", "\n": r"\n"})
_IN_LABELS = str.maketrans({"\\": r"\\", "\n": r"\n", '"': r"\""})


class Kind(StrEnum):
    """Whether a figure only grows, or goes up and down."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


@dataclass(frozen=True, slots=True)
class Sample:
    """One figure, told apart from others of its family by labels."""

    value: float
    labels: Mapping[str, str]
    suffix: str = ""  # of the name: a histogram has samples of several


@dataclass(frozen=True, slots=True)
class Family:
    """Figures of one name. A counter's ends in `_total`, and the unit comes before that."""

    name: str
    kind: Kind
    help: str
    samples: tuple[Sample, ...]


def counter(name: str, told: str, value: float | None) -> Family:
    """A counter without labels."""
    return Family(f"{name}_total", Kind.COUNTER, told, _alone(value))


def gauge(name: str, told: str, value: float | None) -> Family:
    """A gauge without labels; None says nothing."""
    return Family(name, Kind.GAUGE, told, _alone(value))


def counters(name: str, told: str, label: str, values: Mapping[str, float]) -> Family:
    """Counters, told apart by one label."""
    return Family(f"{name}_total", Kind.COUNTER, told, _apart(label, values))


def gauges(name: str, told: str, label: str, values: Mapping[str, float]) -> Family:
    """Gauges, told apart by one label."""
    return Family(name, Kind.GAUGE, told, _apart(label, values))


def histogram(
    name: str, told: str, buckets: Mapping[float, int], count: int, total: float
) -> Family:
    """How often a value was at most so much, how often there was one, and their sum."""
    samples = [Sample(often, {"le": _number(most)}, "_bucket") for most, often in buckets.items()]
    samples.append(Sample(count, {"le": "+Inf"}, "_bucket"))
    samples += [Sample(total, {}, "_sum"), Sample(count, {}, "_count")]
    return Family(name, Kind.HISTOGRAM, told, tuple(samples))


def exposition(families: Iterable[Family]) -> str:
    """The text; families without a sample are left out."""
    lines: list[str] = []
    for family in families:
        if family.samples:
            lines.append(f"# HELP {family.name} {family.help.translate(_IN_HELP)}")
            lines.append(f"# TYPE {family.name} {family.kind}")
            lines += [
                f"{family.name}{one.suffix}{_labels(one)} {_number(one.value)}"
                for one in family.samples
            ]
    return "".join(f"{line}\n" for line in lines)


def _alone(value: float | None) -> tuple[Sample, ...]:
    return () if value is None else (Sample(value, {}),)


def _apart(label: str, values: Mapping[str, float]) -> tuple[Sample, ...]:
    return tuple(Sample(value, {label: name}) for name, value in values.items())


def _labels(sample: Sample) -> str:
    if not sample.labels:
        return ""
    told = (f'{name}="{value.translate(_IN_LABELS)}"' for name, value in sample.labels.items())
    return f"{{{','.join(told)}}}"


def _number(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    return repr(value)
