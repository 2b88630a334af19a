"""Tables and streams of a Spark Connect session are matched as any others are."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from purport import parse
from purport.demo.city import City
from purport.pipeline.tables import OUTCOMES
from tests.oracles.in_process import in_process
from tests.pipeline.processes import (
    PATIENCE_SECONDS,
    spark_environment,
    spark_program,
    started,
    told,
)

SUBSCRIPTION = "{type~ = increased energy consumption event, floor~ = ground floor} as energy"

# A process that has a session of the other kind cannot have one of Spark Connect too.
CLIENT = """
import json, sys
from pyspark.sql import SparkSession
from purport import parse
from purport.pipeline import match_outcomes, match_stream

address, events, folder, text = sys.argv[1:]
spark = SparkSession.builder.remote(address).getOrCreate()
found = match_outcomes(spark.readStream.text(events), [parse(text)])
writer = found.writeStream.format("parquet").option("checkpointLocation", f"{folder}/checkpoint")
query = writer.trigger(availableNow=True).start(f"{folder}/found")
query.awaitTermination()
outcomes = spark.read.parquet(f"{folder}/found").collect()
table = spark.createDataFrame([("e1", {"kind": "a"}), ("e2", {"kind": "b"})],
                              "event_id string, statements map<string, string>")
matched = match_stream(table, [parse("{kind = a}")]).collect()
print(json.dumps([type(spark).__module__, outcomes, matched]))
"""


@pytest.fixture
def connect(tmp_path: Path) -> Iterator[str]:
    """The address of a Spark Connect server of two cores."""
    settings = (
        "spark.connect.grpc.binding.address=127.0.0.1",
        "spark.connect.grpc.binding.port=0",
        "spark.ui.enabled=false",
    )
    server = "org.apache.spark.sql.connect.service.SparkConnectServer"
    command = [
        *(spark_program("spark-submit"), "--master", "local[2]", "--class", server),
        *(part for setting in settings for part in ("--conf", setting)),
        "spark-internal",
    ]
    environment = spark_environment(tmp_path) | {"PYSPARK_PYTHON": sys.executable}
    log = tmp_path / "server.log"
    with started(command, environment, log):
        port = told(log, r"Spark Connect server started at: \S+:(\d+)")
        yield f"sc://127.0.0.1:{port}"


def test_a_stream_and_a_table_are_matched_through_spark_connect(
    connect: str, tmp_path: Path
) -> None:
    events = tmp_path / "events"
    City(events=600, seed=7).write_lines(events, files=2)
    expected, refused = in_process(events, [parse(SUBSCRIPTION)])
    program = [sys.executable, "-c", CLIENT, connect, str(events), str(tmp_path), SUBSCRIPTION]

    done = subprocess.run(
        program, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False
    )

    assert done.returncode == 0, done.stderr
    kind, outcomes, matched = json.loads(done.stdout)
    assert kind == "pyspark.sql.connect.session"
    rows = [dict(zip(OUTCOMES.names, row, strict=True)) for row in outcomes]
    found = [row for row in rows if row["reason"] is None]
    assert len(found) == len(expected)
    assert expected == {
        (row["event_id"], row["subscription"], round(row["probability"], 5), tuple(row["mapping"]))
        for row in found
    }
    letters = Counter(row["text"] for row in rows if row["reason"] is not None)
    assert letters == Counter(text for *_, text in refused)
    assert [row[0] for row in matched] == ["e1"]
