"""The manual page, as the programs that show such pages judge it."""

import shutil
import subprocess
from pathlib import Path

import pytest

from harness.polling import HANG

PAGE = Path(__file__).resolve().parents[2] / "man" / "handheld.1"


@pytest.mark.needs_shells
@pytest.mark.parametrize(
    "judge",
    [
        # A date would be that of the last `make docs`: a warning that stays.
        ("mandoc", "-T", "lint", "-W", "error"),
        ("man", "--warnings", "--local-file"),
    ],
)
def test_the_manual_page_has_no_faults(judge: tuple[str, ...]) -> None:
    program = shutil.which(judge[0])
    if program is None:
        pytest.fail(f"{judge[0]} is not installed. On Debian: apt-get install mandoc man-db")
    run = subprocess.run(
        [program, *judge[1:], str(PAGE)],
        env={"MANWIDTH": "80", "LANG": "C.UTF-8", "PATH": "/usr/bin:/bin", "MANPAGER": "cat"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=HANG,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, "")
    if judge[0] == "mandoc":
        assert run.stdout == ""
    else:
        assert "handheld serve" in run.stdout
        assert "\nSETTINGS\n" in run.stdout
