"""Make the files of a release in dist/: docs/releasing.md. Nothing is published.

make release VERSION=1.2.3              needs the signing key in HANDHELD_RELEASE_KEY
make release VERSION=1.2.3 DRY_RUN=1    says what is missing and what would be made
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from .sbom import make_sbom

ROOT = Path(__file__).parent.parent
DIST = ROOT / "dist"
KEY = "HANDHELD_RELEASE_KEY"
SIGNERS = "release-signers"
"""The public keys, in the form that ssh-keygen reads; part of the repository."""
IDENTITY = "release@handheld"
NAMESPACE = "handheld-release"
"""What a signature is for: one that the same key made for something else does not count."""
SEMVER = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")

VERIFYING = f"""
## Verify

With `SHA256SUMS` and `SHA256SUMS.sig` beside the files, and `{SIGNERS}` from the repository:

```sh
ssh-keygen -Y verify -f {SIGNERS} -I {IDENTITY} -n {NAMESPACE} -s SHA256SUMS.sig < SHA256SUMS
sha256sum --check --ignore-missing SHA256SUMS
```
"""


def git(*arguments: str, root: Path = ROOT) -> str:
    done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def read_notes(changelog: str, version: str) -> str:
    """Return what the changelog says of the version; "" if it has no dated section for it."""
    heading = rf"^## \[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d$"
    found = re.search(rf"{heading}\n(.*?)(?=^## |^\[|\Z)", changelog, re.MULTILINE | re.DOTALL)
    return found[1].strip() if found else ""


def stated_versions(root: Path) -> dict[str, str]:
    """Every version that a tracked file states, by where it does."""
    code = (root / "src/handheld/__init__.py").read_text("utf-8")
    found = {"src/handheld/__init__.py": re.findall('^__version__ = "(.+)"$', code, re.M)[0]}
    # What the registry of servers and the plugins of Claude Code read.
    for name in ("server.json", "plugins/handheld/.claude-plugin/plugin.json"):
        document = json.loads((root / name).read_text("utf-8"))
        found[name] = document.get("version", "none")
        for number, package in enumerate(document.get("packages", ())):
            found[f"{name}, package {number}"] = package.get("version", found[name])
    return found


def find_problems(root: Path, version: str) -> list[str]:
    """What stands against a release of this version, each as a sentence."""
    problems: list[str] = []
    if not SEMVER.fullmatch(version):
        problems.append(f"{version!r} is not a version: MAJOR.MINOR.PATCH, such as 1.2.3.")
    if git("status", "--porcelain", root=root):
        problems.append("The working tree has changes that are not committed: git status")
    if git("tag", "--list", f"v{version}", root=root):
        problems.append(f"The tag v{version} exists already.")
    problems += [
        f"{place} says {stated}, not {version}."
        for place, stated in stated_versions(root).items()
        if stated != version
    ]
    if not read_notes((root / "CHANGELOG.md").read_text("utf-8"), version):
        problems.append(f"CHANGELOG.md has no section '## [{version}] - YYYY-MM-DD' with text.")
    if not (root / SIGNERS).exists():
        problems.append(f"{SIGNERS} is missing, with which users verify: docs/releasing.md")
    return problems


def build(root: Path, version: str, target: Path) -> int:
    """Build wheel, sdist and bundle of the last commit into a folder, and return its time.

    From the commit itself, not from the working tree, which also has ignored files; with the
    commit's time instead of now. So the same commit gives the same bytes.
    """
    epoch = int(git("log", "-1", "--no-show-signature", "--format=%ct", root=root))
    with tempfile.TemporaryDirectory(prefix="handheld-release-") as folder:
        archive = subprocess.run(
            ["git", "archive", "HEAD"], cwd=root, capture_output=True, check=True
        ).stdout
        subprocess.run(["tar", "-x"], cwd=folder, input=archive, check=True)
        bundle = target.absolute() / f"handheld-{version}.mcpb"
        source = str(Path(folder) / "src")
        for command in (
            ["-m", "hatchling", "build", "--directory", target.absolute()],
            ["scripts/mcpb.py", bundle],
        ):
            subprocess.run(
                [sys.executable, *command],
                cwd=folder,
                env={**os.environ, "SOURCE_DATE_EPOCH": str(epoch), "PYTHONPATH": source},
                stdout=subprocess.DEVNULL,
                check=True,
            )
    return epoch


def write_sums(folder: Path) -> None:
    lines = [f"{digest(path)}  {path.name}\n" for path in sorted(folder.iterdir())]
    (folder / "SHA256SUMS").write_text("".join(lines), "utf-8")


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def sign(sums: Path, key: str, signers: Path) -> None:
    """Sign the sums, and verify that as users will. The key is in a file of ours meanwhile, which
    is all that ssh-keygen takes."""
    with tempfile.TemporaryDirectory(prefix="handheld-key-") as folder:
        private = Path(folder) / "key"
        private.touch(0o600)
        private.write_text(key.strip() + "\n", "utf-8")
        _ssh_keygen("sign", "-f", str(private), "-n", NAMESPACE, str(sums))
    arguments = ["-f", str(signers), "-I", IDENTITY, "-n", NAMESPACE, "-s", f"{sums}.sig"]
    _ssh_keygen("verify", *arguments, stdin=sums.read_bytes())


def _ssh_keygen(what: str, *arguments: str, stdin: bytes = b"") -> None:
    command = ["ssh-keygen", "-Y", what, *arguments]
    done = subprocess.run(command, input=stdin, capture_output=True, check=False)
    if done.returncode:
        # Its output names files and keys by their fingerprints, and never prints a private key.
        told = (done.stdout + done.stderr).decode(errors="replace").strip()
        sys.exit(f"ssh-keygen -Y {what} failed. Is this key in {SIGNERS}? {told}")


def make_release(root: Path, version: str, key: str, dist: Path) -> None:
    """Make all files, and only then put them in the place of what was in dist/: what is there is
    whole and signed."""
    with tempfile.TemporaryDirectory(prefix=".dist-", dir=dist.parent) as folder:
        made = Path(folder) / "dist"
        epoch = build(root, version, made)
        wheel = made / f"handheld-{version}-py3-none-any.whl"
        lock = (root / "requirements.lock").read_text("utf-8")
        bill = make_sbom(version, lock, digest(wheel), epoch)
        (made / f"handheld-{version}.cdx.json").write_text(bill, "utf-8")
        write_sums(made)
        sign(made / "SHA256SUMS", key, root / SIGNERS)
        notes = read_notes((root / "CHANGELOG.md").read_text("utf-8"), version)
        (made / "RELEASE_NOTES.md").write_text(f"{notes}\n{VERIFYING}", "utf-8")
        shutil.rmtree(dist, ignore_errors=True)
        made.rename(dist)


def main() -> None:
    match sys.argv[1:]:
        case [version] if version:
            dry = False
        case [version, "--dry-run"] if version:
            dry = True
        case _:
            sys.exit(__doc__)
    # First: what is started here does not need it, and a configuration may let git start more.
    key = os.environ.pop(KEY, "")
    problems = find_problems(ROOT, version)
    if not key:
        problems.append(f"{KEY} is not set: the private key that signs, as OpenSSH writes it.")
    for problem in problems:
        print(problem, file=sys.stderr)
    ends = ("-py3-none-any.whl", ".tar.gz", ".mcpb", ".cdx.json")
    names = [f"handheld-{version}{end}" for end in ends]
    names += ["SHA256SUMS", "SHA256SUMS.sig", "RELEASE_NOTES.md"]
    if dry:
        print(
            f"Would make from {git('rev-parse', '--short', 'HEAD')}, in dist/: {', '.join(names)}"
        )
        print("Would publish nothing.")
    if problems:
        sys.exit(1)
    if dry:
        return
    make_release(ROOT, version, key, DIST)
    print((DIST / "SHA256SUMS").read_text("utf-8"), end="")
    print(f"Made in dist/: {', '.join(names)}. Nothing was published: docs/releasing.md")


if __name__ == "__main__":
    main()
