"""What the guide to streaming shows keeps what it says."""

import re
from doctest import DocTestParser
from pathlib import Path
from typing import Any

import pytest

from purport.pipeline.job_file import read_job
from purport.pipeline.sinks.catalogue import sink_at
from purport.pipeline.sinks.sink import SINKS
from purport.pipeline.sources.source import SOURCES

GUIDE = (Path(__file__).parents[2] / "docs" / "guides" / "streaming.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", GUIDE, re.DOTALL)


def shown_classes() -> dict[str, Any]:
    """The classes of the guide; they are not left under the schemes that it gives them."""
    wanted = [
        block for block in blocks("python") if "class " in block or "import match_id" in block
    ]
    examples = [one.source for block in wanted for one in DocTestParser().get_examples(block)]
    made = [(registry, dict(registry._made)) for registry in (SOURCES, SINKS)]
    names: dict[str, Any] = {"__name__": __name__}
    for registry, _ in made:
        for scheme in ("lines", "sqlite"):
            registry._made.pop(scheme, None)
    exec("\n".join(examples), names)
    for registry, before in made:
        registry._made = before  # type: ignore[assignment]
    return names


TestDatabase: Any = shown_classes()["TestDatabase"]


def test_a_job_file_of_the_guide_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MATCHES_TOKEN", "hush")
    jobs = [text for text in blocks("toml") if "\nto = " in text]
    assert jobs
    for text in jobs:
        path = tmp_path / "job.toml"
        path.write_text(text)

        options = read_job(path, {})

        assert options.writes
        sink_at(options.writes, options.sink)
