"""How short are codes, how quick is the order of classes, how small are messages?"""

import resource
import time
from collections.abc import Iterator
from random import Random

import numpy as np

from benchmarks.finding import Finding, at_least, at_most, quickest_seconds
from benchmarks.gene_ontology import gene_ontology
from purport.model.class_expression import And, Named, Some
from purport.model.units import Quantity
from purport.ontology.codes.encodings import Encodings
from purport.ontology.codes.message_sizes import (
    Sizes,
    event_sizes,
    hierarchy_sizes,
    subscription_sizes,
)
from purport.ontology.codes.prime_assignment import Objective
from purport.ontology.codes.prime_encoding import Encoding, random_assignment
from purport.ontology.description import Description
from purport.ontology.hierarchy import Hierarchy
from purport.ontology.ontology import Ontology

PAIRS = 200_000
SEEDS = range(10)
LEAST_QUICKER = 8
MOST_SINGLE_US = 1
MOST_OF_RANDOM = 0.55
MOST_SECONDS = 90
MOST_GB = 4
LEAST_SMALLER = 50
PEOPLE = "http://www.example.org/ontologies/people.owl#"


def findings() -> Iterator[Finding]:
    yield from _sizes()
    yield from _order("random, 20,000 classes", random_hierarchy(20_000, seed=1))
    yield from _gene_ontology()


def random_hierarchy(count: int, seed: int) -> Hierarchy:
    """Names that have one to three parents each among those before, some of them many children."""
    random = Random(seed)
    above: dict[str, list[str]] = {"0": []}
    for number in range(1, count):
        parents = random.choice((1, 1, 1, 2, 2, 3))
        above[f"{number}"] = [f"{int(number * random.random() ** 2)}" for _ in range(parents)]
    return Hierarchy.of(above)


def _gene_ontology() -> Iterator[Finding]:
    path = gene_ontology()
    started = time.perf_counter()
    ontology = Ontology.load(path)
    encodings = ontology.encodings
    taken = time.perf_counter() - started
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    what = f"Gene Ontology, {len(ontology.classes):,} classes"
    yield at_most(f"{what}: load, classify and encode", taken, MOST_SECONDS, " s")
    yield at_most(f"{what}: most memory of this process", most, MOST_GB, " GB")
    yield from _order(what, ontology.classes, encodings.classes)


def _order(what: str, hierarchy: Hierarchy, encoding: Encoding | None = None) -> Iterator[Finding]:
    encoding = encoding or Encoding.of(hierarchy)
    yield from _lengths(what, hierarchy)
    yield from _speeds(what, hierarchy, encoding)


def _lengths(what: str, hierarchy: Hierarchy) -> Iterator[Finding]:
    fewest, shortest = (Encoding.of(hierarchy, objective).figures for objective in Objective)
    random = [random_assignment(hierarchy, seed).figures for seed in SEEDS]
    share = fewest.total_bits / (sum(one.total_bits for one in random) / len(random))
    yield Finding(
        f"{what}: bits of all codes, of those with random primes",
        f"{share:.3f} x",
        f"<= {MOST_OF_RANDOM} x",
        share <= MOST_OF_RANDOM,
    )
    longest = max(one.longest_bits for one in random)
    yield Finding(f"{what}: bits per class", f"{fewest.mean_bits:.1f}")
    yield Finding(f"{what}: longest code, in bits", f"{fewest.longest_bits:,}")
    yield Finding(f"{what}: the same with random primes", f"{longest:,}")
    yield Finding(f"{what}: longest code where that is to be short", f"{shortest.longest_bits:,}")
    yield Finding(f"{what}: bits per class then", f"{shortest.mean_bits:.1f}")


def _speeds(what: str, hierarchy: Hierarchy, encoding: Encoding) -> Iterator[Finding]:
    rng = np.random.default_rng(1)
    wider, narrower = (rng.integers(0, len(hierarchy), PAIRS) for _ in range(2))
    genes = [encoding.gene(name) for name in hierarchy.names]
    codes = [encoding.code(name) for name in hierarchy.names]
    pairs = list(zip(wider.tolist(), narrower.tolist(), strict=True))
    divided = [(codes[other], genes[one]) for one, other in pairs]
    names = [(hierarchy.names[one], hierarchy.names[other]) for one, other in pairs]
    hierarchy.subsumes_pairs(wider, narrower)

    batched = quickest_seconds(lambda: hierarchy.subsumes_pairs(wider, narrower))
    dividing = quickest_seconds(lambda: [code % gene == 0 for code, gene in divided if gene])
    firsts, seconds = zip(*names, strict=True)
    single = quickest_seconds(lambda: list(map(hierarchy.subsumes, firsts, seconds)))
    left = sum(encoding.needs_division(*pair) for pair in names) / len(names)
    quicker = dividing / batched
    yield at_least(f"{what}: pairs at once, quicker than a division each", quicker, LEAST_QUICKER)
    yield Finding(f"{what}: one of many pairs, in ns", f"{batched / PAIRS * 1e9:.1f}")
    nanoseconds = single / PAIRS * 1e9
    yield Finding(
        f"{what}: one test by names, in ns",
        f"{nanoseconds:.0f}",
        f"<= {1000 * MOST_SINGLE_US:,}",
        nanoseconds <= 1000 * MOST_SINGLE_US,
    )
    yield Finding(f"{what}: pairs that need a division", f"{100 * left:.1f} %", published="5-10 %")


def _sizes() -> Iterator[Finding]:
    """The examples of SemPS'12, with names of a usual length."""
    person, student, professor, parent, father, age, leo = (
        PEOPLE + name
        for name in "Person Student TenuredProfessor isParentOf isFatherOf hasAge leo".split()
    )
    classes = Hierarchy.of({student: [person], professor: [person]})
    properties = Hierarchy.of({father: [parent], age: []})
    encodings = Encodings.of(classes, properties, {leo: [professor]})
    prefixes = {"": PEOPLE}
    grandchild = Some(Named(father), And((Named(person), Some(Named(parent), Named(student)))))
    child = Description(types=(student,), facts=((age, Quantity(21)),))
    figure = Hierarchy.of(
        {PEOPLE + name: [PEOPLE + one for one in above] for name, above in _FIGURE_3.items()}
    )
    for what, sizes in (
        (
            "subscription of figure 2",
            subscription_sizes(And((Named(professor), grandchild)), encodings, prefixes),
        ),
        (
            "event about one of its professors",
            event_sizes(Description(leo, (professor,), ((father, child),)), encodings, prefixes),
        ),
    ):
        yield from _shown(what, sizes)
        yield at_least(f"{what}: smaller than RDF/XML, times", sizes.ratio, LEAST_SMALLER)
    whole = Encodings.of(figure, Hierarchy.of({}))
    sizes = hierarchy_sizes(figure, whole, prefixes)
    yield at_most("hierarchy of figure 3: bytes of its file", sizes.encoded, 100)
    yield Finding(
        "hierarchy of figure 3: bytes as RDF/XML", f"{sizes.rdf_xml:,}", published="1,500"
    )


_FIGURE_3 = {"B": "A", "C": "B", "E": "AD"}


def _shown(what: str, sizes: Sizes) -> Iterator[Finding]:
    yield Finding(f"{what}: bytes", f"{sizes.encoded:,}")
    yield Finding(f"{what}: bytes as RDF/XML", f"{sizes.rdf_xml:,}")
    yield Finding(f"{what}: bytes as Turtle", f"{sizes.turtle:,}")
    yield Finding(f"{what}: bytes as text", f"{sizes.text:,}")
