"""What a parser could have used next, in the words of a person."""

from __future__ import annotations

from collections.abc import Iterable

_IN_WORDS = {
    "$END": "the end", "LBRACE": "'{'", "RBRACE": "'}'", "LPAR": "'('", "RPAR": "')'",
    "LSQB": "'['", "RSQB": "']'", "COMMA": "','", "TILDE": "'~'",
    "OPERATOR": "a comparison (= != < <= > >=)", "STRING": "a quoted text", "WORD": "a word",
    "IRI": "an IRI (<...>)", "REFERENCE": "a reference ($name)", "MEASURE": "the name of a measure",
    "NAME": "a name", "NUMBER": "a number", "INTEGER": "a whole number",
    "DURATION": "a duration (such as 10 s; in ms, s, min, h, d or w)",
    "TIME": "a date or time", "MULTIPLICITY": "n:1 or 1:1",
    "AGGREGATE": "mean or harmonic", "EXACTNESS": "required or scored",
    "LANGUAGE": "a language tag", "PREFIX_NAME": "a prefix and ':'",
    "CLASS_RELATION": "'more specific than'",
    "CONTAINS_ALL": "'contains all'", "ALLEN": "one of Allen's relations",
    "FUNCTION": "count, sum, avg, min or max", "BOUND": "min, max or exactly",
    "QUOTED_NAME": "a name ('...')", "TYPED": "'^^' and a datatype",
    "FACET": "a facet (such as length)",
    "AT_MOST_ONCE_PER": "'at most once per'", "ON_CHANGE": "'on change'",
}  # fmt: skip

# Named as one where the whole group is possible: a reader wants "an option", not nine keywords.
_GROUPS = (
    (frozenset({"STRING", "WORD", "IRI", "FUNCTION"}), "a predicate (such as device = laptop)"),
    (frozenset({"STRING", "WORD", "IRI", "REFERENCE"}), "a value"),
    (frozenset({"THRESHOLD", "TOP", "MAPPING", "AGGREGATION", "EXACT", "AS", "EXPIRES",
                "AT_MOST_ONCE_PER", "ON_CHANGE"}), "an option (such as threshold 0.6)"),
    (frozenset({"OPERATOR", "IN", "ISA", "HAS", "CLASS_RELATION", "CONTAINS_ALL", "WITHIN", "AFTER",
                "DURING", "WITH", "ALLEN", "FILTER"}), "a comparison (= != < <= > >= in isa ...)"),
    (frozenset({"PUBLISH", "UPDATE", "POST"}), "publish, update or post"),
    (frozenset({"LBRACE", "WHEN", "EVENT", "NOT", "LPAR"}), "a subscription ({...})"),
    (frozenset({"WORD", "IRI", "QUOTED_NAME", "LBRACE", "NOT", "LPAR", "INVERSE"}),
     "a class (such as wine:RedWine)"),
    (frozenset({"WORD", "IRI", "QUOTED_NAME"}), "a name (such as wine:RedWine)"),
    (frozenset({"LBRACE", "NOT", "LPAR"}), "a pattern ({...})"),
)  # fmt: skip

# Words that count as keywords only before what they need.
_BEFORE = {
    "AFTER": "'{' or '('", "DURING": "'{' or '('", "WITH": "'{'",
    "FILTER": "'('", "IN": "'(' or '['",
}  # fmt: skip


def needed_after(word: str, terminals: Iterable[str]) -> str | None:
    """What has to stand behind a word that could be a keyword here; None if it could not."""
    return _BEFORE.get(word.upper()) if word.upper() in terminals else None


def expectation(terminals: Iterable[str]) -> str:
    """What was expected, e.g. `',' or '}'`."""
    left = set(terminals)
    words = []
    for group, name in _GROUPS:
        if group <= left:
            left -= group
            words.append(name)
    words += sorted(_IN_WORDS.get(terminal, f"'{terminal.lower()}'") for terminal in left)
    listed = " or ".join(words) if len(words) < 3 else ", ".join(words[:-1]) + f" or {words[-1]}"
    return listed or "something else"


def hint(text_before: str, found: str) -> str:
    """A word on what was probably meant, where the mistake is a common one."""
    in_braces, last_words = "{" in text_before, text_before.replace("{", ",").rpartition(",")[2]
    has_colon = any(word.endswith(":") for word in last_words.split()) or found.endswith("':'")
    if in_braces and has_colon:
        return " (an attribute and its value are joined by '=', not ':')"
    if in_braces and found == "found '{'":
        return (
            " (braces follow after, during, with, filter (...) and Allen's relations: before ...)"
        )
    return ""
