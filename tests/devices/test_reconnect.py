"""Ids of elements and notifications that were issued before a phone disconnected and returned."""

import json
import re
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager

import pytest

from handheld.calls.local import Caller, LocalSurface
from handheld.calls.options import SurfaceOptions
from handheld.devices.opening import PhoneFactory
from handheld.errors import ElementNotFound
from handheld.tools.main import EVERY_TOOLSET
from handheld_virtual.phone import VirtualPhone
from harness.one_phone import ALL_ON, OnePhone
from harness.phones import link_to
from testbed import show_scene


@asynccontextmanager
async def connection(factory: PhoneFactory, device: VirtualPhone) -> AsyncGenerator[LocalSurface]:
    async with link_to(device) as link, aclosing(factory.make_phone(link)) as phone:
        yield LocalSurface(EVERY_TOOLSET, OnePhone(phone), SurfaceOptions(policy=ALL_ON))


async def call(surface: LocalSurface, name: str, **arguments: str) -> str:
    [text] = await surface.call(f"android_{name}", arguments, Caller("cli"))
    assert isinstance(text, str)
    return text


async def id_of(surface: LocalSurface, text: str) -> str:
    screen = await call(surface, "get_screen_state")
    found = re.search(rf"^(node_\S+)\t\S+\t{text}\t", screen, re.MULTILINE)
    assert found is not None
    return found[1]


async def test_an_id_means_the_same_after_the_connection_was_lost() -> None:
    factory = PhoneFactory()
    async with VirtualPhone() as device:
        show_scene(device.world, "equal_rows", names="ann,bob")
        async with connection(factory, device) as surface:
            ann = await id_of(surface, "ann")
        # The same place now shows another person: the hash alone would resolve to bob.
        show_scene(device.world, "equal_rows", names="bob,ann")
        async with connection(factory, device) as surface:
            await id_of(surface, "bob")
            await id_of(surface, "ann")
            show_scene(device.world, "equal_rows", names="cid,dan")
            with pytest.raises(ElementNotFound, match=r"changed|gone"):
                await call(surface, "click_element", element_id=ann)
        assert [event.kind for event in device.world.events if event.kind == "perform"] == []


async def test_an_id_is_resolved_after_its_window_got_a_new_number() -> None:
    factory = PhoneFactory()
    async with VirtualPhone() as device:
        device.world.show("com.android.calculator2")
        async with connection(factory, device) as surface:
            seven = await id_of(surface, "7")
        # Without a helper accessibility was off: all keys and numbers are new.
        async with connection(factory, device) as surface:
            await call(surface, "click_element", element_id=seven)
            screen = await call(surface, "get_screen_state")
            assert re.search(r"\t7\t-\tcom.android.calculator2:id/formula\t", screen)


@pytest.mark.parametrize("before", ["helper", "shell"])
@pytest.mark.parametrize("after", ["helper", "shell"])
async def test_a_reboot_invalidates_ids(before: str, after: str) -> None:
    factory = PhoneFactory()
    async with VirtualPhone() as device:
        device.world.show("com.android.calculator2")
        if before == "shell":
            device.faults.refuse_helper()
        async with connection(factory, device) as surface:
            seven = await id_of(surface, "7")
        device.faults.clear()
        if after == "shell":
            device.faults.refuse_helper()
        device.world.boot_id = "another boot"
        async with connection(factory, device) as surface:
            # This applies to the very first call, too: its id was issued before.
            for _ in range(2):
                with pytest.raises(ElementNotFound, match="before the phone was restarted"):
                    await call(surface, "click_element", element_id=seven)
        assert {event.kind for event in device.world.events} & {"perform", "touch"} == set()


@pytest.mark.parametrize("before", ["helper", "shell"])
async def test_the_shell_resolves_an_id_within_one_boot(before: str) -> None:
    factory = PhoneFactory()
    async with VirtualPhone() as device:
        device.world.show("com.android.calculator2")
        if before == "shell":
            device.faults.refuse_helper()
        async with connection(factory, device) as surface:
            seven = await id_of(surface, "7")
        device.faults.refuse_helper()
        async with connection(factory, device) as surface:
            await call(surface, "click_element", element_id=seven)
            screen = await call(surface, "get_screen_state")
            assert re.search(r"\t7\t-\tcom.android.calculator2:id/formula\t", screen)


async def test_ids_of_notifications_survive_a_lost_connection_and_no_restart() -> None:
    """As behaviour 106 states."""
    factory = PhoneFactory()
    async with VirtualPhone() as device:
        device.world.notifications.posted.clear()
        device.world.notify("com.android.messaging", "Ada", "Hello", id=7)
        async with connection(factory, device) as surface:
            [listed] = json.loads(await call(surface, "notification_list"))["notifications"]
        id = listed["notification_id"]
        async with connection(factory, device) as surface:
            assert await call(surface, "notification_dismiss", notification_id=id) == (
                "Notification dismissed"
            )
        device.world.notify("com.android.messaging", "Ada", "Hello", id=7)
        device.world.boot_id = "another boot"
        async with connection(factory, device) as surface:
            # This applies to the very first call, too.
            for why in (f"Notification {id} is gone", f"Notification not found: {id}"):
                with pytest.raises(ElementNotFound, match=why):
                    await call(surface, "notification_dismiss", notification_id=id)
        assert [each.title for each in device.world.notifications.posted] == ["Ada"]
