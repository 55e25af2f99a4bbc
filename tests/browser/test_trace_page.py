"""The page of a failed test, whose texts are an app's, in a browser."""

import pytest

from handheld.library.masks import Shown
from handheld.library.tracing import Trace, TracedCall
from handheld.pytest_plugin.trace_page import Section, write_page

from .chromium import Browser
from .test_hostile import BIDI, HUGE, MARKUP

pytestmark = pytest.mark.needs_browser

HOSTILE = (
    f"{MARKUP}{BIDI}</title></style></pre></code></svg></a>{MARKUP}"
    "<svg onload=\"document.title='owned'\"><math><style><img src=x onerror=alert(1)>"
    "<base href='http://127.0.0.1:9/'><meta http-equiv=refresh content='0;url=about:blank'>"
)
INTRUDERS = """() => [
  document.querySelectorAll("img, script, iframe, math, base, link, form, object").length,
  document.title.startsWith("<img"),
  [...document.querySelectorAll("*")].flatMap((each) => each.getAttributeNames())
    .filter((name) => name.startsWith("on")).length,
]"""


async def test_texts_of_apps_and_tests_are_text(browser: Browser) -> None:
    trace = Trace()
    shown = Shown(HOSTILE, {HOSTILE: HOSTILE}, (HOSTILE, HUGE))
    trace.calls.append(TracedCall(1, HOSTILE, 0.0, 1.0, shown, [shown], failed=True))
    sections = [Section(HOSTILE, HOSTILE)]
    page = await browser.open("")
    try:
        await page.steps(
            ["setContent", write_page(HOSTILE, "failed", HOSTILE, HOSTILE, trace, sections)]
        )
        assert await page.evaluate(INTRUDERS) == [0, True, 0]
        assert await page.noted() == []
    finally:
        await page.close()


async def test_what_became_markup_would_not_run(browser: Browser) -> None:
    text = write_page("test", "failed", "", "", Trace(), [])
    page = await browser.open("")
    try:
        await page.steps(["setContent", text.replace("<h2>Calls</h2>", MARKUP)])
        assert await page.evaluate("() => document.querySelectorAll('script').length") == 1
        assert await page.evaluate("() => document.title") == "test"
        assert not [each for each in await page.noted() if each.startswith(("dialog", "request"))]
    finally:
        await page.close()
