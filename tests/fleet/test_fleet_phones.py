"""Phones that are leased, as they come, go, are reached in two ways, and are cleaned up."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from attacks.test_stop import WritingApp
from handheld.calls.choice import ChosenSurface
from handheld.cli.parts import Parts, make_leases
from handheld.devices.opening import PhoneFactory, open_devices
from handheld.errors import ActionFailed, ToolError
from handheld.phone.leases.leases import Leases
from handheld.phone.leases.reset import make_reset
from handheld.phone.phone import Phone
from handheld.settings import load
from handheld.tools.call import Caller
from handheld.tools.tool import Item
from handheld_virtual.phone import VirtualPhone
from harness.manual_clock import ManualClock
from harness.patient_clock import PatientClock
from harness.phones import reached

ADA, BOB = Caller("http", "agent", "ada"), Caller("http", "agent", "bob")


@asynccontextmanager
async def serving(
    folder: Path, names: Sequence[str]
) -> AsyncGenerator[tuple[ChosenSurface, Leases]]:
    environment = {"HANDHELD_HOME": str(folder), "ANDROID_ADB_SERVER_PORT": "1"}
    flags = {"phone": ",".join(names), "toolsets_on": "fleet", "steps_off": True}
    settings = load(flags, environment)
    async with AsyncExitStack() as stack:
        devices = await open_devices(settings, lambda line: None, clock=PatientClock())
        stack.push_async_callback(devices.aclose)
        await devices.settle()
        leases = make_leases(settings, ManualClock())
        stack.push_async_callback(leases.aclose)
        yield Parts(settings, devices, leases=leases).surface, leases


async def call(surface: ChosenSurface, caller: Caller, name: str, **arguments: Any) -> str:
    try:
        items: Sequence[Item] = await surface.call(f"android_{name}", arguments, caller)
    except ToolError as failure:
        return f"failed: {failure.message}"
    return "\n".join(map(str, items))


async def test_a_phone_with_two_addresses_has_one_lease(tmp_path: Path) -> None:
    async with VirtualPhone(serial="R58M123ABC") as device:
        usb, wifi = f"127.0.0.1:{device.port}", f"localhost:{device.port}"
        async with serving(tmp_path, (usb, wifi)) as (surface, leases):
            assert (await call(surface, ADA, "list_phones")).count('"phone"') == 1
            # Nobody has asked this connection yet which phone it is.
            assert '"yours"' in await call(surface, ADA, "take_phone", slug=usb)
            for name in (usb, wifi):
                said = await call(surface, BOB, "press_home", device=name)
                assert said.startswith(f"failed: {usb} is leased to agent (token ada) until ")
            assert "Home" in await call(surface, ADA, "press_home", device=usb)
            assert "No phone is free." in await call(surface, BOB, "take_phone")
            assert len(leases.all()) == 1


async def test_two_phones_with_one_serial_number_are_two(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        made = [
            await stack.enter_async_context(VirtualPhone(serial="R58M123ABC")) for _ in range(2)
        ]
        made[1].world.boot_id = "1c7f5a52-0000-4000-8000-000000000002"  # was started apart
        names = [f"127.0.0.1:{device.port}" for device in made]
        async with serving(tmp_path, names) as (surface, leases):
            await call(surface, ADA, "list_phones")
            assert '"yours"' in await call(surface, ADA, "take_phone", slug=names[0])
            assert "Home" in await call(surface, BOB, "press_home", device=names[1])
            assert '"yours"' in await call(surface, BOB, "take_phone", slug=names[1])
            assert len(leases.all()) == 2


async def test_an_unplugged_phone_stays_leased_until_the_lease_ends(tmp_path: Path) -> None:
    device = VirtualPhone(serial="R58M123ABC")
    await device.start()
    name = f"127.0.0.1:{device.port}"
    async with serving(tmp_path, (name,)) as (surface, leases):
        assert '"yours"' in await call(surface, ADA, "take_phone")
        await device.aclose()
        said = await call(surface, ADA, "press_home")
        assert said.startswith("failed: ")
        assert "lease" not in said
        assert await call(surface, BOB, "list_phones") == "[]"
        said = await call(surface, BOB, "take_phone", slug=name)
        assert said == f"failed: {name} is not connected now. Nothing was taken."
        assert await call(surface, BOB, "take_phone") == (
            "failed: No phone is connected. Nothing was taken."
        )
        [lease] = leases.of("ada")
        clock = leases.clock
        assert isinstance(clock, ManualClock)
        await clock.advance(600)
        assert not lease.held
        assert "no call for 10 minutes" in await call(surface, ADA, "press_home")


@asynccontextmanager
async def one_phone() -> AsyncGenerator[tuple[VirtualPhone, Phone]]:
    async with reached(VirtualPhone(), make=PhoneFactory().make_phone) as (device, _, phone):
        yield device, phone


async def test_a_phone_is_cleaned_up_as_the_settings_say() -> None:
    async with one_phone() as (device, phone):
        world = device.world
        world.install(WritingApp)
        world.show(WritingApp.package)
        before = world.apps[WritingApp.package]
        reset = make_reset(["home", "close_apps"], [])
        assert reset is not None
        await reset(phone)
        processes = await phone.driver.processes(WritingApp.package)
        assert processes is not None
        assert processes.pids == frozenset()
        assert world.apps[WritingApp.package] is before
        reset = make_reset([], [WritingApp.package])
        assert reset is not None
        await reset(phone)
        assert world.apps[WritingApp.package] is not before


async def test_what_cannot_be_cleaned_up_is_told_and_the_rest_is_done() -> None:
    async with one_phone() as (device, phone):
        world = device.world
        world.install(WritingApp)
        before = world.apps[WritingApp.package]
        reset = make_reset([], ["com.example.none", WritingApp.package])
        assert reset is not None
        with pytest.raises(ActionFailed, match=r"com\.example\.none"):
            await reset(phone)
        assert world.apps[WritingApp.package] is not before


def test_by_default_there_is_nothing_to_clean_up() -> None:
    assert make_reset([], []) is None
