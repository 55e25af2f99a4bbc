"""Leases on a phone's page in a browser."""

import pytest

from console.rig import Rig
from console.test_leases import take

from .chromium import Page

pytestmark = pytest.mark.needs_browser


async def test_a_person_sees_who_has_leased_a_phone_and_ends_the_lease(
    rig: Rig, page: Page
) -> None:
    await page.until("() => document.querySelector('.lease-control').hidden")
    lease = await take(rig, "tester")
    # The name that a client gave itself is text, never markup.
    await page.sees("Leased to <b>agent</b> (token tester), until")
    await page.click("button", "End lease")
    await rig.until(lease.over.is_set)
    await page.until("() => document.querySelector('.lease-control').hidden")
