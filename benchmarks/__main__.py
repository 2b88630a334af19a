"""Runs every benchmark, or those that are named: `python -m benchmarks parsing visits`."""

import platform
import sys

from benchmarks import (
    approximate_matching,
    archive_matching,
    best_mappings,
    broker,
    class_subscriptions,
    covering,
    event_building,
    event_history,
    exact_matching,
    journal_reading,
    kafka,
    matching_memory,
    mqtt,
    mqtt_bridge,
    mqtt_stream,
    network,
    ontology,
    overlay,
    reading_memory,
    relatedness,
    service,
    space_building,
    sparql_drift,
    sparql_scale,
    sparql_subscriptions,
    starting,
    stream_parts,
    streaming,
    subscription_parsing,
    temporal,
    temporal_stream,
)
from benchmarks.finding import Finding

BENCHMARKS = {
    "parsing": subscription_parsing.findings,
    "events": event_building.findings,
    "visits": exact_matching.findings,
    "approximate": approximate_matching.findings,
    "archive": archive_matching.findings,
    "broker": broker.findings,
    "journal": broker.long_journal,
    "mappings": best_mappings.findings,
    "memory": reading_memory.findings,
    "flat": matching_memory.findings,
    "relatedness": relatedness.findings,
    "starting": starting.findings,
    "spaces": space_building.findings,
    "stream": streaming.findings,
    "parts": stream_parts.findings,
    "journal-reading": journal_reading.findings,
    "kafka": kafka.findings,
    "sparql": sparql_subscriptions.findings,
    "sparql-scale": sparql_scale.findings,
    "sparql-drift": sparql_drift.findings,
    "ontology": ontology.findings,
    "classes": class_subscriptions.findings,
    "covering": covering.findings,
    "history": event_history.findings,
    "temporal": temporal.findings,
    "temporal-long": temporal.long_run,
    "temporal-stream": temporal_stream.findings,
    "service": service.findings,
    "overlay": overlay.findings,
    "mqtt": mqtt.findings,
    "mqtt-bridge": mqtt_bridge.findings,
    "mqtt-stream": mqtt_stream.findings,
    "network": network.findings,
    "network-large": network.large,
    "network-lifetimes": network.lifetimes,
    "long": streaming.long_run,
}


def show(finding: Finding) -> None:
    verdict = "" if finding.is_within is None else "  ok" if finding.is_within else "  MISSED"
    published = f"  (paper: {finding.published})" if finding.published else ""
    bar = f"  (bar: {finding.bar})" if finding.bar else ""
    goal = f"  (goal: {finding.goal})" if finding.goal else ""
    shown = f"  {finding.what:<64} {finding.measured:>14}{published}{bar}{verdict}{goal}"
    print(shown, flush=True)


def main(names: list[str]) -> None:
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        sys.exit(f"no benchmark {', '.join(unknown)}; there are {', '.join(BENCHMARKS)}")
    print(f"Python {platform.python_version()}, {platform.machine()}, {platform.system()}")
    for name in names or BENCHMARKS:
        print(name)
        for finding in BENCHMARKS[name]():
            show(finding)


main(sys.argv[1:])
