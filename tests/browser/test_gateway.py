"""The console of a gateway in a browser."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from fleet.nats.console_lab import GatewayConsole, open_console
from fleet.nats.fleet_lab import Fleet, open_fleet
from fleet.nats.lab import nats_server
from handheld.fleet.nats.directory import HostRow, LeaseRow, PhoneRow, Registrar

from .chromium import PHONE, Browser, Page
from .test_hostile import BIDI, MARKUP, check_unharmed, named

pytestmark = [pytest.mark.needs_browser, pytest.mark.needs_nats]

MANY = 1000
SHOWN = "() => document.querySelector('.tools [role=status]').textContent"
CARDS = "() => [...document.querySelectorAll('.fleet .card')].filter((card) => !card.hidden)"
FRAMES = """() => new Set(performance.getEntriesByType("resource").map(({ name }) => name)
  .filter((name) => name.includes("/frame")).map((name) => name.split("?")[0])).size"""


@pytest.fixture
async def fleet(tmp_path: Path) -> AsyncGenerator[Fleet]:
    if nats_server() is None:
        pytest.fail("There is no nats-server: `make test WHAT=fleet` installs one.")
    async with open_fleet(tmp_path) as fleet:
        yield fleet


@asynccontextmanager
async def looking(
    browser: Browser, console: GatewayConsole, **options: Any
) -> AsyncGenerator[Page]:
    page = await browser.open(console.url, **options)
    await page.log_in(console.console.make_link(console.url))
    try:
        yield page
    finally:
        await page.close()


@asynccontextmanager
async def rows_of(fleet: Fleet, name: str, rows: list[PhoneRow]) -> AsyncGenerator[Registrar]:
    """A host that has only its rows in the directory."""
    async with fleet.lab.wires(fleet.lab.member("host")) as [wire]:
        registrar = Registrar(wire, HostRow(name, "1"))
        for row in rows:
            registrar.set(row)
        running = asyncio.create_task(registrar.run())
        try:
            yield registrar
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)


async def says(page: Page, words: str) -> None:
    await page.until(f"(words) => ({SHOWN})() === words", words)


async def test_a_thousand_phones_are_filtered_and_only_those_in_view_are_asked_for(
    fleet: Fleet, browser: Browser
) -> None:
    rows = [
        PhoneRow(f"S{number}", slug=f"p{number}", model="Pixel", tags=(f"shelf{number % 5}",))
        for number in range(MANY)
    ]
    console = await open_console(fleet)
    async with rows_of(fleet, "rack", rows) as registrar, looking(browser, console) as page:
        await says(page, f"{MANY} phones")
        assert await page.count(".fleet .card") == MANY
        await page.until(f"() => ({FRAMES})() > 4")
        assert await page.count(".fleet canvas") < 40
        assert await page.evaluate(FRAMES) < 40
        names = f"() => ({CARDS})().map((card) => card.querySelector('h3').textContent)"
        assert (await page.evaluate(names))[:3] == ["p0", "p1", "p2"]
        await page.fill("Search in name, serial, host, model, tags and holder", "rack p77")
        await says(page, f"11 of {MANY} phones")
        assert (await page.evaluate(names))[:3] == ["p77", "p770", "p771"]
        await page.steps(["getByLabel", "Tag", {"exact": True}], ["selectOption", "shelf2"])
        await says(page, f"3 of {MANY} phones")
        # A change comes by itself, and a reload keeps the filters.
        registrar.set(PhoneRow("S777", slug="p777", lease=LeaseRow("tests", 1.0, 2.0, "ci")))
        await says(page, f"2 of {MANY} phones")
        await page.steps(["getByLabel", "Tag", {"exact": True}], ["selectOption", ""])
        await page.steps(["getByLabel", "State", {"exact": True}], ["selectOption", "leased"])
        await says(page, f"1 of {MANY} phones")
        await page.steps(["reload"])
        await says(page, f"1 of {MANY} phones")
        assert await page.evaluate(names) == ["p777"]
        registrar.remove("S777")
        await says(page, f"0 of {MANY - 1} phones")
        await page.sees("No matching phones.")


async def test_what_hosts_say_of_their_phones_is_text(fleet: Fleet, browser: Browser) -> None:
    words = f"{MARKUP}{BIDI}"
    lease = LeaseRow(words, 1.0, 2.0, "ci")
    row = PhoneRow(words, "odd", words, words, 34, (words,), lease=lease)
    console = await open_console(fleet)
    for options in ({}, {"viewport": PHONE}):
        async with (
            rows_of(fleet, words, [row]),
            looking(browser, console, **options) as page,
        ):
            await page.go("/#/phones?pictures=off")
            await says(page, "1 phone" if not options else "2 phones")
            # The status may still be that of the page before.
            await page.until(
                "(words) => document.querySelector('.fleet .card h3')?.textContent.includes(words)",
                named(words),
            )
            await check_unharmed(page)
            await page.evaluate("() => document.querySelector('.fleet .card a').click()")
            await page.until("() => document.querySelector('.single dl')")
            assert named(words) in await page.text(".single dl")
            await check_unharmed(page)


async def test_a_person_sees_a_phone_ends_its_lease_takes_it_over_and_approves(
    fleet: Fleet, browser: Browser
) -> None:
    host = await fleet.host("left", "middle", ask=("tap",))
    console = await open_console(fleet, "left", "middle")
    async with looking(browser, console) as page:
        await says(page, "2 phones")
        await page.until("() => document.querySelectorAll('.fleet .glass:not(.stale)').length > 1")
        await console.gateway.call("take_phone", slug="left")
        await page.sees("tests (token ci)")
        await page.evaluate("() => document.querySelector('.fleet .card a').click()")
        await page.until("() => document.querySelector('.glass.watched canvas').width > 360")
        await page.sees("Leased to tests (token ci), until")
        await page.click("button", "End lease")
        await page.until("() => document.querySelector('.lease-control').hidden")
        assert host.leases.all() == []
        console.gateway.token = "eve"
        asking = asyncio.create_task(console.gateway.call("tap", device="left", x=5, y=9))
        await page.sees("wants to call")
        await page.click("link", "Decide")
        await page.click("button", "Allow once")
        assert "failed" not in await asking
        assert host.touches("left") == 1
        await page.open("timeline")
        await page.sees("left · left: Tap executed at (5, 9)")
        await page.open("phones")
        await page.evaluate("() => document.querySelector('.fleet .card a').click()")
        await page.click("button", "Stop agents")
        await page.sees("Agents are held back.")
        refused = await console.gateway.call("press_home", device="left")
        assert "has taken it over" in refused
        await page.click("button", "Resume agents")
        await page.until("() => !document.querySelector('.stop-control.held')")
        assert "failed" not in await console.gateway.call("press_home", device="left")
        assert await page.noted() == []
