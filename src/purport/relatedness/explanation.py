"""What makes two terms related: the concepts they share, their path in WordNet, every score."""

from __future__ import annotations

from dataclasses import dataclass

from purport.errors import MissingExtra
from purport.model.term import Text
from purport.model.words import attribute_words, words_of
from purport.relatedness.attribute_names import attribute_phrase
from purport.relatedness.calibrated import Calibrated
from purport.relatedness.catalogue import MEASURES, MeasureSettings, measure_of
from purport.relatedness.esa import Esa, SharedConcept
from purport.relatedness.hybrid import Hybrid
from purport.relatedness.lexicon import Lexicon
from purport.relatedness.measure import EventMeasure, attribute_measure
from purport.relatedness.phrases import Phrase, content_words
from purport.relatedness.under_lexicon import WithLexicon
from purport.relatedness.wordnet import WordNet


@dataclass(frozen=True, slots=True)
class PairExplanation:
    """Why two terms score as they do."""

    left_words: Phrase
    right_words: Phrase
    scores: dict[str, float]
    concepts: tuple[SharedConcept, ...]
    paths: tuple[str, ...]
    rules: tuple[str, ...]


def esa_of(measure: object) -> Esa | None:
    """The concepts that a measure rests on, if it does."""
    match measure:
        case Esa():
            return measure
        case Calibrated():
            return measure.words.features.esa
        case Hybrid(esa=Esa() as esa):
            return esa
        case WithLexicon():
            return esa_of(measure.measure)
    return None


def explain_pair(
    settings: MeasureSettings,
    left: str,
    right: str,
    *,
    lexicon: Lexicon | None = None,
    attributes: bool = False,
) -> PairExplanation:
    """Every measure's score of two terms, and what it rests on.

    Left out are measures that rank an event's attributes, where names are compared, those whose
    extra is not installed, and a service that nobody named.
    """
    rules = lexicon or Lexicon()

    def reading(term: str) -> Phrase:
        if attributes:
            return attribute_phrase(term, lexicon)
        return content_words(rules.rewritten(words_of(Text(term))))

    scores = {}
    for name in MEASURES:
        if name == "remote" and settings.url is None:
            continue
        try:
            measure = measure_of(name, settings, lexicon)
        except MissingExtra:
            continue
        if attributes and isinstance(measure, EventMeasure):
            continue
        scores[name] = (attribute_measure(measure) if attributes else measure).score(left, right)
    ours, theirs = reading(left), reading(right)
    plain = [attribute_words(Text(term)).words for term in (left, right)]
    return PairExplanation(
        ours,
        theirs,
        scores,
        tuple(settings.esa().shared_concepts(" ".join(ours), " ".join(theirs))),
        _paths(settings.wordnet(), ours, theirs),
        tuple(map(str, rules.rules_about(*plain, words_of(Text(left)), words_of(Text(right))))),
    )


def _paths(wordnet: WordNet, left: Phrase, right: Phrase) -> tuple[str, ...]:
    """For each word on the left, the shortest path to any on the right, over any synsets."""
    paths = []
    for word in wordnet.merged(left):
        found = [
            path
            for other in wordnet.merged(right)
            for ours in wordnet.senses(word)
            for theirs in wordnet.senses(other)
            if (path := wordnet.path(ours, theirs)) is not None
        ]
        if found:
            paths.append(str(min(found, key=len)))
    return tuple(paths)
