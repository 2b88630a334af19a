"""An order of names in numbers: each has a prime of its own, and those of all above it.

The *gene* of a name is a prime, its *code* the product of its gene and the genes of its ancestors.
One name is above another iff its gene divides the code of the other (SemPS'12, section 3.4). Names
that can have no members have gene and code 0, which every number divides.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from random import Random

from purport.ontology.decoding import told_by_codes
from purport.ontology.errors import OntologyError, UnknownName
from purport.ontology.hierarchy import Hierarchy
from purport.ontology.prime_assignment import Objective, assigned_genes
from purport.ontology.primes import first_primes, primes_after

_SMALL = first_primes(64)


@dataclass(frozen=True, slots=True)
class Figures:
    """How long codes are; equivalent names are one."""

    count: int
    total_bits: int
    longest_bits: int

    @property
    def mean_bits(self) -> float:
        return self.total_bits / max(self.count, 1)


@dataclass(frozen=True)
class Encoding:
    """Genes and codes of names, equivalent ones the same.

    Where it `is_ordered`, every gene is larger than those of the ancestors; where it `is_part`,
    codes may have genes of names that are left out.

    >>> encoding = Encoding.of(Hierarchy.of({"B": ["A"], "C": ["B"]}))
    >>> encoding.gene("B"), encoding.code("C"), encoding.subsumes("B", "C")
    (3, 30, True)
    """

    genes: Mapping[str, int]
    codes: Mapping[str, int]
    is_ordered: bool = True
    is_part: bool = field(default=False, compare=False)

    @classmethod
    def of(cls, hierarchy: Hierarchy, objective: Objective | str = Objective.TOTAL) -> Encoding:
        """The encoding of an order of names."""
        return _encoded(hierarchy, assigned_genes(hierarchy.lineage, Objective(objective)))

    def __contains__(self, name: object) -> bool:
        return name in self.genes

    def __iter__(self) -> Iterator[str]:
        return iter(self.genes)

    def __len__(self) -> int:
        return len(self.genes)

    def gene(self, name: str) -> int:
        """The prime of a name."""
        try:
            return self.genes[name]
        except KeyError:
            raise UnknownName("name", name) from None

    def code(self, name: str) -> int:
        """The product of the genes of a name and all above it."""
        try:
            return self.codes[name]
        except KeyError:
            raise UnknownName("name", name) from None

    def subsumes(self, wider: str, narrower: str) -> bool:
        """Whether the first name is above the second, or equivalent to it."""
        gene, code = self.gene(wider), self.code(narrower)
        if gene == self.genes[narrower] or code == 0:
            return True
        return self.needs_division(wider, narrower) and code % gene == 0

    def needs_division(self, wider: str, narrower: str) -> bool:
        """Whether only a division can tell, because no comparison rules it out.

        A name below another has a larger gene, a code longer by about that gene, and among its
        genes all the small ones that the other has.
        """
        above, below = self.gene(wider), self.gene(narrower)
        if above == below or not above or not below:
            return False
        if self.is_ordered and above > below:
            return False
        code, longer = self.codes[wider], self.codes[narrower]
        if code.bit_length() + below.bit_length() - 2 > longer.bit_length() - 1:
            return False
        return not self._marks[wider] & ~self._marks[narrower]

    def add_leaf(self, name: str, parents: Iterable[str] = ()) -> Encoding:
        """With one more name below others; no code changes."""
        return self.add_leaves({name: parents})

    def add_leaves(self, leaves: Mapping[str, Iterable[str]]) -> Encoding:
        """With more names, each below others that were there before."""
        genes, codes = dict(self.genes), dict(self.codes)
        free = _FreePrimes(genes.values(), () if self.is_ordered else set(codes.values()) - {0})
        largest = max(genes.values(), default=1)
        for name, parents in leaves.items():
            above = tuple(parents)
            self._require_new(name, above)
            inherited = math.lcm(*map(self.code, above))
            largest = free.after(largest) if inherited else largest
            genes[name] = largest if inherited else 0
            codes[name] = genes[name] * inherited
        return Encoding(genes, codes, self.is_ordered, self.is_part)

    def add_superclass(
        self, name: str, children: Iterable[str], parents: Iterable[str] = ()
    ) -> Encoding:
        """With one more name between others; only the codes of what is below it change.

        It takes the smallest prime that nobody has above those of its parents. Where that is not
        below the gene of a child, those below it get new genes, as far as they must be larger.
        """
        children, parents = list(children), list(parents)
        self._require_new(name, (*children, *parents))
        if not children:
            raise OntologyError(f"{name} is above no other name: a leaf is what it would be")
        for parent in parents:
            if child := next((one for one in children if self.subsumes(one, parent)), None):
                raise OntologyError(f"{child} would be its own ancestor: {name} is below {parent}")
        return _inserted(self, name, children, parents)

    def hierarchy(self) -> Hierarchy:
        """The order of names that the codes tell."""
        named: dict[int, list[str]] = {}
        for name, gene in self.genes.items():
            named.setdefault(gene, []).append(name)
        above: dict[str, list[str]] = {}
        for gene, told in told_by_codes(self.genes, self.codes).items():
            first, *others = named[gene]
            above[first] = [*(named[one][0] for one in told.parents), *others]
            above.update({name: [first] for name in others})
        return Hierarchy.of(above, named.get(0, ()))

    def part(self, names: Iterable[str]) -> Encoding:
        """Some names alone; their codes still tell of ancestors that are left out."""
        chosen = {name: self.gene(name) for name in names}
        codes = {name: self.codes[name] for name in chosen}
        is_part = self.is_part or len(chosen) < len(self)
        return Encoding(chosen, codes, self.is_ordered, is_part)

    @cached_property
    def figures(self) -> Figures:
        """How long the codes are."""
        lengths = [code.bit_length() for code in set(self.codes.values()) if code]
        return Figures(len(lengths), sum(lengths), max(lengths, default=0))

    def _require_new(self, name: str, others: Iterable[str]) -> None:
        if name in others:
            raise OntologyError(f"{name} would be its own ancestor")
        if name in self.genes:
            raise OntologyError(f"{name} has a gene already")

    @cached_property
    def _marks(self) -> Mapping[str, int]:
        """Which of the smallest primes are in each code, one bit for each."""
        product = math.prod(_SMALL)
        found = {}
        for name, code in self.codes.items():
            common = math.gcd(code, product)
            found[name] = sum(
                1 << place for place, prime in enumerate(_SMALL) if common % prime == 0
            )
        return found


def random_assignment(hierarchy: Hierarchy, seed: int) -> Encoding:
    """The same primes, each to just any name: what an assignment is measured against."""
    genes = assigned_genes(hierarchy.lineage, Objective.TOTAL)
    Random(seed).shuffle(genes)
    encoding = _encoded(hierarchy, genes)
    return Encoding(encoding.genes, encoding.codes, is_ordered=False)


def _encoded(hierarchy: Hierarchy, genes: list[int]) -> Encoding:
    """Names with the genes of their groups."""
    gene_of, code_of = {}, {}
    for group, names in enumerate(hierarchy.groups):
        is_empty = names[0] in hierarchy.unsatisfiable
        gene = 0 if is_empty else genes[group]
        code = 0 if is_empty else math.prod(genes[one] for one in hierarchy.lineage.of(group))
        for name in names:
            gene_of[name], code_of[name] = gene, code
    return Encoding(gene_of, code_of)


def _inserted(
    encoding: Encoding, name: str, children: Iterable[str], parents: Iterable[str]
) -> Encoding:
    """Going down from the new name, a gene stays if it is larger than those above it."""
    inherited = math.lcm(*map(encoding.code, parents))
    told = told_by_codes(encoding.genes, encoding.codes)
    tops = {encoding.gene(child) for child in children}
    below = [
        gene for gene, one in told.items() if gene in tops or not tops.isdisjoint(one.ancestors)
    ]
    free = _FreePrimes(encoding.genes.values(), {one.rest for one in told.values()})
    gene = free.after(max(map(encoding.gene, parents), default=1))
    replaced: dict[int, int] = {}
    code_of = {0: 0}
    for old in below:
        highest = max((replaced.get(one, one) for one in told[old].ancestors), default=0)
        is_kept = not encoding.is_ordered or old > max(gene, highest)
        replaced[old] = old if is_kept else free.after(max(gene, highest))
        genes = (replaced.get(one, one) for one in (old, *told[old].ancestors))
        code_of[old] = math.lcm(math.prod(genes) * told[old].rest, gene * inherited)
    replaced[0] = 0
    new_genes = {one: replaced.get(old, old) for one, old in encoding.genes.items()}
    new_codes = {
        one: code_of.get(encoding.genes[one], code) for one, code in encoding.codes.items()
    }
    return Encoding(
        {**new_genes, name: gene},
        {**new_codes, name: gene * inherited},
        encoding.is_ordered,
        encoding.is_part,
    )


class _FreePrimes:
    """The primes that are no gene yet, not even of a name that is left out."""

    def __init__(self, taken: Iterable[int], codes: Iterable[int] = ()) -> None:
        self._taken = set(taken)
        self._hidden = math.lcm(*codes)

    def after(self, number: int) -> int:
        """The smallest one above a number, which is taken now."""
        found = next(
            prime
            for prime in primes_after(number)
            if prime not in self._taken and self._hidden % prime
        )
        self._taken.add(found)
        return found
