"""WordNet's measures, against NLTK's on the same files."""

import math
import random
import warnings
from pathlib import Path
from typing import Any

import nltk
import pytest
from nltk.corpus.reader.wordnet import WordNetCorpusReader, WordNetICCorpusReader

from purport import load_measure
from purport.pipeline.jobs.default_space import default_texts
from purport.relatedness.catalogue import MeasureSettings
from purport.relatedness.measure import Measure
from purport.relatedness.wordnet import WordNet
from purport.relatedness.wordnet_files import PartOfSpeech
from purport.relatedness.wordnet_measures import jiang_conrath
from tests.contracts.measure import MeasureContract


class TestJiangConrath(MeasureContract):
    @pytest.fixture
    def measure(self) -> Measure:
        return load_measure("wordnet")


class TestLin(MeasureContract):
    @pytest.fixture
    def measure(self) -> Measure:
        return load_measure("wordnet-lin")


class TestPath(MeasureContract):
    @pytest.fixture
    def measure(self) -> Measure:
        return load_measure("wordnet-path")


class TestGloss(MeasureContract):
    @pytest.fixture
    def measure(self) -> Measure:
        return load_measure("wordnet-gloss")


@pytest.fixture(scope="module")
def wordnet() -> WordNet:
    return MeasureSettings().wordnet()


@pytest.fixture(scope="module")
def nltk_wordnet(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """NLTK's WordNet and information content, over the files that ours was compiled from."""
    data = tmp_path_factory.mktemp("nltk")
    folder = data / "corpora" / "wordnet"
    folder.mkdir(parents=True)
    source = default_texts().wordnet
    for path in source.iterdir():
        if not path.name.startswith("data.noun"):
            (folder / path.name).write_bytes(path.read_bytes())
    halves = (source / "data.noun1").read_bytes(), (source / "data.noun2").read_bytes()
    (folder / "data.noun").write_bytes(b"\n".join(halves))
    for name in ("noun", "verb", "adj", "adv"):
        (folder / f"{name}.exc").write_text("")
    nltk.data.path.append(str(data))
    root = nltk.data.FileSystemPathPointer(str(folder))
    content = WordNetICCorpusReader(root, ["resnik-ic3.txt"]).ic("resnik-ic3.txt")
    with warnings.catch_warnings(action="ignore"):  # about other languages, which are not here
        return WordNetCorpusReader(root, None), content


def noun_pairs(wordnet: WordNet, count: int) -> list[tuple[str, str]]:
    """Pairs of words that are nouns, half of them with a common one."""
    common = "car bus garage energy power computer laptop temperature rain street city room".split()
    single = sorted(word for word in wordnet.words() if word.isalpha())
    nouns = [one for one in single if wordnet.first_sense(one, PartOfSpeech.NOUN) is not None]
    drawn = random.Random(11)
    return [
        (drawn.choice(common if number % 2 else nouns), drawn.choice(nouns))
        for number in range(count)
    ]


def test_raw_jiang_conrath_is_nltks_on_200_pairs(wordnet: WordNet, nltk_wordnet: Any) -> None:
    reader, content = nltk_wordnet
    compared = 0
    for left, right in [*noun_pairs(wordnet, 150), *common_pairs()]:
        ours = jiang_conrath(wordnet, left, right)
        theirs = reader.synsets(left, "n")[0].jcn_similarity(reader.synsets(right, "n")[0], content)
        compared += 1
        if math.isinf(ours):
            assert theirs >= 1e200
        else:
            assert ours == pytest.approx(theirs, rel=1e-9, abs=1e-12)
    assert compared >= 200


def common_pairs() -> list[tuple[str, str]]:
    """Every pair of some common words: few of them are 0."""
    words = "car bus garage energy power computer city street room weather animal".split()
    return [(a, b) for a in words for b in words if a < b]


def test_lin_and_path_are_nltks(wordnet: WordNet, nltk_wordnet: Any) -> None:
    reader, content = nltk_wordnet
    lin, path = load_measure("wordnet-lin"), load_measure("wordnet-path")
    for left, right in common_pairs():
        ours, theirs = (reader.synsets(word, "n")[0] for word in (left, right))
        assert lin.score(left, right) == pytest.approx(ours.lin_similarity(theirs, content))
        assert path.score(left, right) == pytest.approx(ours.path_similarity(theirs))


def test_jiang_conrath_is_brought_to_1_over_1_plus_the_distance(wordnet: WordNet) -> None:
    measure = load_measure("wordnet")
    for left, right in common_pairs():
        raw = jiang_conrath(wordnet, left, right)
        assert measure.score(left, right) == pytest.approx(raw / (1 + raw))


def test_synonyms_are_the_same(wordnet: WordNet) -> None:
    assert jiang_conrath(wordnet, "car", "automobile") == math.inf
    for name in ("wordnet", "wordnet-lin", "wordnet-path"):
        assert load_measure(name).score("car", "automobile") == 1
        assert load_measure(name).score("parking lot", "car park") == 1


def test_words_without_a_common_part_of_speech_are_unrelated(wordnet: WordNet) -> None:
    assert jiang_conrath(wordnet, "quickly", "car") == 0
    assert load_measure("wordnet").score("quickly", "car") == 0


def test_a_phrase_scores_the_mean_of_its_words_best_counterparts() -> None:
    measure = load_measure("wordnet")
    near = measure.score("car", "bus")

    assert measure.score("car energy", "bus energy") == pytest.approx((near + 1) / 2)


def test_counts_from_a_file_change_the_scores(tmp_path: Path) -> None:
    published = default_texts().synset_counts.read_text()
    flat = [
        " ".join([line.split()[0], "2.0", *line.split()[2:]]) for line in published.splitlines()[1:]
    ]
    (tmp_path / "flat.txt").write_text("wnver::3.0\n" + "\n".join(flat))

    assert load_measure("wordnet", counts=tmp_path / "flat.txt").score(
        "car", "bus"
    ) != pytest.approx(load_measure("wordnet").score("car", "bus"))
