"""What the tools declare about themselves besides what clients see."""

from handheld.tools.main import CATALOG
from handheld.tools.recording import ReplayMode

TOOLS = [tool for toolset in CATALOG for tool in toolset.tools]


def test_the_console_may_call_these_tools() -> None:
    assert {tool.name for tool in TOOLS if tool.console} == {
        *("tap", "double_tap", "long_press", "swipe", "click_element"),
        *("press_back", "press_home", "press_recents", "open_notifications", "press_key"),
    }


def test_a_replay_repeats_these_tools_in_a_special_way() -> None:
    gestures = ("tap", "long_press", "double_tap", "swipe", "scroll", "pinch", "custom_gesture")
    modes = {tool.name: tool.replay for tool in TOOLS}
    assert {name: mode for name, mode in modes.items() if mode is not ReplayMode.AS_RECORDED} == {
        **dict.fromkeys((*gestures, "press_key"), ReplayMode.WHEN_IDLE),
        "find_elements": ReplayMode.UNTIL_FOUND,
        "download_from_url": ReplayMode.NEEDS_WEB,
    }
