"""For every example of the documents: the state of the phone before, and the expected reply.

`documented` is the number of the complete reply in its section, `output` that of the JSON given as
the text of a reply. If all values are determined, they are compared completely; otherwise the
form is, and `determined` lists the values to compare. `text` is the text of the reply, if the
section documents only sentences with names in them, or the reply to another example.
"""

from dataclasses import dataclass

from . import scenes
from .rules import Rewrite, unchanged, with_every_key, with_further
from .scenes import Scene
from .shape import Path


@dataclass(frozen=True, slots=True)
class Pair:
    scene: Scene = scenes.at_home
    documented: int | None = None
    output: int | None = None
    whole: bool = False
    determined: tuple[Path, ...] = ()
    text: str | None = None
    rewrite: Rewrite = unchanged


def whole(scene: Scene = scenes.at_home, documented: int = 0) -> Pair:
    """The documented reply, with every value."""
    return Pair(scene, documented=documented, whole=True)


def with_text(text: str, scene: Scene = scenes.at_home) -> Pair:
    """A documented sentence, with names of this phone."""
    return Pair(scene, text=text)


_ITEM: Path = ("result", "content", 0)
_PICTURE = tuple((*_ITEM, key) for key in ("type", "data", "mimeType"))
_ROOT = tuple(
    (*_ITEM, "text", "nodes", 0, key)
    for key in (
        *("className", "text", "contentDescription", "resourceId", "bounds", "clickable"),
        *("longClickable", "focusable", "scrollable", "editable", "enabled", "visible"),
    )
)
_NO_LOGS = '{"logs":"","line_count":0,"truncated":false}'

FIRST: dict[str, tuple[Pair, ...]] = {
    "get_accessibility_tree 1": (
        Pair(scenes.calculator, documented=0, determined=_ROOT, rewrite=with_every_key),
    ),
    **dict.fromkeys(
        ("capture_screenshot 1", "capture_screenshot 2"),
        (
            Pair(
                scenes.calculator,
                documented=0,
                determined=(*_PICTURE, (*_ITEM, "width"), (*_ITEM, "height")),
            ),
        ),
    ),
    "get_current_app 1": (whole(scenes.calculator), whole(scenes.no_foreground_app, 1)),
    "get_screen_info 1": (whole(),),
    "press_back 1": (whole(),),
    "press_home 1": (whole(),),
    "press_recents 1": (whole(),),
    "open_notifications 1": (whole(),),
    "open_quick_settings 1": (whole(),),
    "get_device_logs 1": (whole(scenes.logs),),
    # The documented lines are below the level in this request.
    "get_device_logs 2": (Pair(scenes.logs, documented=0, text=_NO_LOGS),),
}
"""Document 002."""

MAIN: dict[str, tuple[Pair, ...]] = {
    # Their text is not JSON; test_examples.py checks it line by line.
    "android_get_screen_state 1": (Pair(scenes.calculator, documented=0),),
    "android_get_screen_state 2": (
        Pair(
            scenes.calculator,
            documented=1,
            determined=tuple(("result", "content", 1, key) for key in ("type", "data", "mimeType")),
        ),
    ),
    "android_press_back 1": (whole(),),
    "android_press_home 1": (whole(),),
    "android_press_recents 1": (whole(),),
    "android_open_notifications 1": (whole(),),
    "android_open_quick_settings 1": (whole(),),
    "android_get_device_logs 1": (whole(scenes.logs),),
    "android_get_device_logs 2": (Pair(scenes.logs, documented=0, text=_NO_LOGS),),
    "android_tap 1": (whole(),),
    "android_long_press 1": (whole(),),
    "android_double_tap 1": (whole(),),
    "android_swipe 1": (whole(),),
    "android_scroll 1": (
        Pair(
            documented=0,
            whole=True,
            rewrite=with_further(
                "No view on the screen is known to scroll that way: the finger moved through its"
                " middle, and the screen is the same."
            ),
        ),
    ),
    "android_pinch 1": (whole(),),
    # The documented reply belongs to the other example.
    "android_custom_gesture 1": (
        Pair(documented=0, text="Custom gesture executed with 1 path(s), total 3 point(s)"),
    ),
    "android_custom_gesture 2": (whole(),),
    "android_find_elements 1": (
        Pair(
            scenes.on_element("submit_btn"),
            output=0,
            determined=tuple(
                ("elements", 0, key)
                for key in (
                    *("text", "contentDescription", "className", "clickable", "longClickable"),
                    *("scrollable", "editable", "enabled"),
                )
            ),
        ),
    ),
    "android_click_element 1": (
        with_text("Click performed on element 'node_abc123'", scenes.on_element("submit_btn")),
    ),
    "android_long_click_element 1": (
        with_text("Long-click performed on element 'node_abc123'", scenes.on_element("hold")),
    ),
    "android_scroll_to_element 1": (
        with_text("Scrolled to element 'node_abc123' (2 scroll(s))", scenes.below),
        with_text("Element 'node_abc123' is already visible", scenes.on_element("hold")),
    ),
    "android_type_append_text 1": (whole(scenes.on_element("field")),),
    "android_type_insert_text 1": (whole(scenes.on_element("field", "Hello World")),),
    "android_type_replace_text 1": (whole(scenes.on_element("field", "Hello World")),),
    "android_type_clear_text 1": (whole(scenes.on_element("field", "Hello World")),),
    "android_press_key 1": (with_text("Key 'ENTER' pressed successfully", scenes.in_a_field),),
    "android_get_clipboard 1": (Pair(scenes.clipboard, output=0, whole=True),),
    "android_set_clipboard 1": (with_text("Clipboard set successfully (14 characters)"),),
    "android_wait_for_element 1": (
        Pair(
            scenes.on_element("result"),
            output=0,
            determined=(
                ("found",),
                *(
                    ("element", key)
                    for key in ("contentDescription", "className", "clickable", "enabled")
                ),
            ),
        ),
    ),
    **dict.fromkeys(
        ("android_wait_for_idle 1", "android_wait_for_idle 2"),
        (
            Pair(
                scenes.calculator,
                output=0,
                determined=(("message",), ("similarity",)),
                text='{"message":"UI is idle","elapsedMs":500,"similarity":100}',
            ),
        ),
    ),
    "android_get_element_details 1": (whole(scenes.two_elements),),
    "android_list_storage_locations 1": (whole(scenes.one_location),),
    "android_list_files 1": (whole(scenes.two_files),),
    # The documented reply stops after two lines, unlike the documented request.
    "android_read_file 1": (
        Pair(
            scenes.a_long_file,
            documented=0,
            text="\n".join(
                [
                    "1| First line of the file",
                    "2| Second line of the file",
                    *(f"{number}| More" for number in range(3, 101)),
                ]
            ),
        ),
    ),
    "android_write_file 1": (whole(),),
    "android_append_file 1": (whole(scenes.holding("notes/todo.txt", "Buy groceries")),),
    "android_file_replace 1": (whole(scenes.holding("notes/todo.txt", "Buy groceries")),),
    "android_download_from_url 1": (whole(scenes.on_the_web),),
    "android_delete_file 1": (whole(scenes.holding("notes/old-todo.txt", "Old")),),
    "android_open_app 1": (whole(),),
    "android_list_apps 1": (whole(scenes.another_app),),
    "android_close_app 1": (whole(scenes.another_app),),
}
"""Document 004."""
