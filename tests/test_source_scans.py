"""Whatever reads, checks, builds or measures the sources does so for both import packages."""

import tomllib
from pathlib import Path

from harness.packages import IMPORT_PACKAGES, SRC, VIRTUAL, sources

ROOT = SRC.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
FOLDERS = {f"src/{name}" for name in IMPORT_PACKAGES}


def test_the_sources_of_both_are_found() -> None:
    homes = {file.relative_to(SRC).parts[0] for file in sources().values()}
    assert homes == {"handheld", VIRTUAL}


def test_the_wheel_and_the_coverage_have_both() -> None:
    assert set(PROJECT["hatch"]["build"]["targets"]["wheel"]["packages"]) == FOLDERS
    assert set(PROJECT["coverage"]["run"]["source_pkgs"]) == IMPORT_PACKAGES


def test_checks_take_the_folder_of_both() -> None:
    assert "src" in PROJECT["pyright"]["include"]
    for file in ("Makefile", "Dockerfile"):
        text = (ROOT / file).read_text(encoding="utf-8")
        assert "src/handheld_virtual" not in text
        assert ("ruff check src " in text) == (file == "Makefile")
        assert ("COPY src src" in text) == (file == "Dockerfile")


def test_no_folder_of_sources_is_besides() -> None:
    # An empty one may be left by git where a package was moved.
    others = {path for path in SRC.iterdir() if path.is_dir() and any(path.rglob("*.py"))}
    assert {Path(path).name for path in others} == IMPORT_PACKAGES
