"""Synsets counted on Spark, against a count in plain Python."""

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from pyspark.sql import SparkSession

from purport.errors import InvalidInput, UnusablePath
from purport.pipeline.corpora.corpus import Corpus
from purport.pipeline.jobs.count_synsets import CountSynsets
from purport.relatedness.wordnet import WordNet
from tests.pipeline.test_build_space import json_lines
from tests.relatedness.spaces import DOCUMENTS
from tests.relatedness.wordnets import small_wordnet

TEXTS = (*DOCUMENTS, ("Cars", "A car and two Buses are heated; a car is a vehicle."))


def test_counts_are_those_of_plain_python(spark: SparkSession, tmp_path: Path) -> None:
    wordnet = small_wordnet(tmp_path)
    corpus = Corpus.at(json_lines(tmp_path / "texts.jsonl", TEXTS))

    path = CountSynsets([corpus, corpus], wordnet, tmp_path / "out" / "counts.txt").run(spark)

    words = Counter(
        number
        for _, text in TEXTS
        for word in re.findall(r"[a-z]{2,}", text.lower())
        if (number := wordnet.find(word)) is not None
    )
    assert sum(words.values()) == 10
    times = np.array([2.0 * count for count in words.values()])
    assert path.read_text().splitlines() == list(wordnet.count_lines(np.array(list(words)), times))
    assert np.isfinite(WordNet.open(wordnet.folder, path).content[:9]).all()


def test_a_corpus_without_a_known_word_is_told(spark: SparkSession, tmp_path: Path) -> None:
    corpus = Corpus.at(json_lines(tmp_path / "texts.jsonl", (("", "xyzzy plugh"),)))

    with pytest.raises(InvalidInput, match="no word that WordNet knows"):
        CountSynsets([corpus], small_wordnet(tmp_path), tmp_path / "counts.txt").run(spark)

    assert not (tmp_path / "counts.txt").exists()


def test_a_place_that_cannot_be_written_is_told_before_anything_is_counted(
    spark: SparkSession, tmp_path: Path
) -> None:
    path = json_lines(tmp_path / "texts.jsonl", TEXTS)
    count = CountSynsets([Corpus.at(path)], small_wordnet(tmp_path), path / "counts.txt")
    steps: list[str] = []

    with pytest.raises(UnusablePath, match=f"{path} is not a folder"):
        count.run(spark, steps.append)

    assert steps == []
