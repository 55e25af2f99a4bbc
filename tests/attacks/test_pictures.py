"""A picture is taken while a denied app comes to the front: it is not shown."""

from typing import Any

import pytest

from attacks.conftest import Target
from handheld.driver import Screenshot
from handheld.driver.fallback import FallbackDriver
from handheld.tools.tool import Image

ATTACK = "pictures of a denied app"
SETTINGS = "com.android.settings"


@pytest.mark.slow
@pytest.mark.parametrize("target", ["helper"], indirect=True)  # its reads share one walk
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [("get_screen_state", {"include_screenshot": True}), ("phone_look", {"picture": "clean"})],
)
async def test_a_picture_of_a_denied_app_is_not_shown_beside_the_text_of_another(
    target: Target, monkeypatch: pytest.MonkeyPatch, tool: str, arguments: dict[str, Any]
) -> None:
    target.deny(f"app:{SETTINGS}")
    assert any(isinstance(item, Image) for item in await target.call(tool, **arguments))
    capture, read = FallbackDriver.capture, FallbackDriver.read_screen

    async def capture_later(self: FallbackDriver, *given: object) -> Screenshot:
        # Equal reads share one walk of the tree: the text is read by then.
        await read(self)
        target.world.show(SETTINGS)
        return await capture(self, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(FallbackDriver, "capture", capture_later)
    message = await target.refused(tool, **arguments)
    assert f"the rule 'app:{SETTINGS}' denies it" in message
