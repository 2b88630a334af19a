"""How long does a fresh process take until it has matched its first event by meaning?"""

import subprocess
import sys
from collections.abc import Iterator

from benchmarks.finding import Finding, at_most, quickest_seconds
from purport.relatedness.catalogue import defaults_are_made

_PROGRAM = """
from purport import Event, Matcher, parse
matcher = Matcher([parse("{device~ = laptop~, floor = ground floor}")])
assert matcher.match(Event.from_json({"apparatus": "computer", "floor": "ground floor"}))
"""


def findings() -> Iterator[Finding]:
    if not defaults_are_made():
        yield Finding("the default space is not there: make space", "-")
        return
    nothing = quickest_seconds(lambda: _run("pass"))
    first = quickest_seconds(lambda: _run(_PROGRAM)) - nothing
    yield at_most("seconds to the first match, beside Python's own start", first, 1)


def _run(program: str) -> None:
    subprocess.run([sys.executable, "-c", program], check=True)
