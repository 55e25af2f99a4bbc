"""The generated docs say what the code says."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_the_generated_docs_are_fresh() -> None:
    run = subprocess.run(
        [sys.executable, "scripts/docs.py", "--check"],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
