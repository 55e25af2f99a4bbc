"""Accessibility and layout: keyboard, screen readers, color schemes, sizes, a long record."""

from pathlib import Path
from typing import Any

import pytest

from console.rig import Rig
from handheld.tools.call import Caller, ToolCall
from handheld.tools.tool import Listing

from .agent import asking
from .chromium import LAPTOP, PHONE, TABLET, Browser, Page

pytestmark = pytest.mark.needs_browser

TABS = ("Phone", "Timeline", "Approvals", "Tokens", "Settings", "Apps", "Doctor")
HERE = Path(__file__).parent
FAULTS, FAINT, SCROLLING = (
    (HERE / f"{name}.js").read_text(encoding="utf-8") for name in ("faults", "faint", "scrolling")
)
PICTURES = Path(__file__).resolve().parents[2] / "build" / "console"


@pytest.mark.parametrize(
    ("size", "scheme"),
    [(LAPTOP, "light"), (LAPTOP, "dark"), (TABLET, "light"), (TABLET, "dark"), (PHONE, "light")],
    ids=["laptop", "laptop-dark", "tablet", "tablet-dark", "phone"],
)
async def test_every_page_fits_and_is_accessible(
    rig: Rig, browser: Browser, scheme: str, size: dict[str, int]
) -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    await rig.agent("open_app", package_id="com.android.calculator2")
    rig.tokens.make(f"{scheme}-{size['width']}", ("screen", "touch"), (), True)
    page = await browser.open(rig.url, colorScheme=scheme, viewport=size)
    try:
        await page.log_in(rig.console.make_link(rig.url))
        for tab in TABS:
            await page.open(tab.lower())
            if tab == "Phone":
                await page.click("button", "Show elements")
                await page.until("() => document.querySelector('.element')")
            if tab == "Timeline":
                await page.until("() => document.querySelector('li.call')")
                await page.press("j")
            if tab == "Settings":
                await page.sees("Add a folder")
                await page.evaluate(
                    "() => document.querySelectorAll('details').forEach((each) => each.open = true)"
                )
            if tab == "Doctor":
                await page.until("() => document.querySelectorAll('.finding').length > 3")
            await check_page(page, f"{tab.lower()}-{scheme}-{size['width']}")
        await page.open("approvals")
        async with asking(rig, "delete_file", location_id="x", path="notes.txt"):
            await page.sees("Matched rule")
            await page.until("() => !document.querySelector('.question button').disabled")
            await check_page(page, f"question-{scheme}-{size['width']}")
            await page.click("button", "Deny")
        assert await page.noted() == []
    finally:
        await page.close()


BUTTONS = """() => [...document.querySelectorAll(".question .row button")].map((each) => {
  const { left, right, height } = each.getBoundingClientRect();
  return [left, right, height];
})"""
OWN_PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "isMobile": True,
    "hasTouch": True,
}


async def test_a_question_is_answered_by_touch_in_the_browser_of_a_phone(
    rig: Rig, browser: Browser
) -> None:
    """Of the phone itself: at the answer another app is in front than in the question."""
    page = await browser.open(rig.url, deviceScaleFactor=3, **OWN_PHONE)
    try:
        await page.log_in(rig.console.make_link(rig.url))
        await page.open("approvals")
        await rig.agent("open_app", package_id="com.android.calculator2")
        message = {"to_phone_number": "+36201234567", "subscription_id": 14}
        async with asking(rig, "send_sms", sms_text="Hello " * 26, **message) as sending:
            await page.sees("Matched rule")
            rig.phone.world.show("com.android.browser")
            await page.until("() => !document.querySelector('.question button').disabled")
            await check_page(page, "question-own-phone")
            for left, right, height in await page.evaluate(BUTTONS):
                assert 0 <= left < right <= 390
                assert height >= 24
            await page.steps(["getByRole", "button", {"name": "Allow once"}], ["tap"])
            assert "+36201234567" in await sending
        assert await page.noted() == []
    finally:
        await page.close()


async def check_page(page: Page, name: str) -> None:
    found: dict[str, Any] = {
        "faults": await page.evaluate(FAULTS),
        "faint": await page.evaluate(FAINT),
        "wide": await page.evaluate(
            "() => document.documentElement.scrollWidth > document.documentElement.clientWidth"
        ),
    }
    await page.picture(PICTURES / f"{name}.png")
    assert found == {"faults": [], "faint": [], "wide": False}, name


async def test_every_page_is_reachable_by_keyboard(page: Page) -> None:
    focus = "() => document.activeElement.textContent.trim()"
    await page.press("Tab")
    assert await page.evaluate(focus) == "Skip to content"
    for tab in TABS:
        for _ in range(20):
            if (await page.evaluate(focus)).startswith(tab):
                break
            await page.press("Tab")
        await page.press("Enter")
        await page.until("tab => document.querySelector(`main.page-${tab} h2`)", tab.lower())
    await page.until("() => !document.querySelector('main button').disabled")
    # From the last tab into the page and out again: no keyboard trap.
    seen: set[str] = set()
    for _ in range(12):
        await page.press("Tab")
        seen.add(await page.evaluate(focus))
    assert {"Log out", "Run again"} <= seen


async def test_the_picture_can_be_left_with_the_keyboard(rig: Rig, page: Page) -> None:
    await page.open("phone")
    await page.steps(["locator", "canvas"], ["focus"])
    await page.press("Tab")
    assert await page.evaluate("() => document.activeElement.tagName") == "BUTTON"
    await page.press("Shift+Tab")
    assert await page.evaluate("() => document.activeElement.tagName") == "CANVAS"


async def test_a_thousand_calls_scroll_and_filter_without_lag(rig: Rig, page: Page) -> None:
    listing = Listing("android_tap", "Tap", "", {"properties": {"x": {}, "y": {}}})
    for number in range(1000):
        call = ToolCall("tap", listing, {"x": number, "y": 7}, Caller("http", "agent"), "virtual")
        rig.audit.end(rig.audit.begin(call), "done", [f"Tapped at {number}."], 3.0)
    await page.open("timeline")
    await page.until("() => document.querySelectorAll('li.call').length >= 300")
    rows, first, last = await page.evaluate(SCROLLING)
    assert rows >= 1000
    # A frame with all rows costs about as much as one with the first: how long either takes
    # depends on the machine.
    assert last < 3 * first + 50
    # The scroll position is kept when calls arrive.
    top = """() => {
      const box = document.querySelector(".scroll").getBoundingClientRect();
      return document.elementFromPoint(box.left + 50, box.top + 20).closest("li").dataset.id;
    }"""
    read = await page.evaluate(top)
    call = ToolCall("tap", listing, {"x": 1, "y": 7}, Caller("http", "agent"), "virtual")
    id = rig.audit.begin(call)
    rig.audit.end(id, "done", ["Tapped just now."], 3.0)
    await page.until("id => document.querySelector(`li[data-id='${id}']`)", id)
    assert await page.evaluate(top) == read
    slow = await page.evaluate("""async () => {
      const field = document.querySelector("input[type=search]");
      const times = [];
      for (const text of ["T", "Ta", "Tap", "Tapped at 99", "Tapped at 999."]) {
        field.value = text;
        const began = performance.now();
        field.dispatchEvent(new Event("input", { bubbles: true }));
        times.push(performance.now() - began);
        await new Promise(requestAnimationFrame);
      }
      return Math.max(...times);
    }""")
    assert slow < 100
    await page.until("() => document.querySelectorAll('li.call').length === 1")
    # More calls arrive while the list is filtered.
    for number in range(200):
        call = ToolCall("tap", listing, {"x": number}, Caller("http", "agent"), "virtual")
        rig.audit.end(rig.audit.begin(call), "done", ["Tapped at 999. again"], 3.0)
    await page.until("() => document.querySelectorAll('li.call').length > 100")
