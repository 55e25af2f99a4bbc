"""Redirects, addresses and names that a download must survive."""

import asyncio
import socket
import ssl
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from handheld.errors import ActionFailed, ToolError
from handheld.phone.files.download import DownloadRules, fetch
from handheld.phone.files.name_lookup import MOST_LOOKUPS, NameLookup
from harness.manual_clock import ManualClock
from harness.polling import HANG
from phone.web import answer, open_web

ATTACK = "downloads that break"
TLS = ssl.create_default_context()
"""Making one takes longer than all else."""
OPEN = DownloadRules(1, allow_http=True, allow_private_addresses=True)


async def to_loopback(host: str, port: int) -> list[str]:
    return ["127.0.0.1"]


@pytest.mark.parametrize("location", ["http:\\\\evil\\x", "http://xn--a/", "http:\\x"])
async def test_a_redirect_to_no_address_is_reported(location: str, tmp_path: Path) -> None:
    async with open_web() as web:
        web.pages["/a"] = answer(status="302 Found", Location=location)
        url = f"http://files.test:{web.port}/a"
        with pytest.raises(ActionFailed, match="redirected it to what is no web address"):
            await fetch(url, tmp_path / "a", OPEN, resolve=to_loopback)


@given(st.text(alphabet="\\/:@?#[]%.a1-xn\t é。", max_size=12))
@example("http:\\\\evil\\x")
@example("http://xn--a/")
async def test_no_address_breaks_a_download(tmp_path_factory: Any, address: str) -> None:
    """Neither as a whole nor behind a scheme."""

    async def nowhere(host: str, port: int) -> list[str]:
        return []

    target = tmp_path_factory.getbasetemp() / "fetched"
    for url in (address, f"http:{address}", f"http://{address}"):
        with pytest.raises(ToolError):
            await fetch(url, target, OPEN, resolve=nowhere, tls=TLS)


async def test_names_that_take_long_leave_threads_for_others(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    answered, asked = threading.Event(), threading.Semaphore(0)

    def never(*_: Any, **__: Any) -> list[Any]:
        asked.release()
        answered.wait(HANG)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", never)
    look_up, clock = NameLookup(), ManualClock()
    fetches = [
        asyncio.ensure_future(
            fetch("https://slow.test/", tmp_path / "a", OPEN, clock, resolve=look_up)
        )
        for _ in range(3 * MOST_LOOKUPS)
    ]
    try:
        async with asyncio.timeout(HANG):
            for _ in range(MOST_LOOKUPS):
                await asyncio.to_thread(asked.acquire)
            # More than the pool of the event loop has.
            assert await asyncio.gather(*(asyncio.to_thread(int, "7") for _ in range(40)))
            assert sum(each.name == "name lookup" for each in threading.enumerate()) == MOST_LOOKUPS
            await clock.advance(OPEN.timeout_seconds)
            failures = await asyncio.gather(*fetches, return_exceptions=True)
    finally:
        answered.set()
    assert {str(each) for each in failures} == {"Download failed: it was not complete within 60 s."}
