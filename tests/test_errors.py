"""The tree of errors is drawn as it is."""

import ast
import re
from pathlib import Path

from purport import errors


def test_every_error_stands_in_the_tree() -> None:
    bases = {
        node.name: {ast.unparse(base) for base in node.bases}
        for path in Path(errors.__file__).parent.rglob("*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef)
    }
    found, larger = {"PurportError"}, {"PurportError"}
    while larger:
        larger = {name for name, above in bases.items() if above & found} - found
        found |= larger

    drawn = set(re.findall(r"\b[A-Z]\w+\b", str(errors.__doc__)))
    assert found <= drawn
    assert {name for name in drawn if name in bases or name.endswith("Error")} <= found
