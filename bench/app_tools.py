"""The cost of discovering and calling app tools."""

from collections.abc import Awaitable
from pathlib import Path

from tests.app_formats.apk.tool_packages import tool_apk

from handheld.adb.direct import DirectLink
from handheld.adb.shell import run
from handheld.driver.app_tools import DeclaredTools
from handheld.driver.by_helper.driver import HelperDriver
from handheld.driver.by_shell.apk_app_tools import ApkAppTools
from handheld.helper.client import HelperClient

from .client import Client
from .figures import Figure, median, of_rounds
from .ports import keep_port
from .programs import TOKEN, first_line, running, server, virtual_phone
from .timing import time_calls, time_in_turns

APPS = 50
TOOL = "android_app_query_clock_in"
DAY = {"date": "2026-02-11"}


async def measure(home: Path) -> list[Figure]:
    return [*await _measure_discovery(home), *await _measure_calls(home)]


async def _measure_discovery(home: Path) -> list[Figure]:
    async with virtual_phone(home) as (_, port):
        link = await DirectLink.connect("127.0.0.1", port)
        driver = HelperDriver(HelperClient(link))
        try:
            for number in range(APPS):
                apk = tool_apk(f"org.example.app{number}")
                done = await run(link, ["pm", "install", "-S", str(len(apk))], stdin=apk)
                if done.stdout != b"Success\n":
                    raise RuntimeError(f"The phone did not install an app: {done}")
            await driver.read_screen()
            through_helper = await time_calls(lambda: _check_complete(driver.declared_tools()), 10)
            cold = await time_calls(lambda: _check_complete(ApkAppTools(link).declared_tools()), 5)
            apks = ApkAppTools(link)
            sequence = (await apks.declared_tools()).sequence
            warm = await time_calls(lambda: apks.changed(sequence), 20)
            again = await time_calls(lambda: _check_complete(apks.declared_tools()), 10)
        finally:
            await driver.aclose()
            await link.aclose()
    found = f"discovering {APPS} apps with tools"
    return [
        Figure(f"{found} through the helper, p50", median(through_helper), "ms", 150),
        Figure(f"{found} from their APKs, p50", median(cold), "ms", 2000),
        Figure(f"{found} from APKs read before, p50", median(again), "ms", 50),
        Figure("checking without the helper that no app has changed, p50", median(warm), "ms", 50),
    ]


async def _check_complete(offers: Awaitable[DeclaredTools]) -> None:
    """Await the declared tools, and check that every app is included."""
    services = (await offers).services
    sound = [service for service in services if service.descriptor is not None]
    if len({service.app.package for service in sound}) < APPS:
        raise RuntimeError(f"Only {len(sound)} of {APPS} apps were discovered.")


async def _measure_calls(home: Path) -> list[Figure]:
    port = keep_port()
    async with (
        virtual_phone(home) as (_, phone_port),
        # Without an open console, calls to apps' tools are denied by default.
        server(home, f"127.0.0.1:{phone_port}", port, "--policy-allow", TOOL[len("android_") :]),
        running(("-m", "bench.bare", "http", TOKEN), home) as bare,
        Client("127.0.0.1", port, TOKEN) as client,
        Client("127.0.0.1", int(await first_line(bare)), TOKEN) as echo,
    ):
        spot = {"x": 540, "y": 1200}
        turns = await time_in_turns(
            lambda: echo.call("echo", spot), lambda: client.call(TOOL, DAY), 20, 20
        )
    return [
        Figure("a call to an app's tool, p50", median(turns.measured), "ms"),
        of_rounds(
            "a call to an app's tool against the echo tool", turns.ratios, "x", 3.0, gates=True
        ),
    ]
