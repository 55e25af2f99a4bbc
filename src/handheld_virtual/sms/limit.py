"""The dialog that asks the owner whether an app may send more messages than the limit."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..views.widgets import dialogs

if TYPE_CHECKING:
    from ..world import World

PACKAGE = "com.android.phone"
_LABELS = {"com.android.shell": "Shell"}
"""Labels of packages that are on every phone without being an app."""
CLASS = "com.android.internal.telephony.SMSDispatcher"


def confirm(world: "World", package: str, answer: Callable[[bool], object]) -> None:
    """Ask the owner; Back counts as a refusal."""
    app = world.apps.get(package)
    label = app.label if app is not None else _LABELS.get(package, package)

    def end(allowed: bool) -> None:
        world.system_dialogs.close(dialog)
        answer(allowed)

    words = (
        f"{label} is sending a large number of SMS messages. "
        "Do you want to allow this app to continue sending messages?"
    )
    actions = {"Deny": lambda: end(False), "Allow": lambda: end(True)}
    root = dialogs.card("Send SMS messages?", dialogs.message(words), dialogs.buttons(actions))
    dialog = world.system_dialogs.open(
        PACKAGE, CLASS, "Send SMS messages?", root, on_back=lambda: end(False)
    )
