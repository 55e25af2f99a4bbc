"""Wheel and sdist, installed by the programs that users install with, without this repository."""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from bench import installing
from bench.installing import Sandbox, install_with_pipx, try_it, uvx_command

from harness.packages import IMPORT_PACKAGES
from harness.polling import HANG

ROOT = Path(__file__).resolve().parents[2]
UV, PIPX = ROOT / "build/tools/bin/uv", ROOT / "build/tools/bin/pipx"

pytestmark = pytest.mark.needs_network


def find_pythons() -> dict[str, str]:
    """The Pythons to try, by version: those of PYTHONS, or all that are found."""
    named = os.environ.get("PYTHONS", "").split()
    installed = Path("~/.pyenv/versions").expanduser().glob("*/bin/python3")
    some = [sys.executable, *(f"python3.{minor}" for minor in range(11, 20)), *map(str, installed)]
    found: dict[str, str] = {}
    for name in named or some:
        if version := _version(name):
            found.setdefault(version, name)
        elif named:
            raise pytest.UsageError(f"{name} is not a Python of version 3.11 or newer.")
    return dict(sorted(found.items()))


def _version(python: str) -> str:
    """Such as 3.13; "" where it is none, too old, or cannot be run."""
    if shutil.which(python) is None:
        return ""
    code = (
        "import sys; print('%d.%d' % sys.version_info[:2] if sys.version_info >= (3, 11) else '')"
    )
    run = subprocess.run(
        [python, "-c", code], capture_output=True, encoding="utf-8", timeout=HANG, check=False
    )
    return run.stdout.strip() if run.returncode == 0 else ""


PYTHONS = find_pythons()
CURRENT = next(iter(PYTHONS.values()))


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the sdist."""
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True, timeout=installing.SECONDS)
    return folder


def files_in(wheel: Path) -> set[str]:
    return set(zipfile.ZipFile(wheel).namelist())


def test_a_wheel_from_the_sdist_has_the_same_files(built: Path, tmp_path: Path) -> None:
    (wheel,), (sdist,) = built.glob("*.whl"), built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (source,) = tmp_path.iterdir()
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path / "out")]
    subprocess.run(build, cwd=source, check=True, capture_output=True, timeout=installing.SECONDS)
    again = tmp_path / "out" / wheel.name
    assert files_in(again) == files_in(wheel)
    assert any(name.endswith("share/man/man1/handheld.1") for name in files_in(wheel))
    wanted = {f"{name}/__init__.py" for name in IMPORT_PACKAGES}
    assert wanted | {"handheld_virtual/README.md"} <= files_in(wheel)
    assert (source / "src/handheld_virtual/README.md").exists()


@pytest.mark.parametrize("kind", ["*.whl", "*.tar.gz"])
@pytest.mark.parametrize("version", PYTHONS)
def test_pip_installs_it_on_every_python(built: Path, version: str, kind: str) -> None:
    (file,) = built.glob(kind)
    run = subprocess.run(
        [PYTHONS[version], "-P", installing.__file__, str(file)],
        cwd=built,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=installing.SECONDS,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.startswith(f"Python {version}.")


def test_pipx_installs_it_with_its_manual_page(built: Path, tmp_path: Path) -> None:
    sandbox = Sandbox(tmp_path)
    try_it(sandbox, install_with_pipx(sandbox, PIPX, CURRENT, built))
    assert (tmp_path / "pipx/man_dir/man1/handheld.1").exists()


def test_uvx_runs_it(built: Path, tmp_path: Path) -> None:
    try_it(Sandbox(tmp_path), uvx_command(UV, CURRENT, built))
