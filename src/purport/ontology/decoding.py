"""The order of names that their genes and codes tell."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Told:
    """What a code tells: the genes right above, all genes above, and what nobody's gene divides."""

    parents: tuple[int, ...]
    ancestors: frozenset[int]
    rest: int


def told_by_codes(genes: Mapping[str, int], codes: Mapping[str, int]) -> dict[int, Told]:
    """What the code of each gene tells, superiors first."""
    code_of = {gene: codes[name] for name, gene in genes.items() if gene}
    ordered = sorted(code_of, key=lambda gene: (code_of[gene], gene))
    found = _Found()
    for gene in ordered:
        found.add(gene, code_of[gene])
    return found.told


@dataclass(slots=True)
class _Found:
    """What is known so far.

    A code without its gene is often the code of the only parent. Otherwise the ancestors are sought
    from the top, among the children of those that are found.
    """

    told: dict[int, Told] = field(default_factory=dict)
    gene_of: dict[int, int] = field(default_factory=dict)
    children: dict[int, list[int]] = field(default_factory=dict)
    roots: list[int] = field(default_factory=list)

    def add(self, gene: int, code: int) -> None:
        """Find what is above a gene; everything above it was added before."""
        inherited = code // gene
        parent = self.gene_of.get(inherited)
        if parent is not None:
            above = self.told[parent]
            told = Told((parent,), above.ancestors | {parent}, above.rest)
        else:
            ancestors, rest = self._ancestors(inherited)
            told = Told(tuple(self._lowest(ancestors)), frozenset(ancestors), rest)
        self.told[gene] = told
        self.gene_of[code] = gene
        self.children[gene] = []
        for one in told.parents:
            self.children[one].append(gene)
        if not told.parents:
            self.roots.append(gene)

    def _ancestors(self, inherited: int) -> tuple[set[int], int]:
        found: set[int] = set()
        rest = inherited
        lists = [self.roots]
        while lists and rest > 1:
            fresh = [gene for gene in lists.pop() if rest % gene == 0]
            rest //= math.prod(fresh)
            found.update(fresh)
            lists.extend(self.children[gene] for gene in fresh)
        return found, rest

    def _lowest(self, ancestors: set[int]) -> Iterator[int]:
        """Those that are above none of the others."""
        higher = {one for gene in ancestors for one in self.told[gene].ancestors}
        yield from sorted(ancestors - higher)
