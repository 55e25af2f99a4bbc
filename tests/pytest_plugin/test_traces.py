"""The pages of tests that failed."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from handheld.library.masks import Shown
from handheld.library.tracing import Trace, TracedCall
from handheld.pytest_plugin.trace_page import MOST_TEXT, Section, write_page
from handheld.pytest_plugin.traced_test import page_name

pytest_plugins = ["pytester"]

TESTS = """
import logging
import pytest

def test_password(phone):
    phone.open("Login")
    phone.type("correct horse", into="Password")
    logging.getLogger("mine").warning("typed correct horse")
    print("<b>printed</b>")
    phone.expect("Welcome, Ada", seconds=1)

def test_passes(phone):
    phone.open("Settings")

@pytest.fixture
def broken(phone):
    phone.open("Clock")
    yield
    raise OSError("broken")

def test_teardown(broken): ...

@pytest.mark.xfail
def test_expected(phone):
    phone.tap("Nothing")

def test_without_a_phone():
    assert False
"""


def run(pytester: pytest.Pytester, *options: str) -> pytest.RunResult:
    return pytester.runpytest_inprocess("-p", "no:cacheprovider", *options)


def pages(folder: Path) -> list[str]:
    return sorted(re.sub("-[0-9a-f]{8}", "", path.name) for path in folder.glob("*"))


def test_failed_tests_leave_a_page_and_say_where(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_shop=TESTS)
    result = run(pytester)
    result.assert_outcomes(passed=2, failed=2, errors=1, xfailed=1)
    folder = pytester.path / "test-results"
    assert pages(folder) == ["test_shop.py-test_password.html", "test_shop.py-test_teardown.html"]
    result.stdout.fnmatch_lines(
        ["*- phone trace -*", "test-results/test_shop.py-test_password-*.html"]
    )
    [page] = [each.read_text("utf-8") for each in folder.glob("*password*")]
    assert "correct horse" not in page
    assert "type(text=&#x27;(masked)&#x27;, into=&#x27;Password&#x27;)" in page
    assert "&#x27;Welcome, Ada&#x27; is not on the screen after 1 s." in page
    assert "&lt;b&gt;printed&lt;/b&gt;" in page
    assert "typed (masked)" in page
    assert "Android 14, API 34" in page
    assert "Log of dev.handheld.login" in page
    assert page.count("data:image/jpeg;base64,") == 3, "home, the empty form, the password in it"
    # A later run, in which it passes, takes its page away.
    pytester.makepyfile(test_shop=TESTS.replace("Welcome, Ada", "Welcome back"))
    run(pytester, "-k", "password").assert_outcomes(passed=1)
    assert pages(folder) == ["test_shop.py-test_teardown.html"]


@pytest.mark.matrix
@pytest.mark.parametrize(
    ("options", "folder", "there"),
    [
        (("--phone-traces=always",), "test-results", True),
        (("--phone-traces", "out/pages", "--phone-traces=always"), "out/pages", True),
        (("--phone-traces", "out"), "out", False),
        (("--phone-traces=off",), "test-results", False),
    ],
)
def test_options_say_when_and_where(
    pytester: pytest.Pytester, options: tuple[str, ...], folder: str, there: bool
) -> None:
    pytester.makepyfile(test_shop=TESTS)
    run(pytester, "-k", "passes", *options).assert_outcomes(passed=1)
    found = pages(pytester.path / folder)
    assert found == (["test_shop.py-test_passes.html"] if there else [])


@pytest.mark.matrix
def test_a_page_that_cannot_be_written_is_told(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_shop=TESTS)
    (pytester.path / "taken").write_text("", encoding="utf-8")
    result = run(pytester, "-k", "password", "--phone-traces=taken")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["It cannot be written to *: *."])


@pytest.mark.matrix
def test_off_means_that_nothing_is_kept(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_shop=TESTS)
    result = run(pytester, "-k", "password", "--phone-traces=off")
    result.assert_outcomes(failed=1)
    result.stdout.no_fnmatch_line("*phone trace*")


def test_what_cannot_be_written_as_text_is_escaped(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        test_odd="def test_it(phone): raise OSError('no \\udcff \\x00 </pre><script>')"
    )
    run(pytester).assert_outcomes(failed=1)
    [page] = (pytester.path / "test-results").iterdir()
    assert "no \\udcff \x00 &lt;/pre&gt;&lt;script&gt;" in page.read_text(encoding="utf-8")


class Loads(HTMLParser):
    """Collects what a page loads or runs."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            inside = (value or "").startswith(("#", "data:"))
            if name.startswith("on") or (
                name in ("src", "href", "srcset", "action") and not inside
            ):
                self.found.append(f"{tag} {name}={value}")
        if tag in ("script", "iframe", "link", "object"):
            self.found.append(tag)


def test_a_page_loads_nothing_runs_nothing_and_is_bounded() -> None:
    trace = Trace()
    evil = '"><script>alert(1)</script><img src=x onerror=y>'
    for number in range(3):
        shown = Shown(evil, {evil: evil}, (evil * 1000,))
        call = TracedCall(number, evil, 0.0, 1.0, shown, [shown], failed=bool(number % 2))
        call.before = call.after = "aa"
        trace.calls.append(call)
    trace.pictures["aa"] = b"\xff\xd8 no picture"
    trace.calls.append(TracedCall(9, "wait", 0.0))
    page = write_page(evil, "failed", evil, evil, trace, [Section(evil, evil)])
    loads = Loads()
    loads.feed(page)
    assert loads.found == []
    assert "default-src 'none'" in page
    assert "@import" not in page
    assert "url(" not in page
    assert "It had not ended." in page
    assert len(page) < 6 * 6 * MOST_TEXT + 20_000


def test_two_tests_have_two_pages() -> None:
    names = ["a/b.py::c", "a-b.py::c", "a/b.py::c[x y]", "a/b.py::c[x-y]", "a.py::" + "x" * 300]
    files = {page_name(name) for name in names}
    assert len(files) == len(names)
    assert all(re.fullmatch(r"[\w.\[\]-]{1,120}\.html", file) for file in files)
