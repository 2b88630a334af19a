"""Roget's text as it is read, and the thesaurus that a program makes out of it."""

from importlib.metadata import PackageNotFoundError

import pytest

from purport.errors import InvalidInput, MissingExtra
from purport.evaluation import roget
from purport.evaluation.roget import RogetParagraph, parsed_paragraphs, roget_paragraphs
from purport.evaluation.toit14.thesaurus import CURATED, Source, Thesaurus, ThesaurusChoice
from purport.evaluation.toit14.vocabulary import CITIES, MAKES, TERMS

TEXT = """\
About this text: N. nothing, naught.

CLASS I
WORDS EXPRESSING ABSTRACT RELATIONS

1. BEING, IN THE ABSTRACT

272. Vehicle -- N. vehicle, conveyance &amp;c (thing) 3; common
carrier, char-a-bancs [Fr.]; wagon, Bath chair.
     [with an engine] motor car, tractor-
trailer; a; what is here is more than three words.
V. ride, drive &amp;c v..
Phr. all aboard.

    273. Speed -- N. speed, velocity.
\t Adj. fast, swift; rapid.

***END OF THE PROJECT GUTENBERG EBOOK: N. end, finish.
"""


def test_paragraphs_are_read_with_their_groups_and_parts_of_speech() -> None:
    assert list(parsed_paragraphs(TEXT)) == [
        RogetParagraph("N", (("vehicle", "conveyance"), ("common carrier",), ("wagon",))),
        RogetParagraph("N", (("motor car", "tractor-trailer"),)),
        RogetParagraph("V", (("ride", "drive"),)),
        RogetParagraph("N", (("speed", "velocity"),)),
        RogetParagraph("Adj", (("fast", "swift"), ("rapid",))),
    ]


def test_the_whole_of_roget_is_read() -> None:
    paragraphs = roget_paragraphs()
    words = {word for one in paragraphs for group in one.groups for word in group}

    assert len(paragraphs) > 9000
    assert len(words) > 30_000
    assert {"automobile", "thermometer", "motor car"} <= words
    assert {one.part_of_speech for one in paragraphs} == {"N", "V", "Adj", "Adv"}


def test_the_automatic_thesaurus_has_a_few_words_for_most_terms_and_none_for_names() -> None:
    thesaurus = Thesaurus.automatic()
    names = {*MAKES, *(city for city, _ in CITIES), *(country for _, country in CITIES)}
    words = {word for term in TERMS for word in (term, *term.split())}

    assert len(thesaurus.replacements) > 80
    assert thesaurus.replacements.keys() <= words - names
    for term, others in thesaurus.replacements.items():
        assert 1 <= len(others) <= 4
        assert term not in {one.text for one in others}
    assert "velocity" in {one.text for one in thesaurus.replacements["speed"]}
    assert Thesaurus.automatic() == thesaurus


def test_every_term_of_the_automatic_thesaurus_has_versions_that_can_be_listed() -> None:
    thesaurus = Thesaurus.automatic()

    assert len(thesaurus.versions("abnormal soil moisture tension event")) == 5**5


def test_a_package_that_is_not_installed_is_told_as_an_extra(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def missing(name: str) -> None:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(roget, "distribution", missing)
    roget_paragraphs.cache_clear()

    with pytest.raises(MissingExtra, match=r"purport\[evaluation\]"):
        Thesaurus.automatic()


def test_a_choice_of_thesaurus_says_what_it_is() -> None:
    marked = ThesaurusChoice(marks=("r", "e"))

    assert str(CURATED) == "curated thesaurus, all pairs"
    assert str(marked) == "curated thesaurus, pairs marked r or e"
    assert marked.build() == Thesaurus.curated().marked("re")
    assert ThesaurusChoice(Source.AUTOMATIC).build() == Thesaurus.automatic()
    with pytest.raises(InvalidInput, match="only the pairs of the curated"):
        ThesaurusChoice(Source.AUTOMATIC, ("r",))
    with pytest.raises(InvalidInput, match="the marks are r and e, got 'x'"):
        ThesaurusChoice(marks=("x",))
