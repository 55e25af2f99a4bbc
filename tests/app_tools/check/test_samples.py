"""The check of the sample apps, and of the same with one mistake each."""

import shutil
import subprocess
from pathlib import Path

import pytest

from apks.build import FRAMEWORK, need_tools
from handheld.app_tools.check.declared import check_file
from harness.polling import HANG

from .broken_samples import MISTAKES, Mistake

pytestmark = pytest.mark.needs_aapt

SAMPLES = Path(__file__).resolve().parents[3] / "app-tools" / "samples"
UNSIGNED = ("warning", "signature")


def link(main: Path, work: Path) -> Path:
    """An APK of a sample's resources and manifest, without code and signature."""
    more: list[str | Path] = []
    if (main / "res").exists():
        run("aapt2", "compile", "--dir", main / "res", "-o", work / "resources.zip")
        more.append(work / "resources.zip")
    if (main / "assets").exists():
        more += ["-A", main / "assets"]
    run(
        *("aapt2", "link", "-o", work / "sample.apk", "-I", FRAMEWORK),
        *("--warn-manifest-validation", "--manifest", main / "AndroidManifest.xml", *more),
    )
    return work / "sample.apk"


def run(*words: str | Path) -> None:
    done = subprocess.run(
        [str(word) for word in words], capture_output=True, timeout=HANG, check=False
    )
    assert done.returncode == 0, (words, done.stdout, done.stderr)


def findings_of(apk: Path) -> list[tuple[str, str, str]]:
    """But for what is well, and the signature, which no such APK has."""
    return [
        (one.verdict.value, one.subject, one.sentence)
        for one in check_file(apk)
        if one.verdict.value != "ok" and (one.verdict.value, one.subject) != UNSIGNED
    ]


@pytest.mark.parametrize("sample", ["tea-shop", "weather"])
def test_the_samples_have_no_problem(sample: str, tmp_path: Path) -> None:
    need_tools()
    assert findings_of(link(SAMPLES / sample / "src" / "main", tmp_path)) == []


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.name)
def test_a_mistake_is_named(mistake: Mistake, tmp_path: Path) -> None:
    need_tools()
    main = tmp_path / "main"
    shutil.copytree(SAMPLES / mistake.sample / "src" / "main", main)
    file = main / mistake.file
    before = file.read_text("utf-8")
    file.write_text(before.replace(mistake.old, mistake.new), "utf-8")
    assert file.read_text("utf-8") != before
    [(verdict, subject, sentence), *more] = findings_of(link(main, tmp_path))
    assert (verdict, subject) == (mistake.verdict, mistake.subject)
    assert sentence.startswith(mistake.sentence)
    assert len(more) == mistake.more
