"""The words of a screen are guessed where reading it is denied."""

import pytest

from attacks.conftest import Target

ATTACK = "guessing words"


@pytest.mark.parametrize("of", ["Net", "s", "Wi", "Network & internet"])
async def test_no_text_is_found_by_its_beginning_where_reading_is_denied(
    target: Target, of: str
) -> None:
    target.world.show("com.android.settings")
    target.deny("get_screen_state", "find_elements")
    said = await target.refused("phone_read", what="text", of=of)
    assert "denies it" in said
    assert "Network" not in said.replace(of, "")
