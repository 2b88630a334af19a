"""What a text would have fetched from elsewhere: nothing may be, unless it is allowed.

Whether a word is part of a comment or of an IRI is for the store's parser to say. So these look at
the bare text: what only might be such a request is taken for one.
"""

from __future__ import annotations

import re

from purport.sparql.errors import NotAllowed

_BETWEEN = r"(?:\s|#[^\n\r]*[\n\r])*"
_SERVICE = re.compile(
    rf"\bSERVICE\b{_BETWEEN}(?:SILENT\b{_BETWEEN})?(?:<|[?$]\w|[\w.\-]*:)", re.IGNORECASE
)
_LOAD = re.compile(rf"\bLOAD\b{_BETWEEN}(?:SILENT\b{_BETWEEN})?(?:<|[\w.\-]*:)", re.IGNORECASE)


def refuse_services(text: str) -> None:
    """Raise `NotAllowed` if a text asks another service, be it in a comment."""
    if "service" in text.lower() and _SERVICE.search(text):
        raise NotAllowed("SERVICE is not allowed here, and neither is what looks like it")


def may_load(text: str) -> bool:
    """Whether running a text might load a document."""
    return "load" in text.lower() and _LOAD.search(text) is not None
