"""What makes two terms related: the concepts they share, their path in WordNet, every score."""

from __future__ import annotations

from dataclasses import dataclass

from purport.errors import PurportError
from purport.relatedness.attribute_names import attribute_phrase
from purport.relatedness.catalogue import MEASURES, MeasureSettings, measure_of
from purport.relatedness.esa import SharedConcept
from purport.relatedness.lexicon import Lexicon
from purport.relatedness.measure import attribute_measure
from purport.relatedness.phrases import Phrase, value_phrase
from purport.relatedness.wordnet import WordNet


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why two terms score as they do."""

    left_words: Phrase
    right_words: Phrase
    scores: dict[str, float]
    concepts: tuple[SharedConcept, ...]
    paths: tuple[str, ...]
    rules: tuple[str, ...]


def explain_pair(
    settings: MeasureSettings,
    left: str,
    right: str,
    *,
    lexicon: Lexicon | None = None,
    attributes: bool = False,
) -> Explanation:
    """Every measure's score of two terms, and what it rests on; measures that fail are left out."""
    rules = lexicon or Lexicon()
    phrase_of = attribute_phrase if attributes else value_phrase
    ours, theirs = (rules.rewritten(phrase_of(term)) for term in (left, right))
    scores = {}
    for name in MEASURES:
        try:
            measure = measure_of(name, settings, lexicon)
            measure = attribute_measure(measure) if attributes else measure
            scores[name] = measure.score(left, right)
        except PurportError:  # an extra that is not installed, a service that nobody named
            continue
    shared = settings.esa().shared_concepts(" ".join(ours), " ".join(theirs))
    return Explanation(
        ours,
        theirs,
        scores,
        tuple(shared),
        _paths(settings.wordnet(), ours, theirs),
        tuple(str(rule) for rule in rules.rules_about(left, right)),
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
