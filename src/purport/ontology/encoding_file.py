"""Genes and codes in a file, one name to a line, as the paper writes them (SemPS'12).

    @prefix ex: <http://example.org/people#>
    ex:Person=2, 2
    ex:Student=3, 6
    [properties]
    ex:isParentOf=2, 2
    [individuals]
    ex:ann=5, 30

Individuals are leaves below classes, among the numbers of classes. A file that begins with `@part`
may have codes with genes of names that are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from purport.errors import UnusablePath
from purport.model.text_file import read_text
from purport.ontology.decoding import told_by_codes
from purport.ontology.encodings import Encodings
from purport.ontology.errors import OntologyError
from purport.ontology.prime_encoding import Encoding
from purport.ontology.primes import LARGEST, is_prime

_PREFIX = re.compile(r"@prefix\s+([^\s:]*):\s*<([^<>\s]*)>\s*\.?")
_NUMBER = re.compile(r"0x[0-9a-fA-F]+|[0-9]{1,4000}")
_LOCAL = re.compile(r"[\w.\-]+")
_MOST_DECIMAL_BITS = 13_000  # Python reads and writes no longer numbers in decimals


class Section(StrEnum):
    """What the names after a heading are."""

    CLASSES = "[classes]"
    PROPERTIES = "[properties]"
    INDIVIDUALS = "[individuals]"


class EncodingFileError(OntologyError):
    """A line of a file is not what it should be."""

    def __init__(self, file: str, line: int, message: str) -> None:
        super().__init__(file, line, message)
        self.file = file
        self.line = line
        self.message = message

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}"


def write_encodings(
    path: Path, encodings: Encodings, prefixes: Mapping[str, str] | None = None
) -> None:
    """Write a file that `read_encodings` reads."""
    try:
        path.write_text(encodings_text(encodings, prefixes), encoding="utf-8")
    except OSError as error:
        raise UnusablePath(path, error.strerror or str(error)) from None


def read_encodings(path: Path) -> Encodings:
    """The numbers that a file has; `EncodingFileError` says what is wrong in which line."""
    return parsed_encodings(read_text(path), file=str(path))


def encodings_text(encodings: Encodings, prefixes: Mapping[str, str] | None = None) -> str:
    """The lines of a file."""
    prefixes = prefixes or {}
    short = _Shortened(prefixes)
    classes = [name for name in encodings.classes if name not in encodings.individuals]
    lines = list(_lines(encodings.classes, classes, short))
    for section, encoding, names in (
        (Section.PROPERTIES, encodings.properties, encodings.properties),
        (Section.INDIVIDUALS, encodings.classes, sorted(encodings.individuals)),
    ):
        if found := list(_lines(encoding, names, short)):
            lines += [section, *found]
    heading = (
        [f"@prefix {prefix}: <{prefixes[prefix]}>" for prefix in short.used] if prefixes else []
    )
    if encodings.classes.is_part or encodings.properties.is_part:
        heading.insert(0, "@part")
    return "".join(f"{line}\n" for line in (*heading, *lines))


def parsed_encodings(text: str, *, file: str = "the encoding") -> Encodings:
    """The numbers that a text tells."""
    parsing = _Parsing(file)
    for number, line in enumerate(text.splitlines(), start=1):
        parsing.read(number, line.strip())
    return parsing.encodings()


def _lines(encoding: Encoding, names: Iterable[str], short: _Shortened) -> Iterator[str]:
    for name in names:
        yield f"{short.of(name)}={encoding.genes[name]}, {_written(encoding.codes[name])}"


def _written(number: int) -> str:
    return str(number) if number.bit_length() <= _MOST_DECIMAL_BITS else hex(number)


class _Shortened:
    """Names as they are written, and the prefixes that this took."""

    def __init__(self, prefixes: Mapping[str, str]) -> None:
        self._prefixes = sorted(prefixes.items(), key=lambda one: (-len(one[1]), one[0]))
        self.used: dict[str, None] = {}

    def of(self, name: str) -> str:
        """A prefixed name, a bare one, or a full one in angle brackets."""
        for prefix, namespace in self._prefixes:
            local = name[len(namespace) :]
            if namespace and name.startswith(namespace) and _LOCAL.fullmatch(local):
                self.used[prefix] = None
                return f"{prefix}:{local}"
        return name if _LOCAL.fullmatch(name) else f"<{name}>"


@dataclass(slots=True)
class _Space:
    """Genes and codes of one kind, with the line of each name."""

    genes: dict[str, int] = field(default_factory=dict)
    codes: dict[str, int] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    owners: dict[int, str] = field(default_factory=dict)


class _Parsing:
    """What was read of a file so far."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._prefixes: dict[str, str] = {}
        self._section = Section.CLASSES
        self._classes, self._properties = _Space(), _Space()
        self._individuals: list[str] = []
        self._is_part = False

    def read(self, number: int, line: str) -> None:
        """Take in one line."""
        if not line or line.startswith("#"):
            return
        if line == "@part":
            self._is_part = True
        elif line.startswith("@"):
            found = _PREFIX.fullmatch(line)
            if not found:
                raise self._error(number, "expected @prefix NAME: <IRI>, or @part", line)
            self._prefixes[found[1]] = found[2]
        elif line.startswith("["):
            if line not in tuple(Section):
                raise self._error(number, f"expected one of {', '.join(Section)}", line)
            self._section = Section(line)
        else:
            self._read_name(number, line)

    def encodings(self) -> Encodings:
        """All that was read, if the numbers agree with each other."""
        return Encodings(
            self._checked(self._classes),
            self._checked(self._properties),
            frozenset(self._individuals),
        )

    def _read_name(self, number: int, line: str) -> None:
        written, _, numbers = line.rpartition("=")
        gene_text, comma, code_text = (part.strip() for part in numbers.partition(","))
        texts = (gene_text, code_text)
        if not written.strip() or not comma or not all(map(_NUMBER.fullmatch, texts)):
            raise self._error(number, "expected NAME=GENE, CODE as in A=2, 2", line)
        name = self._full(number, written.strip())
        gene, code = (int(text, 0 if text.startswith("0x") else 10) for text in texts)
        space = self._properties if self._section is Section.PROPERTIES else self._classes
        if name in space.lines:
            raise self._error(number, f"{name} is in line {space.lines[name]} already")
        self._check_numbers(number, space, gene, code)
        space.genes[name], space.codes[name], space.lines[name] = gene, code, number
        space.owners.setdefault(gene, name)
        if self._section is Section.INDIVIDUALS:
            self._individuals.append(name)

    def _check_numbers(self, number: int, space: _Space, gene: int, code: int) -> None:
        if gene == code == 0:
            return
        if gene >= LARGEST:
            raise self._error(number, f"expected a gene below 2**64, not {_shown(gene)}")
        if not is_prime(gene):
            raise self._error(number, f"expected a prime as gene, not {gene}")
        if code == 0 or code % gene:
            raise self._error(number, f"the gene {gene} does not divide the code {_shown(code)}")
        owner = space.owners.get(gene)
        if owner is not None and space.codes[owner] != code:
            raise self._error(
                number,
                f"the gene {gene} is that of {owner} in line {space.lines[owner]}; "
                "only equivalent names share one, with the same code",
            )

    def _full(self, number: int, written: str) -> str:
        if written.startswith("<") and written.endswith(">"):
            return written[1:-1]
        prefix, colon, local = written.partition(":")
        if not colon:
            return written
        if prefix not in self._prefixes:
            raise self._error(number, f"no @prefix {prefix}: before; full names are in <>", written)
        return self._prefixes[prefix] + local

    def _checked(self, space: _Space) -> Encoding:
        """An encoding, in which whoever has a gene of another has all of its code."""
        is_ordered = True
        for gene, told in told_by_codes(space.genes, space.codes).items():
            is_ordered = is_ordered and gene > max(told.ancestors, default=0)
            if told.rest == 1:
                continue
            name = space.owners[gene]
            for other, owner in space.owners.items():
                if other and told.rest % other == 0:
                    raise self._error(space.lines[name], _disagreement(space, name, owner))
            if not self._is_part:
                raise self._error(
                    space.lines[name],
                    f"the code of {name} has a factor {_shown(told.rest)} that is no name's gene; "
                    "a file with part of the names begins with @part",
                )
        return Encoding(space.genes, space.codes, is_ordered, self._is_part)

    def _error(self, number: int, message: str, line: str = "") -> EncodingFileError:
        shown = f", not {line[:60]!r}" if line else ""
        return EncodingFileError(self._file, number, message + shown)


def _disagreement(space: _Space, name: str, owner: str) -> str:
    gene, line = space.genes[owner], space.lines[owner]
    if name == owner:
        return f"{name} has its gene {gene} twice in its code"
    if space.codes[owner] % space.genes[name] == 0:
        return f"{name} is its own ancestor: it is below {owner} in line {line}, and above it"
    return (
        f"{name} has the gene {gene} of {owner} in line {line}, but not all of its code: "
        "a name has the genes of all its ancestors"
    )


def _shown(number: int) -> str:
    return str(number) if number.bit_length() <= 200 else f"of {number.bit_length()} bits"
