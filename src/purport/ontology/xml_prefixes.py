"""The prefixes that the root element of an RDF/XML file declares."""

from __future__ import annotations

import re

_ENTITY = re.compile(r"""<!ENTITY\s+([\w.-]+)\s+(?:"([^"]*)"|'([^']*)')\s*>""")
_ROOT = re.compile(r"<(?![?!])[^>]*>")
_DECLARED = re.compile(r"""\sxmlns(?::([\w.-]+))?\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_REFERENCE = re.compile(r"&([\w.-]+);")


def xml_prefixes(text: str) -> dict[str, str]:
    """Prefixes and namespaces, with the entities of the document spelt out.

    >>> xml_prefixes('<!ENTITY o "http://x.org/o#"> <r:RDF xmlns="&o;" xmlns:r="http://y.org/">')
    {'': 'http://x.org/o#', 'r': 'http://y.org/'}
    """
    entities = {name: first or second for name, first, second in _ENTITY.findall(text)}
    root = _ROOT.search(_without_prologue(text))
    if root is None:
        return {}
    return {
        prefix: _REFERENCE.sub(lambda found: entities.get(found[1], found[0]), first or second)
        for prefix, first, second in _DECLARED.findall(root[0])
    }


def _without_prologue(text: str) -> str:
    return re.sub(r"<!ENTITY[^>]*>|<!--.*?-->", "", text, flags=re.DOTALL)
