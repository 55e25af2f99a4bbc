"""The sample project: its tests pass where it stands alone, and its files are what they say."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from handheld_virtual import Scene
from harness.polling import HANG

PROJECT = Path(__file__).parents[2] / "examples" / "tips"


@pytest.mark.matrix
def test_the_tests_of_the_sample_project_pass(tmp_path: Path) -> None:
    copied = shutil.copytree(
        PROJECT, tmp_path / "tips", ignore=shutil.ignore_patterns("__pycache__")
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-W", "error", "-p", "no:cacheprovider"],
        cwd=copied,
        capture_output=True,
        encoding="utf-8",
        timeout=HANG,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^10 passed in", done.stdout, re.MULTILINE)
    assert not (copied / "test-results").exists()


def test_the_scene_of_the_sample_project_is_one() -> None:
    scene = Scene.load(PROJECT / "tips.toml")
    assert [Path(name).name for name in scene.python] == ["tips_app.py"]


def test_the_sample_workflow_pins_its_actions_as_ours_does() -> None:
    ours = PROJECT.parents[1] / ".github" / "workflows" / "ci.yml"
    sample = PROJECT / ".github" / "workflows" / "test.yml"
    uses = [
        re.findall(r"uses: (\S+@\S+ # \S+)", file.read_text("utf-8")) for file in (ours, sample)
    ]
    assert set(uses[0]) <= set(uses[1])
    assert all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v[\d.]+", each) for each in uses[1])
