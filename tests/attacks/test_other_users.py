"""Another user of this computer connects to the virtual phone that Handheld runs for itself."""

import pytest

from handheld.adb.direct import DirectLink
from handheld.adb.keys import encode_public_key, generate_key
from handheld.adb.state import PhoneUnavailable
from handheld.adb.wire import AUTH_PUBLIC_KEY, AUTH_SIGNATURE
from handheld.devices.virtual_process import VirtualEndpoint
from handheld_virtual.wire.authority import AdbAuthorization, Authority
from harness.patient_clock import PatientClock

ATTACK = "other users of the computer"


@pytest.mark.slow
async def test_an_embedded_phone_opens_nothing_to_a_client_without_its_key() -> None:
    endpoint = VirtualEndpoint(lambda line: None, clock=PatientClock())
    try:
        link = await endpoint.dial()
        port = int(link.serial.rpartition(":")[2])
        with pytest.raises(PhoneUnavailable):
            await DirectLink.connect("127.0.0.1", port, clock=PatientClock())
        await link.aclose()
    finally:
        await endpoint.aclose()


@pytest.mark.slow
@pytest.mark.parametrize("own", [True, False])
def test_a_closed_phone_asks_about_no_further_key_and_takes_no_public_key_alone(own: bool) -> None:
    ours, other = generate_key("ours"), generate_key("other")
    authority = Authority(required=True)
    authority.allow(ours.public)
    authority.closed = True
    tokens: list[bytes] = []
    admitted: list[bool] = []
    connection = AdbAuthorization(authority, tokens.append, lambda: admitted.append(True))
    connection.challenge()
    connection.answer(AUTH_SIGNATURE, other.sign(tokens[-1]))
    shown = ours if own else other
    connection.answer(AUTH_PUBLIC_KEY, encode_public_key(shown.public))
    assert (admitted, authority.waiting) == ([], ())
    connection.challenge()
    connection.answer(AUTH_SIGNATURE, ours.sign(tokens[-1]))
    assert admitted == [True]
