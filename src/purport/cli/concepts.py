"""`purport concepts`: build concept spaces, and look at them."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer
from rich.console import Console

from purport.errors import UnusablePath
from purport.relatedness.concept_space import (
    ConceptSpace,
    default_space_folder,
    spaces_folder,
)
from purport.relatedness.wordnet import wordnet_folder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

concepts = typer.Typer(help="Build concept spaces, and look at them.", rich_markup_mode=None)


@concepts.command()
def build(
    corpora: Annotated[
        list[Path],
        typer.Argument(metavar="CORPUS...", help="Corpora; their kind is told by names."),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder of the space.")],
    concepts_per_word: Annotated[
        int, typer.Option(min=1, help="The strongest concepts that a word keeps.")
    ] = 1000,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON lines.")] = False,
) -> None:
    """Turn corpora into a concept space, on Spark.

    A corpus is a Wikipedia dump (.xml, .xml.bz2), JSON lines with title and text (.jsonl, .gz too),
    a folder of texts or of WikiExtractor's output, a dictionary of dictd (its .index file), or a
    folder with WordNet's data files. Several make one space.

    Example: purport concepts build wiki.jsonl.gz wordnet/dict -o my-space
    """
    import purport.pipeline  # noqa: F401 - says that the extra is missing, if it is
    from purport.pipeline.concept_index import IndexParameters
    from purport.pipeline.corpora.corpus import Corpus
    from purport.pipeline.jobs.build_space import BuildSpace

    if output.exists() and not output.is_dir():
        raise UnusablePath(output, "not a folder")
    parameters = IndexParameters(concepts_per_word=concepts_per_word)
    job = BuildSpace([Corpus.at(path) for path in corpora], output, parameters)
    _show(_on_spark(job.run), as_json)


@concepts.command()
def default(
    again: Annotated[bool, typer.Option("--again", help="Make it anew if it is there.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON lines.")] = False,
) -> None:
    """Make the default space and WordNet, from text that comes with packages, once.

    Example: purport concepts default
    """
    import purport.pipeline  # noqa: F401 - says that the extra is missing, if it is
    from purport.pipeline.jobs.default_space import build_default_space, build_default_wordnet

    folder = default_space_folder()
    if again or not folder.is_dir():
        _on_spark(lambda spark, tell: build_default_space(spark, folder, tell))
    if again or not wordnet_folder().is_dir():
        build_default_wordnet(wordnet_folder())
    _show(ConceptSpace.open(folder), as_json)


@concepts.command("list")
def list_spaces(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON lines.")] = False,
) -> None:
    """List the spaces in the user's cache.

    Example: purport concepts list
    """
    folder = spaces_folder()
    for space in sorted(folder.iterdir()) if folder.is_dir() else ():
        if not space.name.startswith("."):
            _show(ConceptSpace.open(space), as_json)


@concepts.command()
def info(
    space: Annotated[Path, typer.Argument(metavar="SPACE", help="The folder of a space.")],
    verify: Annotated[bool, typer.Option("--verify", help="Compare with the checksums.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON lines.")] = False,
) -> None:
    """Say what a concept space is made of.

    Example: purport concepts info my-space --verify
    """
    opened = ConceptSpace.open(space)
    if verify:
        opened.verify()
    _show(opened, as_json)


def _on_spark(
    build: Callable[[SparkSession, Callable[[str], None]], ConceptSpace],
) -> ConceptSpace:
    """What a job builds on a session of its own, its steps shown as it goes."""
    from purport.pipeline.session import local_session

    started = time.perf_counter()
    console = Console(stderr=True, highlight=False)
    with console.status("starting Spark on this machine ...") as status:
        spark = local_session("purport concepts")
        try:
            space = build(spark, lambda step: status.update(f"{step} ..."))
        finally:
            spark.stop()
    console.print(f"built in {time.perf_counter() - started:.0f} s")
    return space


def _show(space: ConceptSpace, as_json: bool) -> None:
    manifest = space.manifest
    if as_json:
        sys.stdout.write(msgspec.json.encode(manifest).decode() + "\n")
        return
    size = sum(path.stat().st_size for path in space.folder.iterdir())
    lines = [
        f"{manifest.name}: {manifest.words:,} words over {manifest.concepts:,} concepts, "
        f"{size / 1e6:.1f} MB",
        *(
            f"  {source.name}: {source.kind}, {source.documents:,} documents, "
            f"licence {source.licence}"
            for source in manifest.sources
        ),
    ]
    sys.stdout.write("\n".join(lines) + "\n")
