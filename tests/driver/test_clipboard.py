"""The helper driver: the clipboard, and refusals by a view."""

import pytest

from handheld.driver import InputRefused
from handheld.driver.by_helper.driver import HelperDriver
from handheld.driver.failures import FailedCall, translate
from handheld.errors import ActionFailed, PermissionDenied
from handheld.helper.protocol import Code, HelperFailure
from handheld_virtual.phone import VirtualPhone


async def test_text_is_set_on_the_clipboard_and_read_back(
    driver: HelperDriver, phone: VirtualPhone
) -> None:
    assert await driver.get_clipboard() is None
    await driver.set_clipboard("a\n😀")
    assert phone.world.clipboard.paste() == "a\n😀"
    assert await driver.get_clipboard() == "a\n😀"


async def test_clipboard_of_a_locked_phone_is_an_error(
    driver: HelperDriver, phone: VirtualPhone
) -> None:
    phone.world.locked = True
    with pytest.raises(PermissionDenied, match="locked"):
        await driver.get_clipboard()


def test_refusal_by_a_view_has_its_own_error() -> None:
    failure = HelperFailure(Code.FAILED, "The view did not accept scroll_forward.")
    refused = translate(failure, FailedCall("act", {}, True))
    assert (type(refused), str(refused)) == (
        InputRefused,
        "The view did not accept scroll_forward. Nothing was done.",
    )
    assert type(translate(failure, FailedCall("press", {}, True))) is ActionFailed
