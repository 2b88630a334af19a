"""Words reduced to what their forms have in common, in corpora and in questions alike."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from functools import lru_cache

import Stemmer

from purport.model.term import Text
from purport.model.words import words_of

LONGEST_WORD = 40
_WORD = re.compile(r"[^\W_]+")


def stems_of_text(text: str) -> Iterator[str]:
    """The stems of running text, in order; words of one letter or more than forty are left out."""
    for word in _WORD.findall(text.casefold()):
        if 1 < len(word) <= LONGEST_WORD:
            yield stem(word)


def stems_of_term(term: str) -> tuple[str, ...]:
    """The stems of a term such as `increased energy consumption` or `windDirDeg`.

    >>> stems_of_term("parkingSpaces")
    ('park', 'space')
    """
    return tuple(stem(word) for word in words_of(Text(term)) if len(word) <= LONGEST_WORD)


@lru_cache(maxsize=1_000_000)
def stem(word: str) -> str:
    """The stem of a case-folded word, by Porter's algorithm."""
    return str(_thread.stemmer.stemWord(word))


class _ThreadState(threading.local):
    """A stemmer for each thread: it may not be shared."""

    def __init__(self) -> None:
        self.stemmer = Stemmer.Stemmer("porter")


_thread = _ThreadState()
