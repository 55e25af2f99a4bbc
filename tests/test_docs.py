"""The docs match the code, and the tests refer only to them."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_the_generated_files_are_up_to_date() -> None:
    run = subprocess.run(
        [sys.executable, "scripts/docs.py", "--check"],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


LABEL = re.compile(r"(?!v1$)[a-z]{1,2}[0-9]+")
"""One or two letters and a number: a label from some other document. v1 is a surface."""
ONLY_LABELS = re.compile(r"(Rulings? )?[A-Z]{1,2}[0-9]+((, | and )[A-Z]{1,2}[0-9]+)*[.:]?")


def labels_in(code: str) -> Iterator[str]:
    """Test names that begin with a label, and docstrings that are a label or begin with one."""
    for node in ast.walk(ast.parse(code)):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        name = "" if isinstance(node, ast.Module) else node.name
        words = name.split("_")[1:] if name.startswith("test_") else []
        if "ruling" in words or (words and LABEL.fullmatch(words[0])):
            yield name
        text = ast.get_docstring(node) or ""
        if ONLY_LABELS.fullmatch(text.strip()) or ONLY_LABELS.fullmatch(text.partition(":")[0]):
            yield text


def test_labels_from_other_documents_are_found() -> None:
    assert list(labels_in("def test_h4_x(): ...\nasync def test_ruling_m1_x(): ...")) == [
        "test_h4_x",
        "test_ruling_m1_x",
    ]
    for text in ("T1.", "A1, A2", "Ruling S2.", "Rulings I2 and I3.", "W2: attempts counts"):
        assert list(labels_in(f'class One:\n    """{text}"""')) == [text], text
    for text in ("x", "Lists: all of them.", "UTF8 is text."):
        code = f'"""{text}"""\ndef test_a_2_x(): ...\ndef test_v1_x(): ...'
        assert list(labels_in(code)) == [], text


def test_no_test_is_named_after_a_label_from_another_document() -> None:
    found = {
        str(path.relative_to(ROOT)): labels
        for path in (ROOT / "tests").rglob("*.py")
        if (labels := list(labels_in(path.read_text(encoding="utf-8"))))
    }
    assert found == {}


def test_behaviour_is_numbered_from_one_and_every_reference_exists() -> None:
    page = (ROOT / "docs" / "behaviour.md").read_text(encoding="utf-8")
    numbers = [int(number) for number in re.findall(r"^- \*\*(\d+)\*\* ", page, re.MULTILINE)]
    assert sorted(numbers) == list(range(1, len(numbers) + 1))
    named = {
        int(number)
        for folder in ("tests", "src", "docs")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".py", ".md", ".toml") and path.name != "test_docs.py"
        for number in re.findall(r"\bbehaviours? (\d+)\b", path.read_text(encoding="utf-8"))
    }
    assert named <= set(numbers)
    assert named, "behaviour.md itself names some"


def test_links_in_the_docs_lead_to_existing_files() -> None:
    broken = [
        f"{page.name}: {link}"
        for page in (*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"))
        for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
        if not (page.parent / link).exists()
    ]
    assert broken == []


def test_workflows_pin_their_actions_to_commits() -> None:
    uses = [
        line.strip()
        for file in (ROOT / ".github" / "workflows").iterdir()
        for line in file.read_text(encoding="utf-8").splitlines()
        if re.match(r"\s*(- )?uses:", line)
    ]
    assert uses
    pinned = re.compile(r"(- )?uses: [\w.-]+(/[\w.-]+)+@[0-9a-f]{40} # v\d+(\.\d+)*")
    assert [line for line in uses if not pinned.fullmatch(line)] == []
