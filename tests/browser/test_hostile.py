"""Untrusted text is shown as text only."""

import json
import re

import pytest

from console.rig import Rig
from handheld_virtual.toolkit import Activity, App, Text, View

from .agent import asking
from .chromium import Page

pytestmark = pytest.mark.needs_browser

MARKUP = "<img src=x onerror=\"document.title='owned'\"><script>alert(1)</script>"
BIDI = "invoice\u202efdp.exe \u2066\u2067 \u200f"
HUGE = "W\u0336" * 20_000
HOSTILE = {"markup": MARKUP, "bidi": BIDI, "huge": HUGE}

INVISIBLE = re.compile("[\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069]")

INTRUDERS = """() => [
  document.querySelectorAll("main img, main script, main iframe, main style, main link").length,
  document.title.includes("owned"), document.documentElement.scrollWidth > innerWidth,
]"""


class Screen(Activity):
    def content(self) -> View:
        return Text(f"{MARKUP}{BIDI}", id="words")


class Hostile(App):
    package = "org.example.hostile"
    label = MARKUP
    screens = (Screen,)


def named(text: str) -> str:
    """The text as the console shows it, with invisible characters named."""
    return INVISIBLE.sub(lambda found: f"U+{ord(found[0]):04X}", text)


async def check_unharmed(page: Page) -> None:
    assert await page.evaluate(INTRUDERS) == [0, False, False]


@pytest.mark.parametrize("kind", HOSTILE)
async def test_a_hostile_message_in_a_question_is_text(rig: Rig, page: Page, kind: str) -> None:
    text = HOSTILE[kind][:150]  # longer ones are rejected before the question
    await page.open("approvals")
    async with asking(rig, "send_sms", to_phone_number="+36201234567", sms_text=text) as sending:
        await page.sees("Matched rule")
        shown = await page.evaluate(
            "() => [...document.querySelectorAll('.question pre')].map((item) => item.textContent)"
        )
        assert named(text) in shown
        await check_unharmed(page)
        # The buttons are in reach however long the text is.
        await page.click("button", "Deny")
        assert "said no" in await sending


async def test_the_buttons_are_visible_however_long_the_arguments(rig: Rig, page: Page) -> None:
    await page.open("approvals")
    path = "notes\n" + "\n" * 500 + "x" * 3000
    async with asking(rig, "delete_file", location_id="y" * 900, path=path) as deleting:
        await page.until("() => document.querySelector('.question button:enabled')")
        assert await page.evaluate(
            "() => [...document.querySelectorAll('.question button')]"
            ".every((item) => item.getBoundingClientRect().bottom < innerHeight)"
        )
        await page.sees("3506 characters in 502 lines, scroll to see them all")
        await page.click("button", "Deny")
        assert "said no" in await deleting


@pytest.mark.parametrize("kind", HOSTILE)
async def test_arguments_in_the_timeline_are_text(rig: Rig, page: Page, kind: str) -> None:
    with pytest.raises(Exception, match=r"."):
        await rig.agent("open_app", package_id=HOSTILE[kind][:900])
    await page.open("timeline")
    await page.steps(["locator", "ol.calls a"], ["first"], ["click"])
    start = named(HOSTILE[kind])[:19]
    await page.until(
        "start => document.querySelector('.detail').textContent.includes(start)", start
    )
    await check_unharmed(page)


async def test_a_hostile_app_on_the_screen_is_text(rig: Rig, page: Page) -> None:
    rig.phone.world.install(Hostile)
    await rig.agent("open_app", package_id=Hostile.package)
    await page.open("phone")
    await page.click("button", "Show elements")
    await page.until(
        "markup => [...document.querySelectorAll('.element')]"
        ".some((item) => item.textContent.includes(markup.slice(0, 30)))",
        MARKUP,
    )
    await check_unharmed(page)


@pytest.mark.parametrize("kind", HOSTILE)
async def test_a_hostile_label_among_the_app_tools_is_text(rig: Rig, page: Page, kind: str) -> None:
    text = HOSTILE[kind]
    pin = {"signer": text[:200], "parts": {text[:200]: "1"}}
    record = {
        "package": "org.example.hostile",
        "label": text,
        "tools": [text[:200]],
        "seen": pin,
        "approved": {"signer": "aa", "parts": {}},
        "revoked": False,
        "problems": [text],
    }
    file = rig.settings.folders.apps
    file.parent.mkdir(parents=True, exist_ok=True)
    book = {"names": {}, "phones": {text[:200]: {"org.example.hostile": record}}}
    file.write_text(json.dumps(book), encoding="utf-8")
    await page.open("apps")
    await page.sees("Withdrawn: it has changed")
    label = await page.evaluate("() => document.querySelector('.app h4').textContent")
    assert label == named(text)
    await check_unharmed(page)
    await page.click("button", "Revoke")
    await page.click("button", "Yes, revoke")
    await page.sees("Revoked")
    file.unlink()
