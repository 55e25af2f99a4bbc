"""`make release`, in a small copy of this repository, with a key that is thrown away."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from scripts.release import IDENTITY, KEY, NAMESPACE, SIGNERS, build, read_notes, sign

from handheld import __version__
from harness.packages import IMPORT_PACKAGES

ROOT = Path(__file__).parent.parent.parent
VERSION = "9.8.7"
STATING = (
    "src/handheld/__init__.py",
    "server.json",
    "plugins/handheld/.claude-plugin/plugin.json",
)
"""What docs/releasing.md says to change for a version."""
CHANGELOG = """# Changelog

## [Unreleased]

## [9.8.7] - 2030-01-02

### Added

- Something.

## [9.8.6] - 2030-01-01

- Else.
"""


@pytest.mark.parametrize(
    ("version", "notes"),
    [
        ("9.8.7", "### Added\n\n- Something."),
        ("9.8.6", "- Else."),
        ("9.8", ""),
        ("Unreleased", ""),
    ],
)
def test_the_notes_are_the_dated_section_of_the_changelog(version: str, notes: str) -> None:
    assert read_notes(CHANGELOG, version) == notes


def git(folder: Path, *arguments: str) -> str:
    named = ["-c", "user.name=Test", "-c", "user.email=test@example.com"]
    command = ["git", *named, "-c", "commit.gpgsign=false", *arguments]
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout


def write(path: Path, text: str) -> None:
    path.write_text(text, "utf-8")


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What is tracked here, as one commit of a version that is ready, but for its key."""
    folder = tmp_path_factory.mktemp("copy")
    for name in git(ROOT, "ls-files", "-z").split("\0"):
        if name and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)
    for name in STATING:
        text = (folder / name).read_text("utf-8")
        write(folder / name, text.replace(f'"{__version__}"', f'"{VERSION}"'))
    write(folder / "CHANGELOG.md", CHANGELOG)
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "all")
    return folder


@pytest.fixture
def key(copy: Path, tmp_path: Path) -> Iterator[str]:
    """The private key of the copy's release-signers."""
    file = tmp_path / "key"
    command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(file)]
    subprocess.run(command, check=True)
    public = file.with_suffix(".pub").read_text("utf-8")
    write(copy / SIGNERS, f'{IDENTITY} namespaces="{NAMESPACE}" {public}')
    git(copy, "add", "--all")
    git(copy, "commit", "--quiet", "--message", "key")
    yield file.read_text("utf-8")
    git(copy, "reset", "--quiet", "--hard", "HEAD~1")


def release(
    copy: Path, *arguments: str, key: str = "", path: str = os.environ["PATH"]
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "scripts.release", *arguments],
        cwd=copy,
        env={**os.environ, KEY: key, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def verify(dist: Path, signers: Path, *further: str) -> int:
    command = [
        "ssh-keygen",
        "-Y",
        "verify",
        *further,
        "-f",
        str(signers),
        "-I",
        IDENTITY,
        "-n",
        NAMESPACE,
    ]
    command += ["-s", str(dist / "SHA256SUMS.sig")]
    sums = (dist / "SHA256SUMS").read_bytes()
    return subprocess.run(command, input=sums, capture_output=True, check=False).returncode


@pytest.mark.needs_git
def test_a_release_can_be_verified_and_built_again_elsewhere_with_the_same_bytes(
    copy: Path, key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = release(copy, VERSION, key=key)
    assert run.returncode == 0, run.stderr
    dist = copy / "dist"
    ends = ("-py3-none-any.whl", ".tar.gz", ".mcpb", ".cdx.json")
    names = {f"handheld-{VERSION}{end}" for end in ends}
    assert {path.name for path in dist.iterdir()} == {
        *names,
        "SHA256SUMS",
        "SHA256SUMS.sig",
        "RELEASE_NOTES.md",
    }
    bill = dist / f"handheld-{VERSION}.cdx.json"
    assert (dist / "RELEASE_NOTES.md").read_text("utf-8").startswith("### Added\n\n- Something.")

    secret = key.splitlines()[1]
    assert secret not in run.stdout + run.stderr
    assert not [path for path in dist.iterdir() if secret.encode() in path.read_bytes()]

    assert verify(dist, copy / SIGNERS) == 0
    subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=dist, check=True)

    # Another folder, other rights of its files, another time zone, and a file that git ignores.
    other = tmp_path / "other" / "folder"
    monkeypatch.setenv("TZ", "Pacific/Kiritimati")
    before = os.umask(0o077)
    try:
        git(copy, "clone", "--quiet", str(copy), str(other))
        for name in IMPORT_PACKAGES:
            (other / f"src/{name}/__pycache__").mkdir()
            write(other / f"src/{name}/__pycache__/stray.pyc", "stray")
        build(other, VERSION, tmp_path / "again")
    finally:
        os.umask(before)
    assert {path.name for path in (tmp_path / "again").iterdir()} == names - {bill.name}
    for again in (tmp_path / "again").iterdir():
        assert again.read_bytes() == (dist / again.name).read_bytes(), again.name

    with (dist / "SHA256SUMS").open("a", encoding="utf-8") as sums:
        sums.write("0" * 64 + "  another.whl\n")
    assert verify(dist, copy / SIGNERS) != 0


@pytest.mark.needs_git
def test_a_key_that_users_do_not_know_is_refused_and_leaves_what_was_made_before(
    copy: Path, key: str, tmp_path: Path
) -> None:
    unknown = tmp_path / "unknown"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(unknown)], check=True)
    shutil.rmtree(copy / "dist", ignore_errors=True)
    (copy / "dist").mkdir()
    write(copy / "dist/before", "")
    secret = unknown.read_text("utf-8")
    run = release(copy, VERSION, key=secret)
    assert run.returncode == 1
    assert f"Is this key in {SIGNERS}?" in run.stderr
    assert secret.splitlines()[1] not in run.stdout + run.stderr
    assert [path.name for path in (copy / "dist").iterdir()] == ["before"]
    assert git(copy, "status", "--porcelain") == ""


@pytest.mark.needs_git
def test_a_key_that_was_replaced_still_verifies_what_it_signed(key: str, tmp_path: Path) -> None:
    """By the commands of docs/releasing.md."""
    page = (ROOT / "docs" / "releasing.md").read_text("utf-8")
    (adding,) = re.findall(r"^echo .*release-signers$", page, re.MULTILINE)
    (ending,) = re.findall(r"`(,valid-before=[^`]+)`", page)
    (earlier,) = re.findall(r"`(-O ?verify-time=)[^`]+`", page)
    write(tmp_path / "release-key.pub", (tmp_path / "key.pub").read_text("utf-8"))
    subprocess.run(["sh", "-c", adding], cwd=tmp_path, check=True)
    write(tmp_path / "SHA256SUMS", "")
    signers = tmp_path / "release-signers"
    sign(tmp_path / "SHA256SUMS", key, signers)
    past = re.sub(r"\d+", "20200101", ending)
    write(signers, signers.read_text("utf-8").replace('release"', f'release"{past}'))
    assert verify(tmp_path, signers) != 0
    assert verify(tmp_path, signers, *f"{earlier}20191231".split()) == 0


@pytest.mark.needs_git
def test_only_what_signs_is_given_the_key(copy: Path, tmp_path: Path) -> None:
    """Neither git, which runs programs that a configuration names, nor pip."""
    seen = tmp_path / "seen"
    witness = f'#!/bin/sh\necho "$0 $* ${{{KEY}:+has the key}}" >> {seen}\n'
    programs = tmp_path / "programs"
    programs.mkdir()
    write(programs / "git", f'{witness}exec {shutil.which("git")} "$@"\n')
    (programs / "git").chmod(0o755)
    path = f"{programs}:{os.environ['PATH']}"
    release(copy, VERSION, "--dry-run", key="secret", path=path)

    folder = tmp_path / "clone"
    (folder / ".venv/bin").mkdir(parents=True)
    for name in ("Makefile", "pyproject.toml", *ROOT.glob("requirements-*.lock")):
        shutil.copy(ROOT / name, folder)
    for name in ("python", "ruff", "pyright"):
        write(folder / ".venv/bin" / name, witness)
        (folder / ".venv/bin" / name).chmod(0o755)
    make = ["make", "release", f"VERSION={VERSION}"]
    subprocess.run(make, cwd=folder, env={**os.environ, KEY: "secret"}, check=True)
    lines = seen.read_text("utf-8").splitlines()
    assert len([line for line in lines if "pip install" in line]) == 3
    with_key = [line for line in lines if line.endswith("has the key")]
    own = f".venv/bin/python -m scripts.release {VERSION}"
    assert with_key == [f"{own} --dry-run has the key", f"{own} has the key"]


@pytest.mark.needs_git
def test_a_dry_run_names_all_that_stands_against_a_release_and_makes_nothing(copy: Path) -> None:
    write(copy / "stray.txt", "not committed")
    git(copy, "tag", "v1.0")
    shutil.rmtree(copy / "dist", ignore_errors=True)
    run = release(copy, "1.0", "--dry-run")
    (copy / "stray.txt").unlink()
    assert run.returncode == 1
    told = run.stderr.splitlines()
    assert "'1.0' is not a version: MAJOR.MINOR.PATCH, such as 1.2.3." in told
    assert "The working tree has changes that are not committed: git status" in told
    assert "The tag v1.0 exists already." in told
    for name in STATING:
        assert f"{name} says {VERSION}, not 1.0." in told
    assert "CHANGELOG.md has no section '## [1.0] - YYYY-MM-DD' with text." in told
    assert f"{SIGNERS} is missing, with which users verify: docs/releasing.md" in told
    assert any(line.startswith(f"{KEY} is not set") for line in told)
    assert "Would publish nothing." in run.stdout
    assert not (copy / "dist").exists()
