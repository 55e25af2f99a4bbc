"""The clipboard, and what a refusal of a view is."""

import pytest

from handheld.driver import Refused
from handheld.driver.helper_driver import Asked, HelperDriver, translate
from handheld.errors import ActionFailed, PermissionDenied
from handheld.helper.protocol import Code, HelperFailure
from handheld.virtual.phone import VirtualPhone


async def test_a_text_goes_to_the_clipboard_and_back(
    driver: HelperDriver, phone: VirtualPhone
) -> None:
    assert await driver.get_clipboard() is None
    await driver.set_clipboard("a\n😀")
    assert phone.world.clipboard.paste() == "a\n😀"
    assert await driver.get_clipboard() == "a\n😀"


async def test_a_locked_phone_is_no_empty_clipboard(
    driver: HelperDriver, phone: VirtualPhone
) -> None:
    phone.world.locked = True
    with pytest.raises(PermissionDenied, match="locked"):
        await driver.get_clipboard()


def test_a_view_that_says_no_is_told_from_other_failures() -> None:
    failure = HelperFailure(Code.FAILED, "The view did not accept scroll_forward.")
    refused = translate(failure, Asked("act", {}, True))
    assert (type(refused), str(refused)) == (
        Refused,
        "The view did not accept scroll_forward. Nothing was done.",
    )
    assert type(translate(failure, Asked("press", {}, True))) is ActionFailed
