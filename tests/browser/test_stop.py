"""The stop buttons in a browser."""

import asyncio

import pytest

from console.rig import Rig
from handheld.access.takeover import TakenOver

from .chromium import Browser, Page

pytestmark = pytest.mark.needs_browser

PRESS = {"x": 300, "y": 900, "duration": 60_000}


async def test_the_stop_button_of_a_phone_stops_agents_and_lets_them_go_on(
    rig: Rig, page: Page, browser: Browser
) -> None:
    other = await browser.open(rig.url)
    try:
        await other.log_in(rig.console.make_link(rig.url))
        pressing = asyncio.ensure_future(rig.agent("long_press", **PRESS))
        await rig.until(lambda: bool(rig.phone.world.injection.down))
        await page.click("button", "Stop agents")
        with pytest.raises(TakenOver):
            await pressing
        await other.sees("Agents are held back.")
        await page.click("button", "Home")
        await page.sees("Home button press executed successfully")
        await other.click("button", "Resume agents")
        await page.until("() => document.querySelector('.single .stop')")
        assert await rig.agent("get_screen_state")
    finally:
        await other.close()


async def test_all_agents_are_stopped_from_every_page(rig: Rig, page: Page) -> None:
    await page.open("timeline")
    # A second click lands on "Resume agents".
    button = {"name": "Stop all agents", "exact": True}
    await page.steps(["getByRole", "button", button], ["dblclick"])
    await page.sees("All agents are held back.")
    with pytest.raises(TakenOver):
        await rig.agent("get_screen_state")
    await page.click("button", "Resume agents")
    await page.until("() => document.querySelector('header .stop')")
    assert await rig.agent("get_screen_state")
