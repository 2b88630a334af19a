"""Scores are kept for the measure that gave them."""

from pathlib import Path

from purport import Event, Matcher, parse
from purport.relatedness.lexicon import Lexicon


def test_another_lexicon_is_another_measure_with_scores_of_its_own(tmp_path: Path) -> None:
    subscription = parse("{device = laptop~} threshold 0.9 as near")
    event = Event.from_json({"device": "gizmo"})
    found = []
    for number, rules in enumerate(
        ["laptop is never tool", "treat gizmo as laptop", "laptop is never tool"]
    ):
        path = tmp_path / f"{number}.lexicon"
        path.write_text(rules)
        matcher = Matcher([subscription], lexicon=Lexicon.read(path), scores=tmp_path / "scores")
        found.append(len(matcher.match(event)))
        assert not matcher.measures.share_scores()

    assert found == [0, 1, 0]
