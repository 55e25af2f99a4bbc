"""The cards of an activity's dialogs: a question, a choice, a text input."""

from collections.abc import Callable, Mapping, Sequence

from ..drawing import theme
from ..layout import Column, Row, Scroll
from ..view import MATCH, WRAP, View
from .basic import Button, RadioButton, Text
from .field import Field

Actions = Mapping[str, Callable[[], object]]
"""Labels and actions, from left to right."""
HIGHEST_DP = 280
"""The height of a list with more than `MOST_AT_ONCE` choices, which scrolls."""
MOST_AT_ONCE = 6


def buttons(actions: Actions) -> View:
    """The buttons of a dialog. Android's `button1`, the positive button, is the last one."""
    row = Row(gap=8, width=MATCH, content_gravity="right")
    for number, (words, operation) in zip(range(len(actions), 0, -1), actions.items(), strict=True):
        button = Button(
            words,
            operation,
            id=f"android:id/button{number}",
            background=None,
            color=theme.PRIMARY,
            padding=(12, 10),
        )
        row.adopt(button)
    return row


def card(title: str, *content: View) -> View:
    return Column(
        Text(title, size=22, id="android:id/alertTitle", width=MATCH),
        *content,
        gap=16,
        padding=24,
        background=theme.SURFACE_HIGH,
        radius=28,
        width=MATCH,
        class_name="android.widget.FrameLayout",
    )


def picker(content: View, actions: Actions) -> View:
    """A picker with its own header, and buttons below."""
    return Scroll(
        Column(
            content,
            Column(buttons(actions), padding=(12, 8), width=MATCH),
            width=MATCH,
            id="android:id/parentPanel",
        ),
        background=theme.SURFACE_HIGH,
        width=MATCH,
        focusable=False,
        class_name="android.widget.FrameLayout",
    )


def message(words: str) -> View:
    return Text(words, size=14, color=theme.ON_SURFACE_DIM, id="android:id/message", width=MATCH)


def choices(words: Sequence[str], chosen: int | None, then: Callable[[int], object]) -> View:
    """A list of choices; a click on one answers the dialog."""
    rows = [
        RadioButton(
            each,
            checked=number == chosen,
            on_click=lambda number=number: then(number),
            id="android:id/text1",
            width=MATCH,
            class_name="android.widget.CheckedTextView",
        )
        for number, each in enumerate(words)
    ]
    return Scroll(
        Column(*rows, width=MATCH),
        id="select_dialog_listview",
        width=MATCH,
        height=HIGHEST_DP if len(words) > MOST_AT_ONCE else WRAP,
        class_name="android.widget.ListView",
    )


def line(text: str, hint: str) -> Field:
    return Field(text, hint=hint, id="android:id/edit", width=MATCH)
