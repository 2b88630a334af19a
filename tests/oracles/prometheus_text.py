"""A strict reader of Prometheus' text form 0.0.4: what it does not know, it refuses."""

import re
from dataclasses import dataclass, field

_HELP = re.compile(r"# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) ((?:[^\\\n]|\\\\|\\n)*)")
_TYPE = re.compile(r"# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram)")
_SAMPLE = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)(\{.*\})? (\S+)")
_LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"(,|$)')
_VALUE = re.compile(r"NaN|[+-]Inf|-?\d+(\.\d+)?(e[+-]?\d+)?")
_ESCAPES = {r"\\": "\\", r"\"": '"', r"\n": "\n"}

Labels = frozenset[tuple[str, str]]


@dataclass
class ReadFamily:
    """Figures of one name."""

    kind: str
    help: str
    samples: dict[Labels, float] = field(default_factory=dict)
    count: float = 0  # of a histogram, whose samples are its buckets
    sum: float = 0

    @property
    def value(self) -> float:
        """The only figure, which has no labels."""
        [(labels, value)] = self.samples.items()
        assert not labels
        return value

    def by(self, label: str) -> dict[str, float]:
        """Figures by their only label."""
        return {dict(labels)[label]: value for labels, value in self.samples.items()}


def read_exposition(text: str) -> dict[str, ReadFamily]:
    """The families of a text; `AssertionError` if the text breaks a rule."""
    assert text.endswith("\n")
    families: dict[str, ReadFamily] = {}
    name, told = "", ""
    for line in text.split("\n")[:-1]:
        if found := _HELP.fullmatch(line):
            name, told = found[1], _unescaped(found[2])
            assert name not in families, f"{name} comes twice"
        elif found := _TYPE.fullmatch(line):
            assert found[1] == name, f"{line!r} does not follow its HELP"
            assert (found[2] == "counter") == name.endswith("_total")
            families[name] = ReadFamily(found[2], told)
        else:
            found = _SAMPLE.fullmatch(line)
            assert found, f"no line of this form: {line!r}"
            assert name in families, f"{line!r} comes before its TYPE"
            assert _VALUE.fullmatch(found[3]), f"no number: {found[3]!r}"
            _take(families[name], found[1].removeprefix(name), _labels(found[2]), float(found[3]))
    for name, family in families.items():
        if family.kind == "histogram":
            _require_histogram(name, family)
    return families


def _take(family: ReadFamily, suffix: str, labels: Labels, value: float) -> None:
    if family.kind == "histogram" and suffix in ("_sum", "_count"):
        assert not labels
        setattr(family, suffix[1:], value)
        return
    assert suffix == ("_bucket" if family.kind == "histogram" else "")
    assert labels not in family.samples, f"{labels} comes twice"
    family.samples[labels] = value


def _require_histogram(name: str, family: ReadFamily) -> None:
    """Buckets grow, and the last has everything."""
    buckets = [(float(bound), often) for bound, often in family.by("le").items()]
    assert buckets == sorted(buckets), name
    assert [often for _, often in buckets] == sorted(often for _, often in buckets), name
    assert buckets[-1] == (float("inf"), family.count), name


def _labels(text: str | None) -> Labels:
    if text is None:
        return frozenset()
    inner, found, position = text[1:-1], [], 0
    while position < len(inner):
        label = _LABEL.match(inner, position)
        assert label, f"no label at {inner[position:]!r}"
        found.append((label[1], _unescaped(label[2])))
        position = label.end()
    assert len({name for name, _ in found}) == len(found)
    return frozenset(found)


def _unescaped(text: str) -> str:
    return re.sub(r"\\.", lambda one: _ESCAPES[one[0]], text)
