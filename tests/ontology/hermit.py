"""What HermiT, an independent reasoner, says of an ontology, beside what we say.

It comes with the package owlready2, and needs Java. As a program it compares the ontologies of the
tests, and writes a report: `python -m tests.ontology.hermit -o docs/reports/ontology-reasoner.md`.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyoxigraph

from purport.ontology.axioms import NOTHING, THING
from purport.ontology.ontology import Ontology
from purport.ontology.vocabulary import OWL
from purport.pipeline.java import java_environment

HERE = Path(__file__).parent.parent / "ontologies"
ONTOLOGIES = {
    "wine and food": ("wine.rdf", "food.rdf"),
    "pizza": ("pizza.owl",),
    "SAREF": ("saref.ttl",),
    "SSN and SOSA": ("ssn.ttl", "sosa.ttl"),
}
_FORMATS = {
    ".rdf": pyoxigraph.RdfFormat.RDF_XML,
    ".owl": pyoxigraph.RdfFormat.RDF_XML,
    ".ttl": pyoxigraph.RdfFormat.TURTLE,
}

Above = dict[str, frozenset[str]]


@dataclass(frozen=True)
class Comparison:
    """How many pairs of classes two reasoners find, and those that one of them alone finds."""

    name: str
    classes: int
    pairs: int
    only_ours: tuple[tuple[str, str], ...]
    only_hermit: tuple[tuple[str, str], ...]
    seconds: float
    hermit_seconds: float


def is_there() -> bool:
    """Whether HermiT can be asked."""
    return importlib.util.find_spec("owlready2") is not None


def compared(name: str) -> Comparison:
    """What is said of one of the ontologies; each class is below all it is equivalent to."""
    paths = [HERE / file for file in ONTOLOGIES[name]]
    started = time.perf_counter()
    ours = our_answer(paths)
    ended = time.perf_counter()
    theirs = hermit_answer(paths)
    both = sorted(ours.keys() & theirs.keys())  # owlready2 lists declared classes alone
    return Comparison(
        name,
        len(both),
        sum(len(ours[one] & {*both, NOTHING.name}) for one in both),
        tuple(_more(both, ours, theirs)),
        tuple(_more(both, theirs, ours)),
        ended - started,
        time.perf_counter() - ended,
    )


def our_answer(paths: Sequence[Path]) -> Above:
    """The classes above each class; owl:Nothing is above those that can have no members."""
    classes = Ontology.load(*paths, ignores_missing_imports=True).classes
    return {
        name: frozenset({NOTHING.name})
        if name in classes.unsatisfiable
        else (classes.ancestors(name) | classes.equivalents(name)) - {name, THING.name}
        for name in classes.names
        if name not in (THING.name, NOTHING.name)
    }


def hermit_answer(paths: Sequence[Path]) -> Above:
    """The same of HermiT, which is asked in a process of its own."""
    asked = [sys.executable, "-m", "tests.ontology.hermit", "--ask", *map(str, paths)]
    answer = subprocess.run(asked, capture_output=True, text=True, check=False, timeout=300)
    if answer.returncode != 0:
        raise RuntimeError(f"HermiT could not be asked: {answer.stderr[-2000:]}")
    return {name: frozenset(above) for name, above in json.loads(answer.stdout).items()}


def _more(names: Sequence[str], one: Above, other: Above) -> Iterator[tuple[str, str]]:
    for name in names:
        for above in sorted((one[name] - other[name]) & {*names, NOTHING.name}):
            yield name, above


def _ask(paths: Sequence[Path]) -> dict[str, list[str]]:
    """Load files into owlready2, as triples without imports, and let HermiT classify them."""
    import owlready2

    owlready2.JAVA_EXE = str(Path(java_environment()["PURPORT_JAVA_HOME"]) / "bin" / "java")
    world = owlready2.World()
    triples = [
        quad.triple
        for path in paths
        for quad in pyoxigraph.parse(
            path=str(path), format=_FORMATS[path.suffix], base_iri=path.resolve().as_uri()
        )
        if quad.predicate.value != OWL + "imports"
    ]
    with tempfile.NamedTemporaryFile(suffix=".nt") as file:
        pyoxigraph.serialize(triples, output=file.name, format=pyoxigraph.RdfFormat.N_TRIPLES)
        loaded = world.get_ontology(f"file://{file.name}").load()
    with loaded:
        owlready2.sync_reasoner_hermit(world, debug=0)
    empty = {one.iri for one in world.inconsistent_classes()}
    return {
        one.iri: [NOTHING.name] if one.iri in empty else sorted(_above(owlready2, one))
        for one in world.classes()
    }


def _above(owlready2: Any, one: Any) -> set[str]:
    named = [*one.ancestors(), *one.equivalent_to.indirect()]
    found = {other.iri for other in named if isinstance(other, owlready2.ThingClass)}
    return found - {one.iri, THING.name}


def _report(found: Sequence[Comparison]) -> Iterator[str]:
    yield "# The order of classes, against HermiT"
    yield ""
    yield "Which class is above which, for all pairs of declared classes, as Purport says it and"
    yield "as HermiT does, which comes with owlready2. Both get the same triples, without what they"
    yield "import from elsewhere. Times are of loading and classifying, HermiT's with Java's start."
    yield ""
    yield "| ontology | classes | pairs | only Purport | only HermiT | Purport | HermiT |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    for one in found:
        yield (
            f"| {one.name} | {one.classes:,} | {one.pairs:,} | {len(one.only_ours)} "
            f"| {len(one.only_hermit)} | {one.seconds:.1f} s | {one.hermit_seconds:.1f} s |"
        )
    for one in found:
        for who, pairs in (("Purport", one.only_ours), ("HermiT", one.only_hermit)):
            for narrower, wider in pairs:
                yield ""
                yield f"{one.name}, {who} alone: <{narrower}> is below <{wider}>."


def main() -> None:
    """Compare, or answer for HermiT."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ask", nargs="+", type=Path, help="print what HermiT says of files")
    parser.add_argument("-o", "--output", type=Path, help="where the report goes")
    options = parser.parse_args()
    if options.ask:
        sys.stdout.write(json.dumps(_ask(options.ask)))
        return
    if not is_there():
        parser.error("HermiT comes with owlready2: pip install owlready2==0.51")
    report = "\n".join(_report([compared(name) for name in ONTOLOGIES])) + "\n"
    if options.output:
        options.output.write_text(report)
    sys.stdout.write(report)


if __name__ == "__main__":
    main()
