"""`make release`, in a small copy of this repository, with a key that is thrown away."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from scripts.release import IDENTITY, KEY, NAMESPACE, SIGNERS, build, read_notes, sign

ROOT = Path(__file__).parent.parent.parent
VERSION = "9.8.7"
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
    write(folder / "src/handheld/__init__.py", f'__version__ = "{VERSION}"\n')
    for name in ("server.json", "manifest.json"):
        for path in folder.rglob(name):
            document = json.loads(path.read_text("utf-8"))
            if "version" in document:
                old = f'"version": "{document["version"]}"'
                write(path, path.read_text("utf-8").replace(old, f'"version": "{VERSION}"'))
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


def release(copy: Path, *arguments: str, key: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "scripts.release", *arguments],
        cwd=copy,
        env={**os.environ, KEY: key},
        capture_output=True,
        text=True,
        check=False,
    )


def verify(dist: Path, signers: Path) -> int:
    command = ["ssh-keygen", "-Y", "verify", "-f", str(signers), "-I", IDENTITY, "-n", NAMESPACE]
    command += ["-s", str(dist / "SHA256SUMS.sig")]
    sums = (dist / "SHA256SUMS").read_bytes()
    return subprocess.run(command, input=sums, capture_output=True, check=False).returncode


@pytest.mark.needs_git
def test_a_release_can_be_verified_and_built_again_elsewhere_with_the_same_bytes(
    copy: Path, key: str, tmp_path: Path
) -> None:
    run = release(copy, VERSION, key=key)
    assert run.returncode == 0, run.stderr
    dist = copy / "dist"
    names = {f"handheld-{VERSION}{end}" for end in ("-py3-none-any.whl", ".tar.gz", ".cdx.json")}
    assert {path.name for path in dist.iterdir()} == {
        *names,
        "SHA256SUMS",
        "SHA256SUMS.sig",
        "RELEASE_NOTES.md",
    }
    assert (dist / "RELEASE_NOTES.md").read_text("utf-8").startswith("### Added\n\n- Something.")

    secret = key.splitlines()[1]
    assert secret not in run.stdout + run.stderr
    assert not [path for path in dist.iterdir() if secret.encode() in path.read_bytes()]

    assert verify(dist, copy / SIGNERS) == 0
    subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=dist, check=True)

    # Another folder, other rights of its files, another time zone, and a file that git ignores.
    other = tmp_path / "other" / "folder"
    before = os.umask(0o077)
    try:
        git(copy, "clone", "--quiet", str(copy), str(other))
        (other / "src/handheld/__pycache__").mkdir()
        write(other / "src/handheld/__pycache__/stray.pyc", "stray")
        build(other, tmp_path / "again")
    finally:
        os.umask(before)
    for again in (tmp_path / "again").iterdir():
        assert again.read_bytes() == (dist / again.name).read_bytes(), again.name

    with (dist / "SHA256SUMS").open("a", encoding="utf-8") as sums:
        sums.write("0" * 64 + "  another.whl\n")
    assert verify(dist, copy / SIGNERS) != 0


@pytest.mark.needs_git
def test_a_signature_of_a_key_that_users_do_not_know_is_refused(
    copy: Path, key: str, tmp_path: Path
) -> None:
    unknown = tmp_path / "unknown"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(unknown)], check=True)
    write(tmp_path / "SHA256SUMS", "")
    with pytest.raises(SystemExit, match="Is this key in release-signers") as refused:
        sign(tmp_path / "SHA256SUMS", unknown.read_text("utf-8"), copy / SIGNERS)
    assert unknown.read_text("utf-8").splitlines()[1] not in str(refused.value)


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
    assert f"src/handheld/__init__.py says {VERSION}, not 1.0." in told
    assert "CHANGELOG.md has no section '## [1.0] - YYYY-MM-DD' with text." in told
    assert f"{SIGNERS} is missing, with which users verify: docs/releasing.md" in told
    assert any(line.startswith(f"{KEY} is not set") for line in told)
    assert "Would publish nothing." in run.stdout
    assert not (copy / "dist").exists()
