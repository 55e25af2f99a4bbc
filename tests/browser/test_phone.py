"""The phone page and approvals in a browser."""

from pathlib import Path

import pytest

from console.rig import Rig, open_rig
from harness.polling import until, until_true

from .agent import asking, call, find
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
    """Return the color of the picture at fractions of its size."""
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


def close_to(color: list[int], wanted: tuple[int, ...]) -> bool:
    return all(abs(a - b) < 30 for a, b in zip(color, wanted, strict=True))


async def test_a_call_over_mcp_changes_the_picture(rig: Rig, page: Page) -> None:
    await see_phone(page)
    before = await page.evaluate(PAINTED)
    await call(rig, "open_app", package_id=CALCULATOR)
    await page.until(f"before => ({PAINTED})().join() !== before", ",".join(map(str, before)))
    world = rig.phone.world
    left, top, right, bottom = find(rig, "id/eq").bounds
    # Beside the middle, where the key's label is.
    x, y = (left + (right - left) * 0.25) / world.width, (top + bottom) / 2 / world.height
    drawn = world.picture().convert("RGB")
    wanted = drawn.getpixel((round(x * drawn.width), round(y * drawn.height)))
    assert isinstance(wanted, tuple)
    await until_close(page, x, y, wanted)
    await page.sees("open_app")


async def until_close(page: Page, x: float, y: float, wanted: tuple[int, ...]) -> None:
    async def is_close() -> bool:
        return close_to(await pixel(page, x, y), wanted)

    await until_true(is_close)


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
    [tap] = [entry for entry in rig.audit.entries() if entry.tool == "tap"][-1:]
    assert (tap.person, tap.transport) == (True, "console")


async def in_background(rig: Rig) -> None:
    """An app can be closed only in the background."""
    await rig.agent("open_app", package_id=CALCULATOR)
    await rig.agent("press_home")


async def test_a_hidden_page_requests_nothing_from_the_phone(rig: Rig, page: Page) -> None:
    await see_phone(page)
    hide = """hidden => {
      Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
      const own = window.fetch;
      window.requests = [];
      window.fetch = (path, ...more) => {
        if (/frame|screen/.test(path)) requests.push(path);
        return own(path, ...more);
      };
    }"""
    before = await page.evaluate(PAINTED)
    await page.evaluate(hide, True)
    await call(rig, "open_app", package_id=CALCULATOR)
    await page.sees("open_app")
    assert await page.evaluate("() => requests") == []
    assert await page.evaluate(PAINTED) == before
    await page.evaluate(hide, False)
    await page.until(f"before => ({PAINTED})().join() !== before", ",".join(map(str, before)))


async def test_a_person_allows_a_call_and_it_runs(rig: Rig, page: Page) -> None:
    await in_background(rig)
    async with asking(rig, "close_app", package_id=CALCULATOR) as closing:
        await page.sees("wants to call close_app")
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


async def test_buttons_are_disabled_while_questions_move(rig: Rig, page: Page) -> None:
    await in_background(rig)
    await page.open("approvals")
    question = {"package_id": CALCULATOR}
    async with asking(rig, "close_app", **question) as first:
        await page.until("() => document.querySelectorAll('.question').length === 1")
        async with asking(rig, "close_app", **question) as second:
            await page.until("() => document.querySelectorAll('.question').length === 2")
            await page.until("() => !document.querySelector('.question button:disabled')")
            # The first disappears, and the buttons of the other move into its place.
            held = await page.evaluate("""() => new Promise((then) => {
              const buttons = () => [...document.querySelectorAll(".question button")];
              new MutationObserver(() => {
                if (buttons().length === 2) then(buttons().map((button) => button.disabled));
              }).observe(document.querySelector("main"), { childList: true, subtree: true });
              buttons()[0].click();
            })""")
            assert held == [True, True]
            assert "said no" in await first
            await page.click("button", "Deny")
            assert "said no" in await second


async def test_an_arriving_question_moves_nothing_and_takes_no_key(rig: Rig, page: Page) -> None:
    await in_background(rig)
    await see_phone(page)
    places = """() => ["main", ".glass.live canvas", "form input"].map((selector) =>
      JSON.stringify(document.querySelector(selector).getBoundingClientRect()))"""
    await page.steps(["getByLabel", "Text to type"], ["focus"])
    before = await page.evaluate(places)
    async with asking(rig, "close_app", package_id=CALCULATOR) as closing:
        await page.sees("s left")
        await page.press("Enter")
        await page.press("Space")
        assert await page.evaluate(places) == before
        assert await page.evaluate("() => document.activeElement.value") == " "
        assert not closing.done()
        await page.click("link", "Decide")
        await page.click("button", "Deny")
        assert "said no" in await closing


async def test_an_element_can_be_tapped_with_the_keyboard(rig: Rig, page: Page) -> None:
    await rig.agent("open_app", package_id=CALCULATOR)
    await see_phone(page)
    await page.click("button", "Show elements")
    button = ["getByRole", "button", {"name": "Tap 7", "exact": True}]
    await page.steps(button, ["focus"])
    await page.press("Enter")
    await until(lambda: find(rig, "id/formula").text == "7")
    # The list is redrawn, and the focus is kept.
    await page.until(
        "() => document.querySelector('.message').textContent.startsWith('Click performed')"
    )
    assert await page.evaluate("() => document.activeElement.ariaLabel") == "Tap 7"


async def test_always_allows_the_call_and_approves_the_app(rig: Rig, page: Page) -> None:
    await in_background(rig)
    await page.open("approvals")
    async with asking(rig, "app_get_weather_forecast", location="Berlin") as calling:
        await page.sees("dev.handheld.weather")
        await page.click("button", "Always, for this app")
        assert "Berlin" in await calling
    assert "Berlin" in await call(rig, "app_get_weather_forecast", location="Berlin")
    await page.open("apps")
    await page.sees("Approved")


async def test_a_question_is_still_there_after_a_reload(rig: Rig, page: Page) -> None:
    await in_background(rig)
    await page.open("approvals")
    async with asking(rig, "close_app", package_id=CALCULATOR) as closing:
        await page.sees("Matched rule")
        await page.steps(["reload"])
        await page.click("button", "Deny")
        assert "said no" in await closing


async def test_a_stale_list_of_questions_does_not_remove_a_new_one(rig: Rig, page: Page) -> None:
    await in_background(rig)
    await page.open("approvals")
    await page.evaluate(
        """async () => {
          const { events } = await import("/console/static/api.js");
          const ask = window.fetch;
          const held = [];
          window.fetch = async (path, ...rest) => {
            const answer = await ask(path, ...rest);
            if (path !== "/console/api/questions") return answer;
            await new Promise((then) => held.push(then));
            const questions = await answer.json();
            setTimeout(() => { window.answered = true; });
            return { ok: true, json: () => questions };
          };
          window.release = () => { window.fetch = ask; held.forEach((then) => then()); };
          window.holds = () => held.length;
          events.dispatchEvent(new CustomEvent("hello"));
        }"""
    )
    await page.until("() => window.holds()")
    async with asking(rig, "close_app", package_id=CALCULATOR) as closing:
        await page.sees("Matched rule")
        await page.evaluate("() => window.release()")
        await page.until("() => window.answered")
        await page.click("button", "Deny")
        assert "said no" in await closing
    await page.sees("denied by you")


async def test_a_reload_shows_the_current_screen(rig: Rig, page: Page) -> None:
    await see_phone(page)
    await call(rig, "open_app", package_id=CALCULATOR)
    await page.steps(["reload"])
    await see_phone(page)
    await page.sees("open_app")


async def test_two_consoles_show_a_question_and_one_answer_counts(
    rig: Rig, browser: Browser, page: Page
) -> None:
    await in_background(rig)
    other = await browser.open(rig.url)
    try:
        await other.log_in(rig.console.make_link(rig.url))
        for console in (page, other):
            await console.open("approvals")
        async with asking(rig, "close_app", package_id=CALCULATOR) as closing:
            await page.sees("Matched rule")
            await other.sees("Matched rule")
            await other.click("button", "Deny")
            assert "said no" in await closing
        await page.sees("denied by console")
        await other.sees("denied by you")
        assert await page.count("article.question") == 0
        assert await other.noted() == []
    finally:
        await other.close()


async def test_a_link_opened_in_an_open_console_is_used_and_removed_from_the_url(
    rig: Rig, page: Page
) -> None:
    link = rig.console.make_link(rig.url)
    name = "() => localStorage.getItem('handheld-name')"
    before = await page.evaluate(name)
    await page.steps(["goto", link])
    await page.until("() => location.hash === '#/phone'")
    await page.sees("Latest calls")
    assert await page.evaluate(name) != before
    # The second time it is rejected with a message; the session stays.
    await page.steps(["goto", link])
    await page.sees("This link is no longer valid")
    assert await page.evaluate("() => location.hash") == "#/phone"
    await page.sees("Latest calls")
    [noted] = await page.noted()
    assert "403" in noted


async def test_a_cookie_that_arrives_before_its_proof_does_not_log_out(
    rig: Rig, page: Page
) -> None:
    """The browser has the new cookie before the page has read the response."""
    await page.evaluate("""() => {
      const real = window.fetch;
      window.fetch = async (path, options) => {
        const answer = await real(path, options);
        if (path === "/console/login") await new Promise((done) => setTimeout(done, 1000));
        return answer;
      };
    }""")
    await page.steps(["goto", rig.console.make_link(rig.url)])
    await page.until("() => location.hash === '#/phone'")
    await page.sees("Latest calls")


async def test_all_windows_of_a_browser_show_a_question(tmp_path: Path, browser: Browser) -> None:
    """More windows than a browser has connections to a server."""
    async with open_rig(tmp_path, linger=3600) as rig:
        await in_background(rig)
        windows = [await browser.open(rig.url, session="many") for _ in range(8)]
        try:
            await windows[0].log_in(rig.console.make_link(rig.url))
            for window in windows[1:]:
                await window.open("approvals")
            assert rig.gate.consoles == 1
            # The window that listens for all is closed and lingers: another window takes over.
            await windows.pop(0).close()
            await until(lambda: rig.gate.consoles == 2)
            async with asking(rig, "close_app", package_id=CALCULATOR) as closing:
                for window in windows:
                    await window.sees("Matched rule")
                await windows[-1].click("button", "Deny")
                assert "said no" in await closing
            for window in windows:
                await window.sees("denied by you")
                assert await window.noted() == []
        finally:
            for window in windows:
                await window.close()


async def test_a_page_reports_a_stopped_server_and_reconnects(
    tmp_path: Path, browser: Browser
) -> None:
    async with open_rig(tmp_path / "one") as rig:
        page = await browser.open(rig.url)
        await page.log_in(rig.console.make_link(rig.url))
    try:
        await page.sees("The server does not answer; trying again")
        await page.go("/#/tokens")
        await page.sees("The server does not answer. It may have been stopped.")
        port = int(rig.url.rpartition(":")[2])
        async with open_rig(tmp_path / "two", port=port):
            await page.sees("You are no longer logged in")
    finally:
        await page.close()


async def test_a_used_link_is_rejected(rig: Rig, browser: Browser) -> None:
    link = rig.console.make_link(rig.url)
    first, second = await browser.open(rig.url), await browser.open(rig.url)
    try:
        await first.log_in(link)
        await second.steps(["goto", link])
        await second.sees("This link is no longer valid")
        assert await second.count("#tabs") == 0
        assert await second.evaluate("() => location.hash") == ""
        # The browser logs the failed request; nothing else.
        noted = await second.noted()
        assert all("403" in line for line in noted), noted
    finally:
        await first.close()
        await second.close()
