"""The phone in a browser: seen, touched, and asked about."""

import pytest

from console.rig import Rig

from .agent import asking, call, find, until
from .chromium import Browser, Page

pytestmark = pytest.mark.needs_browser

CALCULATOR = "com.android.calculator2"

COPY = """() => {
  const canvas = document.querySelector(".glass.live canvas");
  if (!canvas) return null;
  const copy = new OffscreenCanvas(canvas.width, canvas.height);
  const context = copy.getContext("2d", { willReadFrequently: true });
  context.drawImage(canvas, 0, 0);
  return [canvas, context];
}"""
PAINTED = f"""() => {{
  const [canvas, context] = ({COPY})() ?? [];
  if (!canvas) return null;
  const {{ data }} = context.getImageData(0, 0, canvas.width, canvas.height);
  let sum = 0;
  for (let place = 0; place < data.length; place += 41) sum = (sum * 31 + data[place]) % 1000003;
  return [canvas.width, canvas.height, sum];
}}"""


async def pixel(page: Page, x: float, y: float) -> list[int]:
    """Of the picture, at fractions of its size."""
    return await page.evaluate(
        f"""([x, y]) => {{
          const [canvas, context] = ({COPY})();
          const at = [Math.round(x * canvas.width), Math.round(y * canvas.height), 1, 1];
          return [...context.getImageData(...at).data].slice(0, 3);
        }}""",
        [x, y],
    )


async def see_phone(page: Page) -> None:
    await page.open("phone")
    await page.until(
        f"() => ({PAINTED})()?.[2] > 0 && document.querySelector('canvas').width > 300"
    )


def close_to(one: list[int], other: tuple[int, ...]) -> bool:
    return all(abs(a - b) < 30 for a, b in zip(one, other, strict=True))


async def test_a_call_over_mcp_changes_the_picture(rig: Rig, page: Page) -> None:
    await see_phone(page)
    before = await page.evaluate(PAINTED)
    await call(rig, "open_app", package_id=CALCULATOR)
    await page.until(f"before => ({PAINTED})().join() !== before", ",".join(map(str, before)))
    world = rig.phone.world
    left, top, right, bottom = find(rig, "id/eq").bounds
    # A little beside the middle, where the key's sign is.
    x, y = (left + (right - left) * 0.25) / world.width, (top + bottom) / 2 / world.height
    drawn = world.picture().convert("RGB")
    wanted = drawn.getpixel((round(x * drawn.width), round(y * drawn.height)))
    assert isinstance(wanted, tuple)
    await until_close(page, x, y, wanted)
    await page.sees("open_app")


async def until_close(page: Page, x: float, y: float, wanted: tuple[int, ...]) -> None:
    seen: list[int] = []
    for _ in range(50):
        seen = await pixel(page, x, y)
        if close_to(seen, wanted):
            return
        await page.steps(["waitForTimeout", 100])
    raise AssertionError(f"{seen} is not {wanted}")


async def test_a_click_on_the_picture_taps_the_phone(rig: Rig, page: Page) -> None:
    await rig.agent("open_app", package_id=CALCULATOR)
    await see_phone(page)
    await page.sees("open_app")
    world = rig.phone.world
    box = await page.evaluate(
        "() => { const r = document.querySelector('.glass.live canvas').getBoundingClientRect();"
        " return [r.left, r.top, r.width, r.height]; }"
    )
    for key in ("digit_7", "op_mul", "digit_6"):
        left, top, right, bottom = find(rig, f"id/{key}").bounds
        x = box[0] + (left + right) / 2 / world.width * box[2]
        y = box[1] + (top + bottom) / 2 / world.height * box[3]
        await page.steps(["mouse"], ["click", x, y])
    await until(lambda: find(rig, "id/formula").text == "7×6")
    [tap] = [one for one in rig.audit.entries() if one.tool == "tap"][-1:]
    assert (tap.person, tap.door) == (True, "console")


async def in_background(rig: Rig) -> None:
    """Only there may an app be closed."""
    await rig.agent("open_app", package_id=CALCULATOR)
    await rig.agent("press_home")


async def test_a_person_allows_a_call_and_it_runs(rig: Rig, page: Page) -> None:
    await in_background(rig)
    async with asking(rig, "close_app", package_id=CALCULATOR) as closing:
        await page.sees("asks for close_app")
        await page.click("link", "Decide")
        await page.sees(CALCULATOR)
        assert not closing.done()
        await page.click("button", "Allow once")
        assert await closing == f"App closed successfully: {CALCULATOR}"


async def test_a_person_denies_a_call_and_nothing_happens(rig: Rig, page: Page) -> None:
    await in_background(rig)
    await page.open("approvals")
    async with asking(rig, "close_app", package_id=CALCULATOR) as closing:
        await page.click("button", "Deny")
        assert "said no" in await closing
    await page.open("timeline")
    await page.steps(["locator", "li.call.denied"], ["first"], ["waitFor"])


async def test_a_question_is_still_there_after_a_reload(rig: Rig, page: Page) -> None:
    await in_background(rig)
    await page.open("approvals")
    async with asking(rig, "close_app", package_id=CALCULATOR) as closing:
        await page.sees("Asked by the rule")
        await page.steps(["reload"])
        await page.click("button", "Deny")
        assert "said no" in await closing


async def test_a_reload_in_the_middle_comes_back_to_the_phone_as_it_is(
    rig: Rig, page: Page
) -> None:
    await see_phone(page)
    await call(rig, "open_app", package_id=CALCULATOR)
    await page.steps(["reload"])
    await see_phone(page)
    await page.sees("open_app")


async def test_two_consoles_see_the_same_and_one_answer_counts(
    rig: Rig, browser: Browser, page: Page
) -> None:
    await in_background(rig)
    other = await browser.open(rig.url)
    try:
        await other.log_in(rig.console.make_link(rig.url))
        for one in (page, other):
            await one.open("approvals")
        async with asking(rig, "close_app", package_id=CALCULATOR) as closing:
            await page.sees("Asked by the rule")
            await other.sees("Asked by the rule")
            await other.click("button", "Deny")
            assert "said no" in await closing
        await page.sees("denied by console")
        await other.sees("denied by you")
        assert await page.count("article.question") == 0
        assert await other.noted() == []
    finally:
        await other.close()


async def test_a_link_that_was_used_opens_nothing(rig: Rig, browser: Browser) -> None:
    link = rig.console.make_link(rig.url)
    first, second = await browser.open(rig.url), await browser.open(rig.url)
    try:
        await first.log_in(link)
        await second.steps(["goto", link])
        await second.sees("This link does not hold any more")
        assert await second.count("#tabs") == 0
        assert await second.evaluate("() => location.hash") == ""
        # The browser itself notes the refusal; nothing else.
        noted = await second.noted()
        assert all("403" in one for one in noted), noted
    finally:
        await first.close()
        await second.close()
