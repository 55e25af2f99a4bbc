"""Build the helper's jar, and check that the packaged jar is built from these sources.

    python scripts/helper_jar.py build      into the package, with the digests of its sources and of
                                            the jar itself
    python scripts/helper_jar.py check      both digests match; needs only Python
    python scripts/helper_jar.py compare    a new build has the same bytes as the package's

The same sources give the same bytes on every machine with this JDK: entries have one fixed time,
one order and no compression, whose result would depend on the machine's zlib.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
HELPER = ROOT / "helper"
JAR = ROOT / "src" / "handheld" / "helper" / "handheld-helper.jar"
DIGESTS = JAR.with_suffix(".sources")
JDK = 17
LIMIT = 340_000
"""Bytes of the jar, uncompressed. A phone waits for all of them before its first call with a new
build, and app_process reads them at every start. It has some 311,000, all of it our own code: there
is room for the next tenth, and what needs more should say why it is worth that. Raise it here: this
is the only limit."""
FIRST_API = 26
TIME = (1980, 1, 1, 0, 0, 0)
MANIFEST = "Manifest-Version: 1.0\r\n\r\n"
MAIN = "com.android.dx.command.Main"


def sources_digest() -> str:
    """Return the digest of everything that the jar is built from."""
    paths = [HELPER / "pom.xml", Path(__file__), *sorted((HELPER / "src" / "main").rglob("*.java"))]
    digest = hashlib.sha256()
    for path in paths:
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        digest.update(f"{content}  {path.relative_to(ROOT).as_posix()}\n".encode())
    return digest.hexdigest()


def record(sources: str, jar: bytes) -> None:
    """Put the jar into the package, with the digest of the sources that it was built from."""
    JAR.write_bytes(jar)
    DIGESTS.write_text(f"sources {sources}\njar {hashlib.sha256(jar).hexdigest()}\n", "utf-8")


def check() -> None:
    lines = DIGESTS.read_text("utf-8").splitlines() if DIGESTS.exists() else []
    recorded = {name: digest for name, _, digest in (line.partition(" ") for line in lines)}
    if recorded.get("sources") != sources_digest():
        sys.exit("The helper's jar is not built from these sources. Build it: make helper")
    jar = JAR.relative_to(ROOT)
    if not JAR.exists() or recorded.get("jar") != hashlib.sha256(JAR.read_bytes()).hexdigest():
        sys.exit(
            f"{jar} is missing or is not the file that was built: its digest is not the recorded"
            f" one. Restore it (git checkout -- {jar}), or build it again: make helper"
        )


def check_tools() -> None:
    """Exit unless the tools are there: another JDK would produce other bytes, or none."""
    for program, package in (("javac", "openjdk-17-jdk-headless"), ("mvn", "maven")):
        if shutil.which(program) is None:
            sys.exit(f"{program} was not found. On Debian: apt-get install {package}")
    output = subprocess.run(["javac", "-version"], capture_output=True, text=True, check=True)
    version = (output.stdout + output.stderr).strip()
    found = re.search(r"\d+", version)
    if found is None or int(found[0]) != JDK:
        sys.exit(f"The helper is built with JDK {JDK}; this is {version}.")


def build() -> bytes:
    check_tools()
    target = HELPER / "target"
    # Classes left over from removed sources would go into the jar.
    shutil.rmtree(target / "classes", ignore_errors=True)
    goals = ["--batch-mode", "--quiet", "-Dstyle.color=never", "test-compile"]
    run(["mvn", *goals], HELPER)
    dex = target / "classes.dex"
    options = ["--dex", f"--min-sdk-version={FIRST_API}", f"--output={dex}"]
    run(["java", "-cp", str(target / "dx.jar"), MAIN, *options, str(target / "classes")], ROOT)
    made = target / "handheld-helper.jar"
    with zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as archive:
        entries = (("META-INF/MANIFEST.MF", MANIFEST.encode()), ("classes.dex", dex.read_bytes()))
        for name, data in entries:
            entry = zipfile.ZipInfo(name, TIME)
            entry.create_system = 3
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data)
    data = made.read_bytes()
    if len(data) > LIMIT:
        sys.exit(f"The helper's jar has {len(data)} bytes; the limit is {LIMIT}.")
    return data


def run(command: list[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, check=False, env={**os.environ, "LC_ALL": "C.UTF-8"})
    if done.returncode:
        sys.exit(f"{command[0]} failed with exit code {done.returncode}.")


def main(words: list[str]) -> None:
    match words:
        case ["check"]:
            check()
        case ["build"]:
            digest = sources_digest()
            data = build()
            record(digest, data)
            print(f"{JAR.relative_to(ROOT)}: {len(data)} bytes")
        case ["compare"]:
            check()
            if build() != JAR.read_bytes():
                sys.exit("A new build of the helper differs from the packaged jar.")
            print("A new build of the helper is identical to the packaged jar.")
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
