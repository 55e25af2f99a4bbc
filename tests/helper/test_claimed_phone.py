"""A phone that several hosts can reach, through the drivers of two of them."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager

import pytest

from driver.conftest import QUICK
from handheld.adb.direct import DirectLink
from handheld.driver.fallback import FallbackDriver
from handheld.errors import ActionFailed, PermissionDenied, ToolError
from handheld.helper.claim import PhoneClaim, PhoneClaims
from handheld.helper.client import HelperClient
from handheld.helper.protocol import CLAIM_FILE, Claim
from handheld_virtual.phone import VirtualPhone
from harness.phones import link_to

TAP = [[(5.0, 500.0, 0)]]
SWIPE = [[(5.0, 500.0, 0), (5.0, 900.0, 60_000)]]


class Host:
    def __init__(self, link: DirectLink, name: str, epoch: int) -> None:
        claims = PhoneClaims()
        claims.required = True
        self.claim: PhoneClaim = claims.of(link.serial)
        self.claim.claim = Claim(epoch, f"h-{name}", name) if epoch else None
        # The name tells them apart: in tests they are one process.
        self.driver = FallbackDriver(
            HelperClient(link, client=name, timing=QUICK, claim=self.claim)
        )


@asynccontextmanager
async def open_host(phone: VirtualPhone, name: str, epoch: int) -> AsyncGenerator[Host]:
    async with link_to(phone) as link:
        host = Host(link, name, epoch)
        async with aclosing(host.driver):
            yield host


@pytest.fixture
async def desk(phone: VirtualPhone) -> AsyncIterator[Host]:
    async with open_host(phone, "desk", 7) as host:
        yield host


@pytest.fixture
async def rack(phone: VirtualPhone) -> AsyncIterator[Host]:
    async with open_host(phone, "rack", 8) as host:
        yield host


def touches(phone: VirtualPhone) -> list[str]:
    return [str(event.details[0]) for event in phone.world.events if event.kind == "touch"]


async def test_a_host_is_linked_while_the_phone_has_accepted_its_claim(desk: Host) -> None:
    assert not desk.driver.linked
    await desk.driver.link()
    assert (desk.driver.linked, desk.claim.guarded) == (True, True)
    desk.claim.claim = Claim(9, "h-desk", "desk")
    assert not desk.driver.linked
    await desk.driver.touch(TAP)
    assert desk.driver.linked
    await desk.driver.unlink()
    assert not desk.driver.linked


async def test_the_former_host_is_told_and_does_not_come_back(
    phone: VirtualPhone, desk: Host, rack: Host
) -> None:
    swiping = asyncio.create_task(desk.driver.touch(SWIPE))
    while not phone.world.injection.down:  # noqa: ASYNC110
        await asyncio.sleep(0)
    await rack.driver.link()
    with pytest.raises(ActionFailed, match="The host rack has claimed this phone, by number 8"):
        await swiping
    assert touches(phone)[-1] == "cancel"
    assert desk.claim.refusal is not None
    assert desk.claim.refusal.claim == rack.claim.claim
    assert not desk.driver.linked
    for verb in (desk.driver.link, desk.driver.read_screen):
        with pytest.raises(PermissionDenied, match="The host rack has claimed this phone"):
            await verb()
    assert rack.driver.linked


async def test_a_refused_host_knows_by_whom(desk: Host, rack: Host) -> None:
    await rack.driver.link()
    with pytest.raises(PermissionDenied) as refused:
        await desk.driver.touch(TAP)
    assert refused.value.message == (
        "The host rack has claimed this phone, by number 8. Use it through the fleet. Nothing was"
        " done."
    )
    assert desk.claim.refusal is not None
    assert desk.claim.refusal.live
    assert rack.driver.linked


async def test_a_process_without_a_claim_is_told_which_host_uses_the_phone(
    phone: VirtualPhone, desk: Host
) -> None:
    await desk.driver.link()
    async with open_host(phone, "serve", 0) as serve:
        with pytest.raises(PermissionDenied) as refused:
            await serve.driver.read_screen()
        assert refused.value.message == (
            "The host desk of a fleet uses this phone. Use it through the fleet, or stop `handheld"
            " host` there."
        )
        await desk.driver.unlink()
        assert await serve.driver.read_screen()


async def test_a_phone_that_has_accepted_a_claim_is_not_used_through_the_shell(
    phone: VirtualPhone, desk: Host
) -> None:
    await desk.driver.link()
    phone.faults.refuse_helper()
    assert phone.kill("handheld") == 1
    for _ in range(5):
        with pytest.raises(ToolError):
            await desk.driver.touch(TAP)
    assert touches(phone) == []
    assert desk.driver.trouble == ""
    assert not desk.driver.linked


async def test_a_phone_without_the_helper_has_no_guard(phone: VirtualPhone, desk: Host) -> None:
    phone.faults.refuse_helper()
    await desk.driver.link()
    assert (desk.driver.linked, desk.claim.guarded) == (True, False)
    await desk.driver.touch(TAP)
    desk.claim.elsewhere = "The host rack has claimed this phone."
    with pytest.raises(PermissionDenied, match="The host rack has claimed this phone"):
        await desk.driver.touch(TAP)
    assert touches(phone) == ["down", "up"]


async def test_a_claim_that_the_phone_cannot_read_is_not_gone_around(
    phone: VirtualPhone, desk: Host
) -> None:
    phone.files.write(CLAIM_FILE, b"?", 0o600)
    with pytest.raises(ActionFailed, match=r"remove /data/local/tmp/handheld\.claim"):
        await desk.driver.touch(TAP)
    assert touches(phone) == []
    assert not desk.driver.linked


async def test_the_former_host_changes_no_setting_by_android_commands(
    phone: VirtualPhone, desk: Host, rack: Host
) -> None:
    await desk.driver.link()
    await rack.driver.link()
    with pytest.raises(PermissionDenied, match="The host rack has claimed this phone"):
        await desk.driver.change_device("svc wifi disable", ("wifi",))
    assert phone.world.switches["wifi"]
    answer = await rack.driver.change_device("svc wifi disable", ("wifi",))
    assert answer.facts["wifi"] == "0\n"
