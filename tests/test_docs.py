"""The docs match the code, and tests refer only to the docs."""

import ast
import json
import re
import runpy
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from handheld.calls.local import STAGES, STAGES_OF_FLEET, STAGES_OF_STEPS
from harness.packages import sources
from harness.polling import HANG
from left_out import LEFT_OUT

ROOT = Path(__file__).resolve().parent.parent


def test_the_generated_docs_are_up_to_date() -> None:
    run = subprocess.run(
        [sys.executable, "scripts/docs.py", "--check"],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        timeout=HANG,
        check=False,
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


MARK = re.compile(r"(?!v1$)[a-z]{1,2}[0-9]+")
"""A letter or two and a number: the mark of a rule in some other document. v1 is a surface."""
SUSPECTS = re.compile(r'def test_(?:[a-z]{1,2}[0-9]|\w*ruling)|"""\s*(?:Rulings? )?[A-Z]{1,2}[0-9]')
"""What a file must contain to be worth parsing."""
ONLY_MARKS = re.compile(r"(Rulings? )?[A-Z]{1,2}[0-9]+((, | and )[A-Z]{1,2}[0-9]+)*[.:]?")


def marks_in(code: str) -> Iterator[str]:
    """Test names that begin with a mark, and docstrings that are a mark or begin with one."""
    for node in ast.walk(ast.parse(code)):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        name = "" if isinstance(node, ast.Module) else node.name
        words = name.split("_")[1:] if name.startswith("test_") else []
        if "ruling" in words or (words and MARK.fullmatch(words[0])):
            yield name
        message = ast.get_docstring(node) or ""
        if ONLY_MARKS.fullmatch(message.strip()) or ONLY_MARKS.fullmatch(message.partition(":")[0]):
            yield message


def test_external_marks_are_found() -> None:
    for name in ("test_h4_x", "test_ruling_m1_x", "test_x_of_ruling_m1"):
        assert SUSPECTS.search(f"def {name}(): ...")
    assert list(marks_in("def test_h4_x(): ...\nasync def test_ruling_m1_x(): ...")) == [
        "test_h4_x",
        "test_ruling_m1_x",
    ]
    for message in ("T1.", "A1, A2", "Ruling S2.", "Rulings I2 and I3.", "W2: attempts counts"):
        code = f'class One:\n    """{message}"""'
        assert SUSPECTS.search(code)
        assert list(marks_in(code)) == [message], message
    for message in ("x", "Lists: all of them.", "UTF8 is text."):
        assert (
            list(marks_in(f'"""{message}"""\ndef test_a_2_x(): ...\ndef test_v1_x(): ...')) == []
        ), message


def test_no_test_is_named_after_an_external_mark() -> None:
    found = {
        str(path.relative_to(ROOT)): marks
        for path in (ROOT / "tests").rglob("*.py")
        if SUSPECTS.search(code := path.read_text(encoding="utf-8"))
        and (marks := list(marks_in(code)))
    }
    assert found == {}


def test_behaviour_is_numbered_from_one_and_every_reference_names_a_number() -> None:
    page = (ROOT / "docs" / "behaviour.md").read_text(encoding="utf-8")
    numbers = [int(number) for number in re.findall(r"^- \*\*(\d+)\*\* ", page, re.MULTILINE)]
    assert sorted(numbers) == list(range(1, len(numbers) + 1))
    files = {
        *sources().values(),
        *(
            path
            for folder in ("tests", "src", "docs")
            for path in (ROOT / folder).rglob("*")
            if path.suffix in (".py", ".md", ".toml") and path.name != "test_docs.py"
        ),
    }
    named = {
        int(number)
        for path in files
        for number in re.findall(r"\bbehaviours? (\d+)\b", path.read_text(encoding="utf-8"))
    }
    assert named <= set(numbers)
    assert named, "behaviour.md itself names some"


PAGES = [
    *ROOT.glob("*.md"),
    *(
        page
        for folder in ("docs", "examples", "plugins", "src")
        for page in (ROOT / folder).rglob("*.md")
    ),
]
CODE = re.compile(r"^```.*?^```|`[^`\n]+`", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)#:\s]*)(?:#([^)\s]*))?\)|<img [^>]*src=\"([^\":]+)\"")
SITE = runpy.run_path(str(ROOT / "scripts" / "site_pages.py"))
SLUG = SITE["slug"]


@cache
def anchors_of(page: Path) -> set[str]:
    """What can be linked to in a page, as code hosts and our site name it."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.S | re.M)
    headings = re.findall(r"^#+ (.+)$", text, re.M)
    return {SLUG(re.sub(r"\[([^]]*)\]\([^)]*\)|[`*]", r"\1", heading)) for heading in headings}


def broken_links(page: Path) -> Iterator[str]:
    """Links of a page to a file or to a heading that is not there."""
    for link, anchor, picture in LINK.findall(CODE.sub("", page.read_text(encoding="utf-8"))):
        file = link or picture
        target = page.parent / file if file else page
        if not target.exists() or (anchor and anchor not in anchors_of(target)):
            yield f"{page.name}: {file}#{anchor}"


def test_links_are_found_and_judged(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# One `two` & [three](page.md)\n[a](#one-two--three) [b](page.md#one) [c](gone.md)"
        ' `[d](no.md)` <img src="gone.png"> [e](https://example.com/#x)\n```\n# [f](no.md)\n```\n',
        encoding="utf-8",
    )
    assert anchors_of(page) == {"one-two--three"}
    found = ["page.md: page.md#one", "page.md: gone.md#", "page.md: gone.png#"]
    assert list(broken_links(page)) == found


def test_the_docs_link_to_existing_pages_and_headings() -> None:
    assert [link for page in PAGES for link in broken_links(page)] == []


def test_the_site_names_links_by_the_titles_of_pages() -> None:
    menu = [{"Start": "index.md"}, {"Use": [{"More": [{"Real phones": "phones.md"}]}]}]
    listed = list(SITE["titles"](menu))
    assert listed == [("index.md", "Start", ""), ("phones.md", "Real phones", "Use")]
    names = {page: title for page, title, _ in listed}
    for text, shown in (
        ("[docs/phones.md](../phones.md#a), [b](../phones.md)", "[Real phones](../phones.md#a), "),
        ("[gone.md](gone.md) [c.md](https://example.com/c.md)", "[gone.md](gone.md) [c.md](http"),
    ):
        assert SITE["name_by_title"](text, "guides/wifi.md", names).startswith(shown)


PLACE = re.compile(
    r"`((?:src/)?handheld(?:_virtual)?/[\w./]+|(?:tests|bench|chaos|scripts)/[\w./]+)`"
)


def places(page: Path) -> set[str]:
    """The files and folders of the code that a page names."""
    return set(PLACE.findall(page.read_text(encoding="utf-8")))


def test_the_docs_name_files_that_are_there() -> None:
    named = {(page.name, place) for page in PAGES for place in places(page)}
    for folder in ("handheld_virtual/", "src/handheld_virtual/", "tests/", "src/handheld/"):
        assert any(place.startswith(folder) for _, place in named), folder
    gone = {
        (page, place)
        for page, place in named
        if not any((base / place).exists() for base in (ROOT, ROOT / "src"))
    }
    assert gone == set()


def test_what_is_to_be_changed_for_an_addition_is_there() -> None:
    """Paths of that page are below the package, unless they begin with another folder."""
    page = (ROOT / "docs" / "adding.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:\w+/)+[\w.]*)`", page))
    assert len(named) > 30
    bases = (ROOT / "src" / "handheld", ROOT / "src", ROOT)
    assert {one for one in named if not any((base / one).exists() for base in bases)} == set()


SAMPLES = [
    file
    for file in (ROOT / "app-tools" / "samples").rglob("*")
    if file.suffix in (".java", ".kt", ".xml") and "target" not in file.parts
]
SNIPPET = re.compile(r"(?ms)^```(\w+)\n(.*?)^```$")
LEFT_AWAY = ("// …", "<!-- … -->")
ABOUT_APPS = (ROOT / "docs" / "app-tools.md", ROOT / "docs" / "guides" / "app-tools.md")


def snippets(page: Path) -> Iterator[str]:
    """The code for Android in a page."""
    for language, code in SNIPPET.findall(page.read_text(encoding="utf-8")):
        if language in ("java", "kotlin") or (language == "xml" and page in ABOUT_APPS):
            yield code


def is_in(code: str, file: str) -> bool:
    """Whether the lines are in the file, in this order, and together where no mark says that some
    are left away; the indentation of what stands together does not count."""
    parts: list[list[str]] = [[]]
    for line in code.splitlines():
        if line.strip() in LEFT_AWAY:
            parts.append([])
        else:
            parts[-1].append(line)
    lines, at = file.splitlines(), 0
    for part in (textwrap.dedent("\n".join(part)).strip("\n") for part in parts):
        size = part.count("\n") + 1
        while textwrap.dedent("\n".join(lines[at : at + size])) != part:
            at += 1
            if at + size > len(lines):
                return False
        at += size
    return True


def test_a_snippet_is_found_only_as_it_is() -> None:
    file = "class A {\n    int a() {\n        return 1;\n    }\n\n    int b;\n}\n"
    for code in (
        "int a() {\n    return 1;\n}\n",
        "class A {\n    // …\n    int b;\n}\n",
        "class A {\n    int a() {\n        // …\n    }\n\n    int b;\n",
    ):
        assert is_in(code, file), code
    for code in (
        "int a() {\n  return 1;\n}\n",
        "int a() {\n    return 2;\n}\n",
        "int b;\n// …\nint a() {\n",
        "int a() {\n}\n",
        "return 1\n",
    ):
        assert not is_in(code, file), code


def test_the_code_for_android_is_that_of_the_samples_that_are_built() -> None:
    texts = [file.read_text(encoding="utf-8") for file in SAMPLES]
    shown = [(page.name, code) for page in PAGES for code in snippets(page)]
    assert len(shown) > 10
    assert [one for one in shown if not any(is_in(one[1], text) for text in texts)] == []


def test_every_sample_is_built() -> None:
    modules = set(
        re.findall(
            r"<module>samples/(.+)</module>", (ROOT / "app-tools" / "pom.xml").read_text("utf-8")
        )
    )
    assert modules == {
        file.relative_to(ROOT / "app-tools" / "samples").parts[0] for file in SAMPLES
    }


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


def test_make_test_names_the_command_of_every_marker_that_it_leaves_out() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    options = project["tool"]["pytest"]["ini_options"]
    left_out = set(re.findall(r"\w+", options["addopts"][-1].removeprefix("-m not"))) - {"or"}
    markers = dict(line.split(": ", 1) for line in options["markers"])
    commands = {command for _, command in LEFT_OUT}
    unnamed = {name for name in left_out if markers[name].split("; run by ")[-1] not in commands}
    assert unnamed == set()
    assert [one for one in commands if one.startswith("make ") and not is_made(one)] == []


MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = set(re.findall(r"(?m)^([a-z-]+):", MAKEFILE))
RECIPES = set(re.findall(r"(?m)^define (\w+\.[a-z-]+)", MAKEFILE))
MAKE = re.compile(r"(?:`|run: )(make [a-z-]+(?: [A-Z]+=[^\s`]+)*)|^step .* (make .+)$", re.M)


def is_made(command: str) -> bool:
    """Whether the Makefile has the target and, if one is chosen, its WHAT."""
    _, target, *values = command.split()
    chosen = dict(value.split("=", 1) for value in values if "=" in value).get("WHAT")
    return target in TARGETS and (chosen is None or f"{target}.{chosen}" in RECIPES)


def test_only_what_the_makefile_has_is_made() -> None:
    assert is_made("make test WHAT=fleet SHORT=1")
    assert not is_made("make test WHAT=nothing")
    assert not is_made("make nothing")


def test_the_docs_and_ci_name_targets_of_the_makefile() -> None:
    files = [*PAGES, ROOT / ".ci" / "run", *(ROOT / ".github").rglob("*.yml")]
    named = {
        (file.name, "".join(found))
        for file in files
        for found in MAKE.findall(file.read_text(encoding="utf-8"))
    }
    assert len(named) > 30
    assert {one for one in named if not is_made(one[1])} == set()
    assert len(TARGETS) <= 25


def test_the_package_declares_the_pythons_that_were_tried() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = re.findall(r":: (3\.\d+)$", "\n".join(project["classifiers"]), re.MULTILINE)
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    assert declared == re.findall(r"^\| (3\.\d+)\.\d+ \|", page, re.MULTILINE)


def test_the_design_lists_the_stages_of_a_call() -> None:
    page = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    listed = re.findall(r"^   \| `(\w+)` \|", page, re.MULTILINE)
    assert listed == [stage.__name__ for stage in STAGES]
    [besides] = re.findall(r"^   A tool about all phones has .*", page, re.MULTILINE)
    named = re.findall(r"`(\w+)`", besides)
    assert named == [stage.__name__ for stage in (*STAGES_OF_FLEET, *STAGES_OF_STEPS)]


def test_the_readme_names_the_tools_for_models() -> None:
    lists = json.loads((ROOT / "tests" / "server" / "tool_lists.json").read_text(encoding="utf-8"))
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    named = re.findall(r"^\| `(phone_\w+)` \|", page, re.MULTILINE)
    assert named == [tool["name"] for tool in lists["/mcp/agent"]]


def test_decisions_are_few_and_short_and_say_what_would_change_them() -> None:
    folder = ROOT / "docs" / "decisions"
    pages = sorted(folder.glob("0*.md"))
    assert [int(page.name[:4]) for page in pages] == list(range(1, len(pages) + 1))
    assert len(pages) <= 15
    index = (folder / "index.md").read_text(encoding="utf-8")
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert f"]({page.name})" in index, page.name
        assert len(text.split()) <= 200, page.name
        said = re.findall(r"^\*\*(.+?)\.\*\* ", text, re.MULTILINE)
        assert said == ["What", "Why", "Measured", "What would change it"], page.name


def test_what_has_a_reference_beside_it_is_read_in_ten_minutes() -> None:
    for reference in (ROOT / "docs").glob("*-reference.md"):
        page = reference.with_name(reference.name.replace("-reference", ""))
        text = page.read_text(encoding="utf-8")
        assert len(text.split()) <= 1500, page.name
        assert f"]({reference.name}" in text, page.name


def test_only_one_page_is_called_screenshots() -> None:
    """A search of the site ranks titles first."""
    headings = {
        (page.name, heading)
        for page in PAGES
        for heading in re.findall(
            r"^#+ (.*screenshot.*)$", page.read_text(encoding="utf-8"), re.M | re.I
        )
    }
    assert headings == {("screenshots.md", "Screenshots")}
