"""One browser and one server for all tests of a module, and an open console."""

from collections.abc import AsyncGenerator

import pytest

from console.rig import Rig, open_rig

from .chromium import Browser, Page, need_browser, open_browser


@pytest.fixture(scope="module")
async def browser(anyio_backend: str) -> AsyncGenerator[Browser]:
    async with open_browser(*need_browser()) as browser:
        yield browser


@pytest.fixture(scope="module")
async def rig(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Rig]:
    async with open_rig(tmp_path_factory.mktemp("home")) as rig:
        yield rig


@pytest.fixture(autouse=True)
def without_adb(monkeypatch: pytest.MonkeyPatch, browser: Browser) -> None:
    """The doctor would start the adb server, which keeps running."""
    monkeypatch.setenv("PATH", "")


@pytest.fixture
async def page(rig: Rig, browser: Browser) -> AsyncGenerator[Page]:
    """A newly opened console. The page must have no problems at the end."""
    await rig.agent("press_home")
    page = await browser.open(rig.url)
    await page.log_in(rig.console.make_link(rig.url))
    try:
        yield page
        assert await page.noted() == []
    finally:
        await page.close()
