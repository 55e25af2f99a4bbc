"""A phone is reached at another address: what its owner decided still holds."""

from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from app_tools.test_trust import PACKAGE, discover
from handheld.adb.direct import DirectLink
from handheld.app_tools.trust import Standing, Trust
from handheld.devices.opening import PhoneFactory
from handheld.driver.hardware import Hardware
from handheld.errors import ActionFailed, PermissionDenied
from handheld.phone.identity import Identities, Identity, PhoneIdentity
from handheld.settings import load
from handheld_virtual.phone import VirtualPhone
from harness.patient_clock import PatientClock

ATTACK = "the same phone elsewhere"
USB, WIFI = "R58M123ABC", "192.168.1.20:37099"
OWN = Identity(USB)


def standing(trust: Trust, address: str, own: Identity = OWN) -> Standing:
    return trust.judge(address, [discover("add")], own)[PACKAGE].standing


@pytest.fixture
def trust(tmp_path: Path) -> Trust:
    return Trust(tmp_path / "apps.json", first_use=True)


@pytest.mark.parametrize(("first", "then"), [(USB, WIFI), (WIFI, USB), (WIFI, "10.0.0.7:5555")])
def test_an_app_that_is_revoked_stays_so_at_another_address_of_the_phone(
    trust: Trust, first: str, then: str
) -> None:
    assert standing(trust, first) is Standing.FOUND
    trust.revoke(PACKAGE, first)
    assert standing(trust, then) is Standing.REVOKED
    assert list(trust.records()) == [USB]
    trust.approve(PACKAGE, then)
    assert standing(trust, first) is Standing.APPROVED


def test_what_was_stored_by_address_is_moved_to_the_phone(trust: Trust, tmp_path: Path) -> None:
    assert standing(trust, WIFI, Identity("")) is Standing.FOUND
    trust.revoke(PACKAGE, WIFI)
    text = (tmp_path / "apps.json").read_text(encoding="utf-8")
    assert '"addresses": {}' in text
    old = text.replace(',\n "addresses": {},\n "apart": []', "")
    (tmp_path / "apps.json").write_text(old, encoding="utf-8")
    assert standing(trust, WIFI) is Standing.REVOKED
    assert standing(trust, USB) is Standing.REVOKED
    assert list(trust.records()) == [USB]


@pytest.mark.parametrize(("first", "then"), [(USB, WIFI), (WIFI, USB), (WIFI, "10.0.0.7:5555")])
def test_another_address_is_no_first_look_at_the_phone(trust: Trust, first: str, then: str) -> None:
    trust.judge(first, [], OWN)
    assert standing(trust, then) is Standing.LATER


def test_an_address_that_another_phone_has_now_brings_no_approval(trust: Trust) -> None:
    standing(trust, WIFI)
    trust.revoke(PACKAGE, WIFI)
    assert standing(trust, WIFI, Identity("OTHER1234")) is Standing.FOUND
    assert standing(trust, USB) is Standing.REVOKED


def test_phones_that_share_a_serial_number_stay_apart_by_address(trust: Trust) -> None:
    standing(trust, WIFI)
    trust.revoke(PACKAGE, WIFI)
    shared, other = Identity(USB, shared=True), "10.0.0.7:5555"
    assert standing(trust, other, shared) is Standing.REVOKED  # in doubt
    trust.approve(PACKAGE, other)
    assert standing(trust, other, shared) is Standing.APPROVED
    # Also after a restart, before the other one is seen again.
    for own in (shared, OWN):
        assert standing(trust, WIFI, own) is Standing.REVOKED
        assert standing(trust, other, own) is Standing.APPROVED


class Device:
    def __init__(self, serial: str, boot: str) -> None:
        self.now: Hardware | None = Hardware(serial, boot)

    async def hardware(self) -> Hardware | None:
        return self.now


@pytest.mark.parametrize(
    ("boot", "gone", "shared"), [("b1", False, False), ("b2", False, True), ("b2", True, False)]
)
async def test_two_phones_are_those_that_run_at_once_and_were_started_apart(
    boot: str, gone: bool, shared: bool
) -> None:
    known, usb, wifi = Identities(), Device(USB, "b1"), Device(USB, boot)
    first = PhoneIdentity(usb, USB, known)
    assert await first.read() == (USB, False)
    if gone:
        usb.now = None
    second = PhoneIdentity(wifi, WIFI, known)
    assert await second.read() == (USB, shared)
    assert await first.read() == (USB, shared)


async def test_a_phone_that_does_not_tell_its_serial_number_is_not_taken_for_another() -> None:
    device = Device(USB, "b1")
    device.now = None
    with pytest.raises(ActionFailed, match="did not report its serial number"):
        await PhoneIdentity(device, WIFI).read()


async def test_messages_over_usb_and_wifi_count_together(tmp_path: Path) -> None:
    settings = load({"sms_parts_per_minute": "1"}, {"HANDHELD_HOME": str(tmp_path)})
    factory = PhoneFactory(settings)
    async with AsyncExitStack() as stack:
        device = await stack.enter_async_context(VirtualPhone(serial=USB))
        for host in ("127.0.0.1", "localhost"):
            link = await DirectLink.connect(host, device.port, clock=PatientClock())
            stack.push_async_callback(link.aclose)
            phone = factory.make_phone(link)
            sending = phone.sms.send("+36201234567", "hello", 14)
            if host == "127.0.0.1":
                await sending
            else:
                with pytest.raises(PermissionDenied, match="The limit of 1 part a minute"):
                    await sending
            await phone.aclose()
