"""What `purport ontology classify` and `encode` print."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from purport.ontology.codes.encodings import Encodings
from purport.ontology.cycles import told_cycles
from purport.ontology.ontology import Ontology

_SHOWN_CLASSES = 400


def summary(found: Ontology) -> Iterator[str]:
    """What was read, and what is odd about it."""
    axioms, classes, short = found.axioms, found.classes, found.names.short
    many = "file" if len(axioms.files) == 1 else "files"
    yield f"{len(axioms.files)} {many}: {', '.join(path.name for path in axioms.files)}"
    yield (
        f"{len(axioms.classes):,} classes, {len(found.properties):,} properties, "
        f"{len(axioms.individuals):,} individuals"
    )
    yield f"used: {_counted(axioms.used)}"
    yield f"ignored: {_counted(axioms.ignored)}"
    if classes.unsatisfiable:
        yield f"can have no members: {', '.join(sorted(map(short, classes.unsatisfiable)))}"
    for ring in told_cycles(axioms, classes):
        yield f"below itself, so one class: {' < '.join(map(short, (*ring, ring[0])))}"


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {what}" for what, count in sorted(counts.items())) or "nothing"


def rows(found: Ontology, top: str | None) -> Iterator[dict[str, object]]:
    """The classes, or those from one on downwards, each with its parents."""
    classes = found.classes
    wanted = None if top is None else {top, *classes.descendants(top)}
    for name in classes.names:
        if wanted is None or name in wanted:
            yield {
                "class": name,
                "parents": sorted(classes.parents(name)),
                "equivalents": sorted(classes.equivalents(name) - {name}),
                "satisfiable": name not in classes.unsatisfiable,
            }


def tree(found: Ontology, top: str | None) -> Iterator[str]:
    """The order as indented lines; a class with several parents stands below each of them."""
    classes, short = found.classes, found.names.short
    roots = [name for name in classes.names if not classes.parents(name)]
    waiting = [(name, 0) for name in sorted(roots, key=short, reverse=True)]
    if top is not None:
        waiting = [(top, 0)]
    shown: set[str] = set()
    count = 0
    while waiting and count < _SHOWN_CLASSES:
        name, level = waiting.pop()
        same = classes.equivalents(name)
        first = min(same)
        if name != first and level == 0 and top is None:
            continue
        is_repeated = first in shown and bool(classes.children(name))
        yield "  " * level + " = ".join(map(short, sorted(same))) + (" ..." if is_repeated else "")
        count += 1
        if first not in shown:
            shown.add(first)
            below = {min(classes.equivalents(one)) for one in classes.children(name)}
            below -= classes.unsatisfiable
            waiting += [(one, level + 1) for one in sorted(below, key=short, reverse=True)]
    if waiting:
        yield f"... of {len(classes):,} in all: narrow it with --below CLASS, or take --json"


def figures(found: Ontology, encodings: Encodings, text: str) -> dict[str, float]:
    """How long the codes are, and the lines of all of them beside the files."""
    told = encodings.classes.figures
    return {
        "classes and individuals": len(encodings.classes),
        "codes": told.count,
        "properties": len(encodings.properties),
        "bits": told.total_bits,
        "bits of the longest code": told.longest_bits,
        "bytes": len(text.encode()),
        "bytes of the files": sum(path.stat().st_size for path in found.axioms.files),
    }


def figures_line(row: Mapping[str, float]) -> str:
    """The same for people."""
    names, codes = row["classes and individuals"], row["codes"]
    return (
        f"{names:,} classes and individuals with {codes:,} codes (equivalent ones share theirs), "
        f"{row['properties']:,} properties; {row['bits'] / max(codes, 1):.1f} bits a code, "
        f"{row['bits of the longest code']:,} the longest; {row['bytes']:,} bytes for "
        f"{row['bytes of the files']:,} of OWL"
    )
