"""A space built on Spark is the one that the formula gives."""

import bz2
import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from pyspark.sql import SparkSession

from purport.errors import InvalidInput, UnusablePath
from purport.pipeline import concept_space
from purport.pipeline.concept_index import IndexParameters
from purport.pipeline.corpora.corpus import Corpus, CorpusKind
from purport.pipeline.jobs.build_space import BuildSpace
from purport.relatedness.array_store import StoreError
from purport.relatedness.concept_space import ConceptSpace
from tests.oracles.concept_weights import unit_vectors
from tests.relatedness.spaces import DOCUMENTS

WORDNET_VERBS = """\
  1 a licence, which is no synset
00000100 29 v 02 park 0 leave_a_car 0 001 @ 00000200 v 0000 01 + 08 00 | place a vehicle temporarily
00000200 29 v 01 place 0 001 ~ 00000100 v 0000 01 + 08 00 | put into a certain place
"""
WORDNET_NOUNS = """\
00000300 06 n 01 garage 0 001 + 00000100 v 0101 | a building for housing automobiles
"""


def json_lines(path: Path, documents: tuple[tuple[str, str], ...] = DOCUMENTS) -> Path:
    text = "".join(json.dumps({"title": t, "text": x}) + "\n" for t, x in documents)
    data = text.encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def vectors(space: ConceptSpace) -> dict[str, dict[str, float]]:
    """What each word means, by the titles of the concepts."""
    rows = [space.row(number) for number in range(space.manifest.words)]
    return {
        row.word: {
            space.title(int(concept)): float(weight)
            for concept, weight in zip(row.concepts, row.weights, strict=True)
        }
        for row in rows
    }


def expected(documents: tuple[tuple[str, str], ...], most: int) -> dict[str, dict[str, float]]:
    return {
        word: {documents[concept][0]: weight for concept, weight in vector.items()}
        for word, vector in unit_vectors(documents, most).items()
    }


@pytest.mark.parametrize("most", [1000, 2])
def test_the_weights_are_those_of_the_formula(
    spark: SparkSession, tmp_path: Path, most: int
) -> None:
    corpus = Corpus.at(json_lines(tmp_path / "eight.jsonl"))
    parameters = IndexParameters(concepts_per_word=most)

    space = BuildSpace([corpus], tmp_path / "space", parameters).run(spark)

    found, wanted = vectors(space), expected(DOCUMENTS, most)
    assert found.keys() == wanted.keys()
    for word, vector in wanted.items():
        assert found[word] == pytest.approx(vector, abs=2e-3)
    space.verify()


def test_corpora_of_every_kind_make_one_space(spark: SparkSession, tmp_path: Path) -> None:
    wordnet = tmp_path / "dict"
    wordnet.mkdir()
    (wordnet / "data.verb").write_text(WORDNET_VERBS)
    (wordnet / "data.noun1").write_text(WORDNET_NOUNS)
    for name in ("data.noun2", "data.adj", "data.adv"):
        (wordnet / name).write_text("")
    dump = tmp_path / "dump.xml.bz2"
    pages = "".join(
        f"<page><title>{title}</title><ns>0</ns><revision><text>'''{text}'''</text></revision></page>"
        for title, text in DOCUMENTS[:2]
    )
    whole = f"<mediawiki><siteinfo/>{pages}</mediawiki>".encode()
    dump.write_bytes(bz2.compress(whole[:300]) + bz2.compress(whole[300:]))
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "Weather.txt").write_text("Wind, rain and temperature are the weather.")
    (folder / "wiki_00").write_text('<doc id="1" title="Laptop">A laptop is a computer.</doc>')
    json_lines(folder / "wiki_01", DOCUMENTS[5:7])
    (tmp_path / "d.index").write_text("energy\tA\tZ\n")
    (tmp_path / "d.dict").write_bytes(b"energy is power over time")
    lines = json_lines(tmp_path / "more.jsonl.gz", DOCUMENTS[2:4])
    paths = [wordnet, dump, folder, tmp_path / "d.index", lines]

    corpora = [Corpus.at(path) for path in paths]
    space = BuildSpace(corpora, tmp_path / "space").run(spark)

    assert [corpus.kind for corpus in corpora] == [
        CorpusKind.WORDNET,
        CorpusKind.WIKIPEDIA_DUMP,
        CorpusKind.FILES,
        CorpusKind.DICTIONARY,
        CorpusKind.JSON_LINES,
    ]
    assert [source.documents for source in space.manifest.sources] == [3, 2, 4, 1, 2]
    titles = {space.title(number) for number in range(space.manifest.concepts)}
    assert titles == {
        "park, leave a car", "place", "garage", "Car park", "Garage", "Weather", "Laptop", "energy",
        "Energy", "Power", "Computer",
    }  # fmt: skip
    for row in map(space.row, range(space.manifest.words)):
        assert np.all(np.diff(row.concepts) > 0)
        assert np.linalg.norm(row.weights) == pytest.approx(1, abs=2e-3)
    housing = space.find("hous")
    assert housing is not None


def test_a_corpus_without_words_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    corpus = Corpus.at(json_lines(tmp_path / "empty.jsonl", (("", "..."), ("!", "?"))))

    with pytest.raises(StoreError, match="no usable word"):
        BuildSpace([corpus], tmp_path / "space").run(spark)

    assert not (tmp_path / "space").exists()


def test_a_corpus_that_is_not_what_its_name_says_is_told(
    spark: SparkSession, tmp_path: Path
) -> None:
    (tmp_path / "fake.jsonl").write_text("these are plain words\n")

    with pytest.raises(InvalidInput) as error:
        BuildSpace([Corpus.at(tmp_path / "fake.jsonl")], tmp_path / "space").run(spark)

    assert "not a line of JSON" in str(error.value)
    assert "\n" not in str(error.value)
    assert not (tmp_path / "space").exists()


def refusal(spark: SparkSession, corpus: Path, output: Path) -> str:
    with pytest.raises(InvalidInput) as error:
        BuildSpace([Corpus.at(corpus)], output).run(spark)
    assert "\n" not in str(error.value)
    assert not output.exists()
    assert list(output.parent.glob(".*")) == []
    return str(error.value)


def test_a_dump_that_breaks_off_is_told(spark: SparkSession, tmp_path: Path) -> None:
    page = "<page><title>Energy</title><ns>0</ns><revision><text>Power.</text></revision></page>"
    dump = f"<mediawiki>{page}{page.replace('Energy', 'Cut off')[:70]}"
    (tmp_path / "dump.xml").write_text(dump)
    packed = bz2.compress(f"<mediawiki>{page * 2000}</mediawiki>".encode())
    (tmp_path / "dump.xml.bz2").write_bytes(packed[: len(packed) // 2])
    lines = gzip.compress(b'{"title": "a", "text": "some words of a text"}\n' * 5000)
    (tmp_path / "lines.jsonl.gz").write_bytes(lines[: len(lines) // 2])

    space = tmp_path / "space"
    told = refusal(spark, tmp_path / "dump.xml", space)
    assert "dump.xml: it ends without </mediawiki>: it is not all there" in told
    assert "the corpus cannot be read" in refusal(spark, tmp_path / "dump.xml.bz2", space)
    assert "the corpus cannot be read" in refusal(spark, tmp_path / "lines.jsonl.gz", space)


def test_a_corpus_without_a_document_is_named(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "page.xml").write_text("<html><body>no dump</body></html>")

    told = refusal(spark, tmp_path / "page.xml", tmp_path / "space")

    assert "page.xml: no document found in it, read as Wikipedia dump" in told


def test_a_corpus_that_is_no_text_is_told_with_what_it_is(
    spark: SparkSession, tmp_path: Path
) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "picture.png").write_bytes(b"\x89PNG\r\n")

    told = refusal(spark, tmp_path / "texts", tmp_path / "space")

    assert "texts: not UTF-8: b'picture.png\\n\\x89PNG" in told


def test_a_place_that_cannot_be_written_is_told_before_anything_is_read(
    spark: SparkSession, tmp_path: Path
) -> None:
    path = json_lines(tmp_path / "eight.jsonl")
    steps: list[str] = []

    with pytest.raises(UnusablePath, match=f"{path} is not a folder"):
        BuildSpace([Corpus.at(path)], path / "space").run(spark, steps.append)

    assert steps == []


def test_the_public_door_builds_the_same_space(spark: SparkSession, tmp_path: Path) -> None:
    path = json_lines(tmp_path / "eight.jsonl")

    space = concept_space(spark, str(path), tmp_path / "space")

    assert space.manifest.concepts == len(DOCUMENTS)
    assert concept_space(spark, [path, path], tmp_path / "two").manifest.concepts == 16


def test_a_corpus_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UnusablePath, match="No such file"):
        Corpus.at(tmp_path / "missing.jsonl")
