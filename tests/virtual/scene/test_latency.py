"""Simulated latency, on the phone's own clock."""

from pathlib import Path

import pytest

from handheld.adb.shell import run
from handheld_virtual import ManualClock, VirtualPhone
from handheld_virtual.system.android import android
from handheld_virtual.system.latency import PHONE, PROFILES, WIFI, Figure, Latency
from handheld_virtual.system.releases import NEWEST_API, OLDEST_API, RELEASES

from .conftest import taking, using

PAGE = Path(__file__).parents[3] / "docs" / "virtual-phone-reference.md"


@pytest.mark.parametrize(
    ("api", "command", "ms"),
    [
        (34, "input keyevent 3", 45),
        (30, "input keyevent 3", 500),
        (34, "am force-stop org.none", 50),
        (34, "true", 0),
    ],
)
async def test_command_takes_the_time_of_its_release(api: int, command: str, ms: float) -> None:
    clock = ManualClock()
    async with using(VirtualPhone(api=api, clock=clock)) as used:
        assert (await taking(clock, used.adb(command)))[1] == 0
        used.device.latency = "phone"
        _, took = await taking(clock, used.adb(command))
        assert took == pytest.approx(5.8 + ms)


async def test_a_dump_waits_for_idle_and_reads_node_by_node() -> None:
    clock = ManualClock()
    async with using(VirtualPhone(clock=clock)) as used:
        used.device.latency = "phone"
        (out, _, _), took = await taking(clock, used.adb("uiautomator dump /dev/tty"))
        nodes = next(
            len(window.nodes) for window in used.world.automation.read_windows() if window.focused
        )
        assert out.count(b"<node") <= nodes
        assert took == pytest.approx(5.8 + 1500 + 0.55 * nodes)


async def test_the_helper_reads_node_by_node_and_injects_quickly() -> None:
    clock = ManualClock()
    async with using(VirtualPhone(clock=clock)) as used:
        await taking(clock, used.driver.read_screen())
        used.device.latency = "phone"
        screen, took = await taking(clock, used.driver.read_screen())
        nodes = sum(len(window.nodes) for window in screen.windows)
        assert took == pytest.approx(0.4 + 0.55 * nodes)
        _, took = await taking(clock, used.driver.press("home"))
        assert took == pytest.approx(0.4 + 7.5)


async def test_over_the_air_every_round_trip_takes_longer() -> None:
    clock = ManualClock()
    async with using(VirtualPhone(clock=clock)) as used:
        await taking(clock, used.driver.read_screen())
        used.device.latency = "wifi"
        _, took = await taking(clock, used.driver.press("home"))
        assert took == pytest.approx(7.5 + 0.4 + 7.5)
        # One delay for opening the service, one each for acknowledging its output and its exit
        # code.
        (out, _, _), took = await taking(clock, used.adb("echo hello"))
        assert out == b"hello\n"
        assert took == pytest.approx(3 * 7.5 + 5.8)


async def test_messages_over_the_air_arrive_in_order_though_the_profile_changes() -> None:
    clock = ManualClock()
    async with using(VirtualPhone(clock=clock)) as used:
        used.device.latency = "wifi"
        data = bytes(range(256)) * 4096
        command = ["sh", "-c", "virtual latency none; cat"]
        answer, _ = await taking(clock, run(used.link, command, stdin=data))
        assert (answer.stdout, answer.code) == (data, 0)


def test_every_figure_has_a_source_and_no_two_apply_together() -> None:
    assert all(figure.source and figure.ms > 0 for figure in WIFI)
    for api in (26, 30, 31, 36):
        held = [figure.what for figure in WIFI if figure.applies(android(api))]
        assert sorted(held) == sorted(set(held))


def test_documentation_lists_every_latency() -> None:
    """Figures of one source and time share a row."""
    names: dict[tuple[str, str], list[str]] = {}
    for figure in WIFI:
        told = (f"{_levels(figure)} | {figure.ms:g}", figure.source)
        names.setdefault(told, []).append(figure.what.removeprefix("|"))
    rows = [f"| {', '.join(alike)}{ms} | {source} |" for (ms, source), alike in names.items()]
    page = PAGE.read_text(encoding="utf-8")
    assert [row for row in rows if row not in page] == []


def _levels(figure: Figure) -> str:
    if figure not in PHONE:
        return " (`wifi` alone)"
    levels = [release.api for release in RELEASES if figure.applies(android(release.api))]
    if levels[-1] < NEWEST_API:
        return f" (API {levels[-1]} and older)"
    return f" (API {levels[0]} and newer)" if levels[0] > OLDEST_API else ""


def test_an_unknown_profile_is_refused() -> None:
    assert list(PROFILES) == ["none", "phone", "wifi"]
    with pytest.raises(ValueError, match=r"'slow'\. Choose one of none, phone, wifi"):
        Latency(android(34), "slow")
