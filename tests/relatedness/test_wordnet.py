import math
import pickle
import random
from pathlib import Path

import numpy as np
import pytest

from purport.errors import UnusablePath
from purport.relatedness.array_store import StoreError
from purport.relatedness.catalogue import MeasureSettings
from purport.relatedness.wordnet import WordNet
from purport.relatedness.wordnet_compiler import compile_wordnet
from purport.relatedness.wordnet_files import PartOfSpeech, WordNetError
from tests.relatedness.wordnets import COUNTS, VERBS, small_wordnet, wordnet_files


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> WordNet:
    return small_wordnet(tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="module")
def wordnet() -> WordNet:
    return MeasureSettings().wordnet()


def synset(wordnet: WordNet, word: str) -> int:
    return wordnet.senses(word)[0]


def test_words_are_found_with_their_senses_the_most_common_first(small: WordNet) -> None:
    assert [small.name(one) for one in small.senses("car")] == ["car, automobile", "bus"]
    assert small.gloss(synset(small, "bus")) == "carries many passengers"
    assert small.part(synset(small, "heat")) is PartOfSpeech.VERB
    assert small.offset(synset(small, "heat")) == 10
    assert small.senses("xyzzy") == ()


def test_inflected_forms_are_found_by_their_endings(small: WordNet) -> None:
    assert small.senses("automobiles") == small.senses("automobile")
    assert small.senses("heated") == small.senses("heating") == small.senses("heat")
    assert small.senses("changing") == small.senses("change")


def test_words_of_several_words_are_taken_together(small: WordNet) -> None:
    assert small.merged(("large", "car", "park")) == ("large", "car park")
    assert small.merged(("kingdom", "of", "spain")) == ("kingdom of spain",)
    assert small.merged(()) == ()


def test_names_and_antonyms_are_known(small: WordNet) -> None:
    assert small.is_name("spain")
    assert not small.is_name("car")
    assert small.antonyms("heat") == small.antonyms("heated") == {small.find("cool")}
    assert small.antonyms("car") == frozenset()


def test_a_family_is_a_words_forms_and_what_is_made_from_them(wordnet: WordNet) -> None:
    assert wordnet.family("organized") & wordnet.family("organization")
    assert wordnet.family("connected") & wordnet.family("connection")
    assert not wordnet.family("organ") & wordnet.family("organization")
    assert wordnet.family("xyzzy") == frozenset()


def test_information_content_is_the_negative_logarithm_of_the_share(small: WordNet) -> None:
    assert small.content[synset(small, "entity")] == 0
    assert small.content[synset(small, "bus")] == pytest.approx(-math.log(20 / 100))
    assert small.content[synset(small, "heat")] == pytest.approx(-math.log(4 / 26))


def test_the_path_goes_over_the_nearest_kind(small: WordNet) -> None:
    path = small.path(synset(small, "car"), synset(small, "bus"))

    assert str(path) == "car, automobile > vehicle, conveyance < bus"
    assert path is not None
    assert len(path) == 2
    assert small.path(synset(small, "car"), synset(small, "heat")) is None


def ancestors_by_walking(wordnet: WordNet, synset: int) -> dict[int, int]:
    """All that a synset is a kind of, with the fewest steps: level by level."""
    far, level, steps = {synset: 0}, {synset}, 0
    while level:
        steps += 1
        level = {int(kind) for one in level for kind in wordnet.hypernyms(one)} - far.keys()
        far |= dict.fromkeys(level, steps)
    return far


def test_closures_and_what_rests_on_them_equal_a_walk_over_the_graph(wordnet: WordNet) -> None:
    numbers = random.Random(3).sample(range(wordnet.manifest.synsets), 60)
    left, right = np.array(numbers[:40]), np.array(numbers[20:])
    walks = {number: ancestors_by_walking(wordnet, number) for number in numbers}
    shared, steps = wordnet.shared_content(left, right), wordnet.steps(left, right)

    for number, walk in walks.items():
        kinds, far = wordnet.ancestors(number)
        assert dict(zip(kinds.tolist(), far.tolist(), strict=True)) == walk
    for row, one in enumerate(left.tolist()):
        for column, other in enumerate(right.tolist()):
            both = walks[one].keys() & walks[other].keys()
            wanted = max((wordnet.content[kind] for kind in both), default=0.0)
            fewest = min((walks[one][k] + walks[other][k] for k in both), default=math.inf)
            assert shared[row, column] == wanted
            assert steps[row, column] == fewest
            path = wordnet.path(one, other)
            assert fewest == (len(path) if path is not None else math.inf)


def test_wordnet_is_sent_by_its_place(wordnet: WordNet) -> None:
    sent = pickle.dumps(wordnet)

    assert len(sent) < 500
    assert pickle.loads(sent).senses("car") == wordnet.senses("car")


def test_other_counts_take_the_place_of_its_own(small: WordNet, tmp_path: Path) -> None:
    (tmp_path / "counts.txt").write_text(COUNTS.replace("4n 20", "4n 50"))
    other = WordNet.open(small.folder, tmp_path / "counts.txt")

    assert other.content[synset(other, "bus")] == pytest.approx(-math.log(50 / 100))
    assert other.identity != small.identity
    assert pickle.loads(pickle.dumps(other)).identity == other.identity


def test_counts_follow_resniks_way(small: WordNet, tmp_path: Path) -> None:
    car, bus = small.find("car"), small.find("bus")
    assert car is not None
    assert bus is not None
    lines = list(small.count_lines(np.array([car, bus]), np.array([6.0, 2.0])))

    # 1 for each synset to begin with; six cars are three of each sense, and two buses are buses
    assert lines[:7] == [
        "wnver::3.0", "1n 14.000000 ROOT", "2n 11.000000", "3n 4.000000", "4n 6.000000",
        "5n 1.000000", "6n 6.000000",
    ]  # fmt: skip
    (tmp_path / "counts.txt").write_text("\n".join(lines))
    assert WordNet.open(small.folder, tmp_path / "counts.txt").content[
        synset(small, "car")
    ] == pytest.approx(-math.log(4 / 14))


@pytest.mark.parametrize(
    ("file", "text", "complaint"),
    [
        ("data.noun", "not a synset\n", r"data.noun, line 1: not a line of WordNet's data"),
        ("index.noun", "car n x\n", r"index.noun, line 1: not a line of WordNet's index"),
        ("index.noun", "car n 1 0 1 1 00000099\n", "'car' means a synset that is not there"),
        (
            "counts.txt",
            "wnver::3.0\n1n many\n",
            "counts.txt, line 2: expected a synset",
        ),
        ("counts.txt", "wnver::3.0\n99n 5\n", "99n is not in this WordNet"),
        ("counts.txt", "wnver::3.0\n", "expected counts of nouns and verbs"),
        ("data.verb", VERBS.replace("@ 00000012", "@ 00000099"), "10v points to 99v"),
        ("data.verb", VERBS.replace("v 0101", "v 0105"), "a word that is not there"),
    ],
)
def test_files_that_are_not_wordnets_are_told(
    tmp_path: Path, file: str, text: str, complaint: str
) -> None:
    files = wordnet_files(tmp_path / "files")
    (files / file).write_text(text)

    with pytest.raises(WordNetError, match=complaint):
        compile_wordnet(files, files / "counts.txt", tmp_path / "wordnet", "none")

    assert not (tmp_path / "wordnet").exists()


def test_a_file_that_is_missing_is_told(tmp_path: Path) -> None:
    files = wordnet_files(tmp_path / "files")
    (files / "index.verb").unlink()

    with pytest.raises(UnusablePath, match=r"index.verb: No such file"):
        compile_wordnet(files, files / "counts.txt", tmp_path / "wordnet", "none")


def test_a_damaged_wordnet_is_told(tmp_path: Path) -> None:
    folder = small_wordnet(tmp_path).folder
    (folder / "counts.bin").write_bytes(b"")

    with pytest.raises(StoreError, match="the WordNet is damaged: counts holds 0 of 9"):
        WordNet.open(folder)
