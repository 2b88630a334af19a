"""`purport concepts`: build concept spaces, and look at them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from purport.cli.json_lines import print_json
from purport.cli.on_spark import on_spark
from purport.cli.options import AsJson, AttributesOption, LexiconOption, SpaceOption
from purport.cli.terms import require_readable, terms_in
from purport.errors import InvalidInput
from purport.plots import reliability, require_picture
from purport.relatedness.array_store import StoreError
from purport.relatedness.catalogue import (
    MeasureSettings,
    default_space_is_made,
    load_measure,
    wordnet_is_made,
)
from purport.relatedness.concept_space import (
    SPACES,
    ConceptSpace,
    default_space_folder,
    spaces_folder,
)
from purport.relatedness.measure import EventMeasure, attribute_measure
from purport.relatedness.score_table import ScoreTable
from purport.relatedness.word_features import WordFeatures
from purport.relatedness.wordnet import wordnet_folder
from purport.writable import require_file

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SPARK = "purport concepts"

concepts = typer.Typer(help="Build concept spaces, and look at them.", rich_markup_mode=None)


@concepts.command()
def build(
    corpora: Annotated[
        list[Path],
        typer.Argument(metavar="CORPUS", help="Corpora; their kind is told by names."),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where the space goes.")
    ],
    concepts_per_word: Annotated[
        int, typer.Option(min=1, metavar="N", help="The strongest concepts that a word keeps.")
    ] = 1000,
    as_json: AsJson = False,
) -> None:
    """Turn corpora into a concept space, on Spark.

    A corpus is a Wikipedia dump (.xml, .xml.bz2), JSON lines with title and text (.jsonl, .gz too),
    a folder of texts or of WikiExtractor's output, a dictionary of dictd (its .index file), or a
    folder with WordNet's data files. Several make one space.

    \b
    Example: purport concepts build wiki.jsonl.gz wordnet/dict -o my-space
    """
    import purport.pipeline  # noqa: F401 - says that the extra is missing, if it is
    from purport.pipeline.concept_index import IndexParameters
    from purport.pipeline.corpora.corpus import Corpus
    from purport.pipeline.jobs.build_space import BuildSpace

    parameters = IndexParameters(concepts_per_word=concepts_per_word)
    job = BuildSpace([Corpus.at(path) for path in corpora], output, parameters)
    SPACES.require_place(output)
    _show(on_spark(_SPARK, job.run), as_json)


@concepts.command()
def default(
    again: Annotated[bool, typer.Option("--again", help="Make it anew if it is there.")] = False,
    as_json: AsJson = False,
) -> None:
    """Make the default space and WordNet, from text that comes with packages, once.

    \b
    Example: purport concepts default
    """
    import purport.pipeline  # noqa: F401 - says that the extra is missing, if it is
    from purport.pipeline.jobs.default_space import build_default_space, build_default_wordnet

    folder = default_space_folder()
    if again or not default_space_is_made():
        on_spark(_SPARK, lambda spark, tell: build_default_space(spark, folder, tell))
    if again or not wordnet_is_made():
        build_default_wordnet(wordnet_folder())
    _show(ConceptSpace.open(folder), as_json)


@concepts.command()
def count(
    corpora: Annotated[
        list[Path],
        typer.Argument(metavar="CORPUS", help="Corpora, as `build` takes them."),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Where the counts go.")
    ],
    as_json: AsJson = False,
) -> None:
    """Count how often WordNet's meanings are met in corpora, on Spark.

    The file is of the published form, and says how specific a meaning is (information content):
    `purport relate --measure wordnet --counts FILE`.

    \b
    Example: purport concepts count wiki.jsonl.gz -o counts.txt
    """
    import purport.pipeline  # noqa: F401 - says that the extra is missing, if it is
    from purport.pipeline.corpora.corpus import Corpus
    from purport.pipeline.jobs.count_synsets import CountSynsets

    every = [Corpus.at(path) for path in corpora]
    require_file(output)
    on_spark(_SPARK, CountSynsets(every, MeasureSettings().wordnet(), output).run)
    if as_json:
        print_json({"counts": str(output)})
    else:
        sys.stdout.write(f"counts in {output}\n")


@concepts.command()
def tabulate(
    asked: Annotated[Path, typer.Argument(metavar="ASKED", help="Terms asked for, one a line.")],
    given: Annotated[Path, typer.Argument(metavar="GIVEN", help="Terms of events, one a line.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where the scores are kept.")
    ],
    measure: Annotated[
        str, typer.Option("--measure", "-m", metavar="NAME", help="Which measure.")
    ] = "calibrated",
    attributes: AttributesOption = False,
    space: SpaceOption = None,
    lexicon: LexiconOption = None,
    as_json: AsJson = False,
) -> None:
    """Score a vocabulary beforehand, on Spark, and keep the scores; run again, it adds new terms.

    \b
    Example: purport concepts tabulate subscribed.txt seen.txt -o scores
    """
    import purport.pipeline  # noqa: F401 - says that the extra is missing, if it is
    from purport.pipeline.jobs.tabulate_scores import TabulateScores
    from purport.pipeline.session import spark_pattern

    chosen = load_measure(measure, space=space, lexicon=lexicon)
    if isinstance(chosen, EventMeasure):
        raise InvalidInput(f"{measure} ranks an event's attributes: its scores cannot be kept")
    terms = terms_in(asked)
    require_readable(given)
    table = ScoreTable(attribute_measure(chosen) if attributes else chosen, output)

    def added(spark: SparkSession, tell: Callable[[str], None]) -> int:
        tell("scoring terms")
        lines = spark.read.text(spark_pattern(given))
        stripped = lines.selectExpr(r"regexp_replace(value, '^\\s+|\\s+$', '') AS term")
        return TabulateScores(table, terms).run(spark, stripped.where("term != ''"))

    new = on_spark(_SPARK, added)
    rows, columns = table.size
    if as_json:
        told = {"added": new, "asked": rows, "given": columns, "folder": str(output)}
        print_json(told)
        return
    sys.stdout.write(f"{new:,} terms added; {rows:,} x {columns:,} scores in {output}\n")


@concepts.command()
def calibrate(
    pairs: Annotated[
        list[Path],
        typer.Argument(metavar="PAIRS", help="Files with a word, a word and a rating a line."),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Where the parameters go.")
    ],
    picture: Annotated[
        Path | None,
        typer.Option(
            "--picture", metavar="FILE", help="Draw the reliability here (.png, .svg, .pdf)."
        ),
    ] = None,
    space: SpaceOption = None,
    folds: Annotated[
        int, typer.Option(min=2, metavar="N", help="In how many parts pairs are left out.")
    ] = 20,
    background: Annotated[
        int,
        typer.Option(min=0, metavar="N", help="How many pairs drawn at random count as unrelated."),
    ] = 1000,
    as_json: AsJson = False,
) -> None:
    """Fit the calibrated measure to human ratings; what is reported are pairs left out.

    \b
    Example: purport concepts calibrate ratings.txt -o calibration.json --picture reliability.png
    """
    from purport.relatedness.fitting import RatedPairs
    from purport.relatedness.fitting import calibrate as fitted  # it loads much of SciPy

    if picture is not None:
        require_picture(picture)
    require_file(output)
    files = [RatedPairs.read(path) for path in pairs]
    settings = MeasureSettings(space)
    features = WordFeatures(settings.esa(), settings.wordnet())
    report = fitted(features, files, folds=folds, background=background)
    report.calibration.write(output)
    if picture is not None:
        bins = [(one.predicted, one.rated, one.pairs) for one in report.reliability]
        left_out = sum(one.pairs for one in report.reliability)
        reliability(picture, bins, f"{left_out:,} pairs left out")
    if as_json:
        print_json(report)
        return
    for agreement in report.agreements:
        sys.stdout.write(
            f"{agreement.name}: {agreement.pairs} pairs, Spearman {agreement.calibrated:.3f} "
            f"when left out (esa {agreement.esa:.3f})\n"
        )
    for step in report.reliability:
        sys.stdout.write(
            f"  predicted {step.predicted:.2f}  rated {step.rated:.2f}  {step.pairs:5} pairs\n"
        )
    sys.stdout.write(f"parameters in {output}\n")


@concepts.command("list")
def list_spaces(
    as_json: AsJson = False,
) -> None:
    """List the spaces in the user's cache.

    \b
    Example: purport concepts list
    """
    folder = spaces_folder()
    for space in sorted(folder.iterdir()) if folder.is_dir() else ():
        if space.is_dir() and not space.name.startswith("."):
            try:
                _show(ConceptSpace.open(space), as_json)
            except StoreError as error:
                sys.stderr.write(f"left out: {error}\n")


@concepts.command()
def info(
    space: Annotated[Path, typer.Argument(metavar="SPACE", help="The folder of a space.")],
    verify: Annotated[bool, typer.Option("--verify", help="Compare with the checksums.")] = False,
    as_json: AsJson = False,
) -> None:
    """Say what a concept space is made of.

    \b
    Example: purport concepts info my-space --verify
    """
    opened = ConceptSpace.open(space)
    if verify:
        opened.verify()
    _show(opened, as_json)


def _show(space: ConceptSpace, as_json: bool) -> None:
    manifest = space.manifest
    if as_json:
        print_json(manifest)
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
