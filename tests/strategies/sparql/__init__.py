"""Random graphs, update requests and queries over all of SPARQL 1.1.

Left out, because more than one answer to them is right: REDUCED, SAMPLE, RAND, UUID, STRUUID,
BNODE, NOW, sums of doubles that do not add up exactly, GROUP_CONCAT where the order shows, and MIN
and MAX among terms that are equal but not the same (see `World`). LIMIT without a total order is
not left out but compared loosely (`Comparison.PART`), as are nodes that CONSTRUCT makes
(`Comparison.RENAMED`). SERVICE and LOAD reach beyond the store and have tests of their own.
"""

from tests.strategies.sparql.cases import Case, Subscribed, alike_cases, cases, requests
from tests.strategies.sparql.queries import Comparison, Query

__all__ = ["Case", "Comparison", "Query", "Subscribed", "alike_cases", "cases", "requests"]
