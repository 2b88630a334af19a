"""What it takes a node to see whether a coded event is in a coded class.

The matching that is really done (`purport.ontology.codes.message_matching`) is watched: how often
it asks whether a class, or property, is above another. Of these *tests* only those need a division
that no comparison rules out (`Encoding.needs_division`, after SemPS'12, sections 3.4 and 5.1).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from purport.model.class_expression import ClassExpression
from purport.network.energy import PER_NANOJOULE
from purport.network.scenario import Computing
from purport.ontology.codes.encodings import Encodings
from purport.ontology.codes.message_matching import coded_matches
from purport.ontology.codes.messages import Coded
from purport.ontology.codes.prime_encoding import Encoding


@dataclass(frozen=True, slots=True)
class Work:
    """Whether an event is in a class, and how many tests and divisions it took to see that."""

    matches: bool
    tests: int
    divisions: int

    def picojoules(self, computing: Computing) -> int:
        """What it takes by a cost model."""
        instructions = (
            self.tests * computing.instructions_per_test
            + self.divisions * computing.instructions_per_division
        )
        return round(instructions * computing.nj_per_instruction * PER_NANOJOULE)


class Workbench:
    """Matches coded events with coded classes, and counts."""

    def __init__(self, encodings: Encodings) -> None:
        self._names = {
            encoding_number: _Names.of(encoding)
            for encoding_number, encoding in enumerate((encodings.classes, encodings.properties))
        }

    def work(self, event: Coded, expression: ClassExpression) -> Work:
        """Match once; both as they are read from messages."""
        tests: list[tuple[int, int, int]] = []
        matches = coded_matches(_watched(event, tests), expression)
        divisions = sum(self._names[kind].needs_division(gene, code) for kind, gene, code in tests)
        return Work(matches, len(tests), divisions)


def mean_instructions(works: Iterable[Work], computing: Computing) -> float:
    """How many instructions a test takes in the mean; SemPS'12 says 50."""
    each = list(works)
    tests, divisions = sum(one.tests for one in each), sum(one.divisions for one in each)
    total = (
        tests * computing.instructions_per_test + divisions * computing.instructions_per_division
    )
    return total / tests if tests else 0.0


@dataclass(frozen=True, slots=True)
class _Names:
    """An encoding, with a name for each gene and each code."""

    encoding: Encoding
    by_gene: dict[int, str]
    by_code: dict[int, str]

    @classmethod
    def of(cls, encoding: Encoding) -> _Names:
        return cls(
            encoding,
            {gene: name for name, gene in encoding.genes.items()},
            {code: name for name, code in encoding.codes.items()},
        )

    def needs_division(self, gene: int, code: int) -> bool:
        above, below = self.by_gene.get(gene), self.by_code.get(code)
        if above is None or below is None:
            return True
        return self.encoding.needs_division(above, below)


class _WatchedCode(int):
    """A code that tells of each gene that it is compared with: before a division, it always is."""

    kind: int
    tests: list[tuple[int, int, int]]

    def __ge__(self, gene: int) -> bool:
        self.tests.append((self.kind, int(gene), int(self)))
        return int(self) >= gene


def _watched(individual: Coded, tests: list[tuple[int, int, int]]) -> Coded:
    def watched(code: int, kind: int) -> int:
        found = _WatchedCode(code)
        found.kind, found.tests = kind, tests
        return found

    name = individual.name
    return Coded(
        watched(name, 0) if isinstance(name, int) else name,
        tuple(watched(code, 0) for code in individual.types),
        tuple(
            (watched(code, 1), _watched(value, tests) if isinstance(value, Coded) else value)
            for code, value in individual.facts
        ),
    )
