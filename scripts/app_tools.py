"""Build the library for apps, and an APK of each sample, into build/app-tools.

python scripts/app_tools.py build      fails where a sample's files do not declare its tools
python scripts/app_tools.py declare    writes these files anew, and builds
"""

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

from dex import read_jar
from helper_compat import Android, jar_of, missing_names, named_directly, owed

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "app-tools"
LIBRARY = SOURCES / "library" / "target"
BUILT = ROOT / "build" / "app-tools"
FRAMEWORK = Path("/usr/share/android-framework-res/framework-res.apk")
PROGRAMS = {
    "javac": "openjdk-17-jdk-headless",
    "mvn": "maven",
    "aapt2": "aapt",
    "zipalign": "zipalign",
    "apksigner": "apksigner",
}
FIRST_API = 26
PASSWORD = "android"
QUICK = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
"""For a JVM of some seconds, which is at its end before better code would pay."""
LATEST_API = 36
"""The first with app functions, against which the library is compiled by signatures of our own."""
GUARDED = {
    "android/app/appfunctions/": "only Android 16 loads the class that names it",
    "android/app/appsearch/": "only Android 16 loads the class that names it",
    "android/content/pm/SigningInfo": "only Android 16 loads the class that names it",
    "android/os/OutcomeReceiver": "only Android 16 loads the class that names it",
    "dev/handheld/apptools/ToolFunctions.": "its superclass is not there",
    "android/content/pm/PackageManager.hasSigningCertificate(I[BI)Z": "after a check for API 28",
}
"""What the library names and API 26 does not have: a class, or a prefix of a member's name."""
DEXER = "com.android.dx.command.Main"
DECLARER = "dev.handheld.apptools.Declarations"
SHOP = SOURCES / "samples" / "tea-shop"
TOOLS = "org.example.teashop.TeaTools"
DECLARED = (
    ("capabilities", f"{TOOLS}.SERVICE", "res/xml/mcp_capabilities.xml"),
    ("functions", f"{TOOLS}.FUNCTIONS", "org.example.teashop.TeaFunctions", "assets"),
)
"""How the tea shop's files are written: the last word is a path in `src/main`."""


def check_tools() -> None:
    for program, package in PROGRAMS.items():
        if shutil.which(program) is None:
            sys.exit(f"{program} was not found. On Debian: apt-get install {package}")
    if not FRAMEWORK.exists():
        sys.exit(f"There is no {FRAMEWORK}. On Debian: apt-get install android-framework-res")


def run(*words: str | Path, stdout: int | None = None) -> None:
    done = subprocess.run(
        [str(word) for word in words],
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        check=False,
        env={"MAVEN_OPTS": " ".join(QUICK), **os.environ, "LC_ALL": "C.UTF-8"},
    )
    if done.returncode:
        sys.exit(f"{words[0]} failed with exit code {done.returncode}.")


def build(*, declare: bool) -> None:
    check_tools()
    BUILT.mkdir(parents=True, exist_ok=True)
    samples = sorted((SOURCES / "samples").iterdir())
    for sample in samples:
        # Classes left over from removed sources would go into the APK.
        shutil.rmtree(sample / "target", ignore_errors=True)
        link(sample)
    quiet = ("--batch-mode", "--quiet", "-Dstyle.color=never")
    run("mvn", *quiet, "-f", SOURCES, "-Dmaven.test.skip=true", "package")
    check_declared(declare=declare)
    if declare:
        link(SHOP)
    for sample in samples:
        print(pack(sample).relative_to(ROOT))
    check_names(BUILT / f"{SHOP.name}.apk")


def link(sample: Path) -> None:
    """Resources and manifest, and the class R for the code that names resources."""
    main, target = sample / "src" / "main", sample / "target"
    target.mkdir(exist_ok=True)
    more: list[str | Path] = []
    if (main / "res").exists():
        run("aapt2", "compile", "--dir", main / "res", "-o", target / "resources.zip")
        more += ["--java", target / "generated-sources" / "r", target / "resources.zip"]
    if (main / "assets").exists():
        more += ["-A", main / "assets"]
    link_apk(main / "AndroidManifest.xml", target / "linked.apk", more)


def link_apk(manifest: Path, apk: Path, more: Sequence[str | Path]) -> None:
    # Debian's Android is older than <property>, which app functions need.
    run(
        *("aapt2", "link", "-o", apk, "-I", FRAMEWORK, "--manifest", manifest),
        *("--warn-manifest-validation", *more),
    )


def check_declared(*, declare: bool) -> None:
    main = SHOP / "src" / "main"
    path = os.pathsep.join(map(str, (LIBRARY / "classes", SHOP / "target" / "classes")))
    with tempfile.TemporaryDirectory() as folder:
        for *words, place in DECLARED:
            run("java", "-cp", path, DECLARER, *words, Path(folder, place))
        for made in sorted(file for file in Path(folder).rglob("*") if file.is_file()):
            kept = main / made.relative_to(folder)
            if declare:
                shutil.copyfile(made, kept)
            elif not kept.exists() or kept.read_bytes() != made.read_bytes():
                sys.exit(
                    f"{kept.relative_to(ROOT)} does not declare what {TOOLS} has. Write it anew:"
                    " python scripts/app_tools.py declare"
                )


def dex(output: Path, *inputs: Path) -> None:
    options = ("--dex", f"--min-sdk-version={FIRST_API}", f"--output={output}")
    words = ("java", *QUICK, "-cp", LIBRARY / "dx.jar", DEXER, *options, *inputs)
    run(*words, stdout=subprocess.DEVNULL)  # dx tells how it merged; errors are on stderr


def dex_library(jar: Path) -> Path:
    """A jar with a `classes.dex`, which dx merges into an app's; Kotlin's costs the most of all."""
    made = BUILT / "libraries" / jar.name
    if made.exists() and made.stat().st_mtime >= jar.stat().st_mtime:
        return made
    made.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=BUILT) as folder, zipfile.ZipFile(jar) as archive:
        # What is for newer Java alone lies in META-INF.
        names = [name for name in archive.namelist() if not name.startswith("META-INF/")]
        archive.extractall(Path(folder, "classes"), names)
        dex(Path(folder, jar.name), Path(folder, "classes"))
        Path(folder, jar.name).replace(made)
    return made


def pack(sample: Path) -> Path:
    """The code as phones run it, aligned and signed."""
    target = sample / "target"
    libraries = [dex_library(jar) for jar in sorted((target / "libraries").glob("*.jar"))]
    dex(target / "classes.dex", target / "classes", *libraries)
    with zipfile.ZipFile(target / "linked.apk", "a", zipfile.ZIP_DEFLATED) as archive:
        archive.write(target / "classes.dex", "classes.dex")
    apk = BUILT / f"{sample.name}.apk"
    run("zipalign", "-f", "-p", "4", target / "linked.apk", target / "aligned.apk")
    run(
        *("apksigner", "sign", "--ks", key(), "--ks-pass", f"pass:{PASSWORD}"),
        *("--v4-signing-enabled", "false", "--min-sdk-version", str(FIRST_API)),
        *("--out", apk, target / "aligned.apk"),
    )
    return apk


def check_names(apk: Path) -> None:
    """Whether the first and the latest Android have what library and sample call."""
    dex = read_jar(apk)
    for level in (FIRST_API, LATEST_API):
        android = Android(jar_of(level), dex.own)
        missing = missing_names(named_directly(dex), android)
        if level == FIRST_API:
            missing = [name for name in missing if not name.startswith(tuple(GUARDED))]
        if missing or (level == LATEST_API and (missing := owed(dex, android))):
            sys.exit(f"Android {level} does not have: {', '.join(missing)}")


def key() -> Path:
    """Of this computer alone: who publishes an app has another one."""
    store = BUILT / "debug.p12"
    if not store.exists():
        run(
            *("keytool", "-genkeypair", "-keystore", store, "-storetype", "PKCS12"),
            *("-storepass", PASSWORD, "-alias", "debug", "-dname", "CN=Debug"),
            *("-keyalg", "EC", "-groupname", "secp256r1", "-validity", "10000"),
        )
    return store


def main(words: list[str]) -> None:
    match words:
        case ["build"]:
            build(declare=False)
        case ["declare"]:
            build(declare=True)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
