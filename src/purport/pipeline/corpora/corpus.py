"""A corpus by its path: what kind it is, and its documents as a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import reduce
from pathlib import Path
from urllib.parse import unquote

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from purport.errors import InvalidInput, UnusablePath
from purport.pipeline.corpora.readers import (
    CorpusError,
    Document,
    document_of_json,
    documents_of_dictionary,
    documents_of_file,
    page_of_dump,
    require_whole_dump,
)
from purport.pipeline.session import spark_pattern
from purport.pipeline.tables import DOCUMENTS, record_batches
from purport.relatedness.wordnet_files import extended_glosses, is_wordnet_folder

_BATCH = 256


class CorpusKind(StrEnum):
    """How a corpus is written."""

    WIKIPEDIA_DUMP = "Wikipedia dump"
    JSON_LINES = "JSON lines"
    WORDNET = "WordNet glosses"
    DICTIONARY = "dictd dictionary"
    FILES = "text files"


@dataclass(frozen=True, slots=True)
class Corpus:
    """A corpus: where it is, how it is written, and under what licence, if somebody said so."""

    path: Path
    kind: CorpusKind
    licence: str = "not stated"

    @classmethod
    def at(cls, path: Path, licence: str = "not stated") -> Corpus:
        """The corpus at a path, its kind told by names; `UnusablePath` if there is nothing."""
        try:
            path.stat()
        except OSError as error:
            raise UnusablePath(path, error.strerror or str(error)) from None
        return cls(path, _kind(path), licence)

    def documents(self, spark: SparkSession, number: int) -> DataFrame:
        """The table DOCUMENTS of this corpus, which is the corpus of this number."""
        match self.kind:
            case CorpusKind.WIKIPEDIA_DUMP:
                require_whole_dump(self.path)
                pages = spark.read.option("lineSep", "</page>").text(spark_pattern(self.path))
                return _read(pages, self, number, page_of_dump)
            case CorpusKind.JSON_LINES:
                lines = spark.read.text(spark_pattern(self.path))
                return _read(lines, self, number, document_of_json)
            case CorpusKind.WORDNET:
                return _read(_path(spark, self.path), self, number, _glosses)
            case CorpusKind.DICTIONARY:
                return _read(_path(spark, self.path), self, number, _entries)
            case CorpusKind.FILES:
                reader = spark.read.option("wholetext", True).option("recursiveFileLookup", True)
                files = reader.text(spark_pattern(self.path))
                named = f.concat_ws("\n", f.col("_metadata.file_name"), f.col("value"))
                return _read(files.select(named.alias("value")), self, number, _file)


def documents_of(spark: SparkSession, corpora: Sequence[Corpus]) -> DataFrame:
    """The table DOCUMENTS of several corpora, numbered as they come."""
    every = [corpus.documents(spark, number) for number, corpus in enumerate(corpora)]
    return reduce(DataFrame.unionByName, every)


def _kind(path: Path) -> CorpusKind:
    name = path.name.removesuffix(".gz").removesuffix(".bz2")
    if path.is_dir() and is_wordnet_folder(path):
        return CorpusKind.WORDNET
    if name.endswith(".xml"):
        return CorpusKind.WIKIPEDIA_DUMP
    if name.endswith((".jsonl", ".json", ".ndjson")):
        return CorpusKind.JSON_LINES
    if name.endswith(".index"):
        return CorpusKind.DICTIONARY
    return CorpusKind.FILES


def _read(
    texts: DataFrame, corpus: Corpus, number: int, read: Callable[[str], Iterator[Document]]
) -> DataFrame:
    """The documents that each text of a one-column table holds."""
    name = corpus.path.name

    def documents(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        columns = (batch.column(0).cast(pa.binary()) for batch in batches)
        texts = (text for column in columns for text in column.to_pylist())
        found = (one for text in texts for one in _named(name, _read_text(text, read)))
        rows = ((number, one.title, one.text) for one in found)
        yield from record_batches(DOCUMENTS, rows, _BATCH)

    return texts.mapInArrow(documents, DOCUMENTS)


def _read_text(text: bytes, read: Callable[[str], Iterator[Document]]) -> Iterator[Document]:
    try:
        decoded = text.decode()
    except UnicodeDecodeError:
        raise CorpusError(f"not UTF-8: {text[:80]!r}") from None
    yield from read(decoded)


def _named(corpus: str, documents: Iterator[Document]) -> Iterator[Document]:
    """The documents; what is wrong with them is said with the name of their corpus."""
    try:
        yield from documents
    except InvalidInput as error:
        told = str(error)
        raise CorpusError(told if corpus in told else f"{corpus}: {told}") from None


def _path(spark: SparkSession, path: Path) -> DataFrame:
    return spark.createDataFrame([(str(path.resolve()),)], "value string")


def _glosses(folder: str) -> Iterator[Document]:
    return (Document(title, text) for title, text in extended_glosses(Path(folder)))


def _entries(index: str) -> Iterator[Document]:
    return documents_of_dictionary(Path(index))


def _file(named: str) -> Iterator[Document]:
    name, _, content = named.partition("\n")
    return documents_of_file(unquote(name), content)
