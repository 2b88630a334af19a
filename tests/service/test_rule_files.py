"""Files of subscriptions and rules: whose they are, and that they go when they go from the file."""

from __future__ import annotations

from pathlib import Path

from purport.broker.access import AccessRule, AccessRules, Action
from purport.embedded.broker import Broker
from purport.embedded.settings import BrokerSettings
from purport.service.rule_files import RuleFiles, read_rule_files
from purport.service.settings import RuleFile
from tests.embedded.brokers import exact

LINES = """{"id": "nobodys", "subscription": "{a > 0}"}
{"id": "anns", "subscription": "{a > 0}", "owner": "ann"}
"""
OWNERS = {"nobodys": "city", "anns": "ann"}
ACCESS = AccessRules((AccessRule(frozenset({"ann", "city"}), frozenset({Action.SUBSCRIBE})),))


def test_lines_of_json_belong_to_the_owner_of_their_file_unless_they_name_one_and_go_with_it(
    tmp_path: Path,
) -> None:
    file = RuleFile(tmp_path / "city.jsonl", owner="city")
    with Broker.in_memory(matcher=exact, settings=BrokerSettings(access=ACCESS)) as broker:
        rules = RuleFiles(broker, tmp_path)

        file.file.write_text(LINES)
        rules.take(read_rule_files([file], ACCESS))
        owners = {one: broker.registration(one, who=who).owner for one, who in OWNERS.items()}
        file.file.write_text("")
        RuleFiles(broker, tmp_path).take(read_rule_files([file], ACCESS))

        assert owners == OWNERS
        assert [broker.registrations(who=who) for who in OWNERS.values()] == [[], []]
