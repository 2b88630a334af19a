"""Jobs in words."""

from pathlib import Path

import pytest

from purport import InvalidInput
from purport.pipeline.job_file import read_job


def test_paths_may_come_from_a_file_and_from_flags(tmp_path: Path) -> None:
    path = tmp_path / "job.toml"
    path.write_text('checkpoint = "here"\nlexicon = "words"\n')

    options = read_job(path, {"lexicon": Path("other")})

    assert (options.checkpoint, options.lexicon) == (Path("here"), Path("other"))


def test_a_path_that_is_none_is_told(tmp_path: Path) -> None:
    path = tmp_path / "job.toml"
    path.write_text("checkpoint = 3\n")

    with pytest.raises(InvalidInput, match=r"job\.toml: Expected `Path`, got `int`"):
        read_job(path, {})
