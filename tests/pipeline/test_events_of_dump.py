"""An RDF dump becomes events: what Spark makes of it is what dictionaries make of it."""

import bz2
import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from purport import Matcher, parse
from purport.errors import InvalidInput, UnusablePath
from purport.model.event_lines import DeadLetter, events_in_file
from purport.pipeline.dump.lines import DumpLines
from purport.pipeline.dump.rdf_dump import RdfDump
from purport.pipeline.file_parts import PART_BYTES
from purport.pipeline.jobs.events_of_dump import DumpSummary, EventsOfDump
from purport.pipeline.matches import match_stream
from purport.pipeline.session import spark_address
from tests.oracles.dump_events import canonical, events_of

FINAL = "http://dbpedia.org/resource/2010_FIFA_World_Cup_Final"
DUMP = """\
# Facts about a football match, in the manner of DBpedia.
<@> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://dbpedia.org/ontology/FootballMatch> .
<@> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://dbpedia.org/ontology/Event> .
<@> <http://dbpedia.org/property/team> <http://dbpedia.org/resource/Spain_national_football_team> .
<@> <http://dbpedia.org/ontology/team> <http://dbpedia.org/resource/Spain_national_football_team> .
<@> <http://dbpedia.org/ontology/team> <http://dbpedia.org/resource/Netherlands_national_team> .
<@> <http://dbpedia.org/property/stadiums> <http://dbpedia.org/resource/FNB_Stadium> .
<@> <http://purl.org/dc/terms/subject> <http://dbpedia.org/resource/Category:2010_in_sports> .
<@> <http://dbpedia.org/ontology/attendance> "84490"^^<http://www.w3.org/2001/XMLSchema#integer> .
<@> <http://dbpedia.org/ontology/startDate> "2010-07-11"^^<http://www.w3.org/2001/XMLSchema#date> .
<@> <http://dbpedia.org/ontology/extraTime> "true"^^<http://www.w3.org/2001/XMLSchema#boolean> .
<@> <http://dbpedia.org/ontology/temperature> "14.0"^^<http://dbpedia.org/datatype/degreeCelsius> .
<@> <http://dbpedia.org/ontology/pitchLength> "105.0"^^<http://dbpedia.org/datatype/metre> .
<@> <http://www.w3.org/2000/01/rdf-schema#label> "2010 World Cup final"@en .
<@> <http://www.w3.org/2000/01/rdf-schema#label> "Final of 2010"@en-GB .
<@> <http://www.w3.org/2000/01/rdf-schema#label> "Endspiel von 2010"@de .
<@> <http://www.w3.org/2000/01/rdf-schema#comment> "One goal, after 116 minutes." .
""".replace("<@>", f"<{FINAL}>")


def run(spark: SparkSession, dump: Path, **options: Any) -> tuple[DumpSummary, list[str]]:
    """What became of a dump, and the lines of the events."""
    output = dump.parent / "output"
    summary = EventsOfDump(RdfDump.at(dump), output, **options).run(spark)
    files = sorted((output / "events").iterdir())
    texts = [(path.suffix, path.read_bytes()) for path in files]
    plain = [gzip.decompress(text) if suffix == ".gz" else text for suffix, text in texts]
    lines = b"".join(plain).decode().splitlines(keepends=True)
    assert not [path for path in output.parent.iterdir() if path.name.startswith(".")]
    return summary, lines


def letters(spark: SparkSession, dump: Path) -> set[tuple[str, int, str]]:
    rows = spark.read.parquet(spark_address(dump.parent / "output" / "dead_letters")).collect()
    return {(row.source, row.offset, row.text) for row in rows}


def test_a_subject_becomes_an_event_in_plain_words(spark: SparkSession, tmp_path: Path) -> None:
    dump = tmp_path / "dump.nt"
    dump.write_text(DUMP)

    summary, lines = run(spark, dump)

    assert [json.loads(line) for line in lines] == [
        {
            "@id": FINAL,
            "attendance": 84490,
            "comment": "One goal, after 116 minutes.",
            "extra time": True,
            "label": ["2010 World Cup final", "Final of 2010"],
            "pitch length": "105.0 metre",
            "stadium": "FNB Stadium",
            "start date": "2010-07-11",
            "subject": "2010 in sport",
            "team": ["Netherlands national team", "Spain national football team"],
            "temperature": "14.0 degree celsius",
            "type": ["Event", "Football Match"],
        }
    ]
    assert (summary.triples, summary.events, summary.statements) == (16, 1, 14)
    assert (summary.in_other_languages, summary.dead_letters) == (1, 0)


def test_the_example_of_the_guide_is_true(spark: SparkSession, tmp_path: Path) -> None:
    guide = (Path(__file__).parents[2] / "docs" / "guides" / "events.md").read_text()
    triples, event = (
        guide.partition(f"```{language}\n")[2].partition("```")[0]
        for language in ("ntriples", "json")
    )
    dump = tmp_path / "dump.nt"
    dump.write_text(triples)

    _, (line,) = run(spark, dump)

    assert json.loads(line) == json.loads(event)


def test_the_events_are_read_by_the_matcher_and_by_a_stream(
    spark: SparkSession, tmp_path: Path
) -> None:
    dump = tmp_path / "dump.nt"
    dump.write_text(DUMP)
    run(spark, dump, is_compressed=True)
    folder = tmp_path / "output" / "events"
    asked = "{type = football match, team = Spain national football team, stadium = FNB stadium}"

    (event,) = events_in_file(folder / "events-00000.jsonl.gz")

    assert not isinstance(event, DeadLetter)
    assert Matcher([parse(asked)]).match(event)
    (found,) = match_stream(spark.read.text(spark_address(folder)), [parse(asked)]).collect()
    assert found.event_id == event.id


def test_a_line_that_is_no_triple_is_a_dead_letter(spark: SparkSession, tmp_path: Path) -> None:
    dump = tmp_path / "dump.nt"
    good = b"<urn:x:a> <urn:x:p> <urn:x:b> ."
    bad = [
        b"<urn:x:a> <urn:x:p>",
        b"<urn:x:a> <urn:x:p> <b> .",
        b'<urn:x:a> <urn:x:p> "\xff" .',
        b"<urn:x:a> <urn:x:p> <urn:x:b> <urn:x:graph> .",
        b"<urn:x:a> <urn:x:p> <<( <urn:x:a> <urn:x:p> <urn:x:b> )>> .",
    ]
    dump.write_bytes(b"\xef\xbb\xbf" + b"\n".join([good, *bad, b"", b"# nothing", good + b"\r"]))

    summary, lines = run(spark, dump)

    assert [json.loads(line) for line in lines] == [{"@id": "urn:x:a", "p": "b"}]
    assert (summary.triples, summary.events, summary.dead_letters) == (2, 1, 5)
    assert letters(spark, dump) == {
        ("dump.nt", number, line.decode("utf-8", "backslashreplace"))
        for number, line in enumerate(bad, 2)
    }
    assert summary.first_dead_letters[0].reason == ("not a triple: Unexpected end (column 20)")


def test_a_bad_line_is_found_among_many() -> None:
    good = b"<urn:x:a> <urn:x:p> <urn:x:b> ."
    lines = [good] * 1000
    lines[417] = lines[999] = b"bad"

    read = DumpLines("dump.nt")
    found = [*read.read(lines), *read.read([good, b"worse"])]

    refused = [one for one in found if isinstance(one, DeadLetter)]
    assert [(one.line, one.text) for one in refused] == [
        (418, "bad"),
        (1000, "bad"),
        (1002, "worse"),
    ]
    assert len(found) == 1002


def test_an_id_is_replaced_by_its_english_name(spark: SparkSession, tmp_path: Path) -> None:
    dump = tmp_path / "dump.nt"
    ns = "http://rdf.freebase.com/ns/"
    dump.write_text(f"""\
<{ns}m.01>	<{ns}location.location.containedby>	<{ns}m.02>	.
<{ns}m.01>	<{ns}location.location.containedby>	<{ns}m.03>	.
<{ns}m.01>	<{ns}location.location.people_born_here>	<http://www.freebase.com/m/04>	.
<{ns}m.01>	<{ns}type.object.type>	<{ns}location.citytown>	.
<{ns}m.02>	<{ns}type.object.name>	"South Africa"@en	.
<{ns}m.02>	<http://www.w3.org/2000/01/rdf-schema#label>	"RSA"@en	.
<{ns}m.02>	<{ns}type.object.name>	"Sudafrica"@it	.
<{ns}m.02>	<{ns}type.object.name>	"Republic of South Africa"@en-GB	.
<{ns}m.03>	<{ns}type.object.name>	"Gauteng"@zu	.
<{ns}m.04>	<http://www.w3.org/2000/01/rdf-schema#label>	"Someone"@en	.
""")

    summary, lines = run(spark, dump)

    assert [json.loads(line) for line in lines] == [
        {
            "@id": f"{ns}m.01",
            "containedby": "South Africa",
            "person born here": "Someone",
            "type": "citytown",
        },
        {"@id": f"{ns}m.02", "label": "RSA", "name": ["Republic of South Africa", "South Africa"]},
        {"@id": f"{ns}m.04", "label": "Someone"},
    ]
    assert (summary.unnamed, summary.in_other_languages) == (1, 2)


def test_blank_nodes_are_nested_where_one_statement_leads_to_them(
    spark: SparkSession, tmp_path: Path
) -> None:
    dump = tmp_path / "dump"
    dump.mkdir()
    (dump / "a.nt").write_text("""\
<urn:x:match> <urn:x:goal> _:g1 .
<urn:x:match> <urn:x:goal> _:g2 .
<urn:x:match> <urn:x:referee> _:shared .
<urn:x:other> <urn:x:referee> _:shared .
<urn:x:other> <urn:x:day> "Sunday" .
_:g1 <urn:x:minute> "12"^^<http://www.w3.org/2001/XMLSchema#integer> .
_:g1 <urn:x:scorer> _:s .
_:s <urn:x:name> "Ada" .
_:shared <urn:x:name> "Howard" .
_:alone <urn:x:name> "Nobody" .
""")
    (dump / "b.nt").write_text('_:g2 <urn:x:minute> "another file, another node" .\n')

    _, lines = run(spark, dump)

    assert sorted(lines) == [
        '{"@id":"urn:x:match","goal":{"minute":12,"scorer":{"name":"Ada"}}}\n',
        '{"@id":"urn:x:other","day":"Sunday"}\n',
        '{"minute":"another file, another node"}\n',
        '{"name":"Howard"}\n',
        '{"name":"Nobody"}\n',
    ]


def test_a_subject_with_too_many_statements_is_set_aside(
    spark: SparkSession, tmp_path: Path
) -> None:
    dump = tmp_path / "dump.nt"
    dump.write_text(
        "".join(f"<urn:x:big> <urn:x:member> <urn:x:number{n % 25}> .\n" for n in range(60_000))
        + "".join(f"<urn:x:small> <urn:x:member> <urn:x:number{n % 24}> .\n" for n in range(500))
    )

    summary, lines = run(spark, dump, most_statements=24)

    assert [json.loads(line)["@id"] for line in lines] == ["urn:x:small"]
    assert letters(spark, dump) == {("dump.nt", 0, "urn:x:big")}
    assert summary.first_dead_letters[0].reason == (
        "an event has at most 24 statements, this subject has more"
    )


def test_only_subjects_of_a_kind_become_events_when_it_is_asked_for(
    spark: SparkSession, tmp_path: Path
) -> None:
    dump = tmp_path / "dump.nt"
    dump.write_text(
        DUMP + "<urn:x:stadium> <urn:x:city> <urn:x:Johannesburg> .\n"
        "<urn:x:song> <http://rdf.freebase.com/ns/type.object.type> <urn:x:Song> .\n"
        "<urn:x:album> <urn:x:track> _:t .\n"
        "_:t <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <urn:x:Song> .\n"
    )
    kinds = frozenset({"http://dbpedia.org/ontology/Event", "urn:x:Song"})

    _, lines = run(spark, dump, kinds=kinds)

    assert [json.loads(line)["@id"] for line in lines] == [FINAL, "urn:x:song"]


def test_compressed_files_and_quads_are_read_from_folders(
    spark: SparkSession, tmp_path: Path
) -> None:
    dump = tmp_path / "dump [1]"
    (dump / "part é").mkdir(parents=True)
    (dump / "a.nt.gz").write_bytes(gzip.compress(b"<urn:x:a> <urn:x:p> <urn:x:1> .\nbad\n"))
    (dump / "b.nt.bz2").write_bytes(bz2.compress(b"<urn:x:a> <urn:x:p> <urn:x:2> .\n"))
    (dump / "part é" / "c.nq").write_bytes(b"<urn:x:a> <urn:x:p> <urn:x:3> <urn:x:graph> .\n")
    (dump / "readme.txt").write_bytes(b"not part of it")

    summary, lines = run(spark, dump)

    assert lines == ['{"@id":"urn:x:a","p":["1","2","3"]}\n']
    assert (summary.triples, summary.dead_letters) == (3, 1)
    assert letters(spark, dump) == {("a.nt.gz", 2, "bad")}


def test_a_file_longer_than_a_part_is_read_once_and_whole(
    spark: SparkSession, tmp_path: Path
) -> None:
    dump = tmp_path / "dump.nt"
    filler = "".join(f"<urn:x:a{n}> <urn:x:p> <urn:x:b> .\n" for n in range(2000))
    dump.write_text(f"<urn:x:first> <urn:x:leads_to> _:b .\n{filler}_:b <urn:x:p> <urn:x:c> .\nbad")
    spark.conf.set("spark.sql.files.maxPartitionBytes", 16_384)
    try:
        summary, lines = run(spark, dump)
    finally:
        spark.conf.set("spark.sql.files.maxPartitionBytes", PART_BYTES)

    assert (summary.triples, summary.events) == (2002, 2001)
    assert '{"@id":"urn:x:first","lead to":{"p":"c"}}\n' in lines
    assert [letter.source for letter in summary.first_dead_letters] == ["dump.nt@65536"]


IRIS = ["urn:x:a", "urn:x:things", "http://rdf.freebase.com/ns/m.01", "urn:x:Los_Angeles"]
PREDICATES = [
    "urn:x:p",
    "urn:x:homeTeams",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#type",
    "http://rdf.freebase.com/ns/type.object.name",
    "http://www.w3.org/2000/01/rdf-schema#label",
]
LITERALS = [
    '"x"', '"X"@en', '"é"@en-GB', '"y"@fr', '"1"^^<http://www.w3.org/2001/XMLSchema#integer>',
    '"1"', '"1.0"^^<http://www.w3.org/2001/XMLSchema#double>', '"a\\nb\\"c\\u0000"',
    '"true"^^<http://www.w3.org/2001/XMLSchema#boolean>',
]  # fmt: skip
blanks = st.integers(0, 7).map(lambda number: f"_:b{number}")
nodes = st.one_of(st.sampled_from(IRIS).map(lambda iri: f"<{iri}>"), blanks, blanks)
triples = st.builds(
    lambda subject, predicate, told: f"{subject} <{predicate}> {told} .".encode(),
    nodes,
    st.sampled_from(PREDICATES),
    st.one_of(nodes, st.sampled_from(LITERALS)),
)
dump_lines = st.one_of(*[triples] * 9, st.sampled_from([b"", b"# x", b"bad", b'<urn:x:a> "x" .']))


@settings(
    max_examples=5,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(st.lists(dump_lines, min_size=10, max_size=50), min_size=1, max_size=2))
def test_any_dump_gives_what_dictionaries_give(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory, files: list[list[bytes]]
) -> None:
    dump = tmp_path_factory.mktemp("any") / "dump"
    dump.mkdir()
    triple = b"<urn:x:always> <urn:x:p> <urn:x:there> ."
    content = {f"{number}.nt": [triple, *lines] for number, lines in enumerate(files)}
    for name, said in content.items():
        (dump / name).write_bytes(b"\n".join(said))

    expected = events_of(content)
    _, lines = run(spark, dump)

    assert sorted(canonical(json.loads(line)) for line in lines) == expected.events
    refused = letters(spark, dump)
    assert {(source, line) for source, line, _ in refused if line} == expected.bad_lines
    assert {text for _, line, text in refused if not line} == expected.lost


def test_the_same_dump_gives_the_same_text(spark: SparkSession, tmp_path: Path) -> None:
    first, second = tmp_path / "1" / "dump.nt", tmp_path / "2" / "dump.nt"
    for path in (first, second):
        path.parent.mkdir()
    first.write_text(DUMP)
    second.write_text("\n".join(reversed(DUMP.splitlines())))

    assert run(spark, first)[1] == run(spark, second)[1]


def test_a_dump_that_is_not_one_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    dump = tmp_path / "dump.nt"
    empty = tmp_path / "empty"
    dump.write_text("neither\nnor\n")
    empty.mkdir()

    with pytest.raises(InvalidInput, match="no line of it is a triple"):
        EventsOfDump(RdfDump.at(dump), tmp_path / "output").run(spark)
    with pytest.raises(UnusablePath, match=r"no file in it ends in \.nt"):
        RdfDump.at(empty)
    with pytest.raises(UnusablePath, match="missing: No such file"):
        RdfDump.at(tmp_path / "missing")

    assert not (tmp_path / "output").exists()


def test_an_archive_that_breaks_off_is_named(spark: SparkSession, tmp_path: Path) -> None:
    dump = tmp_path / "broken.nt.gz"
    dump.write_bytes(gzip.compress(os.urandom(5000))[:3000])

    with pytest.raises(InvalidInput, match=r"broken\.nt\.gz cannot be read"):
        EventsOfDump(RdfDump.at(dump), tmp_path / "output").run(spark)

    assert [path.name for path in tmp_path.iterdir()] == ["broken.nt.gz"]


def test_what_is_there_already_is_not_overwritten(spark: SparkSession, tmp_path: Path) -> None:
    dump = tmp_path / "dump.nt"
    dump.write_text(DUMP)
    (tmp_path / "output").mkdir()
    job = EventsOfDump(RdfDump.at(dump), tmp_path / "output")
    job.run(spark)

    with pytest.raises(UnusablePath, match="expected an empty folder, or none"):
        job.run(spark)
    with pytest.raises(UnusablePath, match="is not a folder"):
        EventsOfDump(RdfDump.at(dump), dump / "below").run(spark)
