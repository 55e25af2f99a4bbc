"""The dialog that asks whether a computer may use adb."""

from typing import TYPE_CHECKING

from ..system_ui.bars import PACKAGE
from ..system_ui.dialogs import SystemDialog
from ..views.widgets.basic import CheckBox
from ..views.widgets.dialogs import buttons, card, message
from .authority import AdbAuthorization, Authority, fingerprint

if TYPE_CHECKING:
    from handheld.adb.keys import AdbPublicKey

    from ..world import World

COMPONENT = "com.android.systemui.usb.UsbDebuggingActivity"
TITLE = "Allow USB debugging?"


class DebuggingPrompt:
    """Asks about one waiting computer at a time."""

    def __init__(self, world: "World", authority: Authority) -> None:
        self._world = world
        self._authority = authority
        self._dialog: SystemDialog | None = None
        self._about: AdbAuthorization | None = None
        authority.changed = self.refresh

    def refresh(self) -> None:
        """Show the dialog for the computer that has waited longest, or close it."""
        waiting = self._authority.next
        about = waiting[0] if waiting else None
        if about is self._about:
            return
        self._about = about
        if self._dialog is not None:
            self._world.system_dialogs.close(self._dialog)
            self._dialog = None
        if waiting is not None:
            self._open(*waiting)

    def _open(self, authorization: AdbAuthorization, key: "AdbPublicKey") -> None:
        always = CheckBox("Always allow from this computer", id="android:id/alwaysUse", size=14)

        def allow() -> None:
            if always.checked:
                self._authority.allow(key)
            self._authority.admit(authorization)

        def cancel() -> None:
            self._authority.refuse(authorization)

        root = card(
            TITLE,
            message(f"The computer's RSA key fingerprint is:\n{fingerprint(key)}"),
            always,
            buttons({"Cancel": cancel, "Allow": allow}),
        )
        self._dialog = self._world.system_dialogs.open(
            PACKAGE, COMPONENT, TITLE, root, on_back=cancel
        )
