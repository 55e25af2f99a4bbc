"""The dialog that asks the owner for a permission."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..views.drawing import theme
from ..views.layout import Column, Row, Scroll
from ..views.view import MATCH, View
from ..views.widgets.basic import Button, CheckBox, Image, Text
from .permissions import ALWAYS, FOREGROUND, runtime_permissions

if TYPE_CHECKING:
    from .app import Activity

CLASS = "com.android.permissioncontroller.permission.ui.GrantPermissionsActivity"
OLD_CLASS = "com.android.packageinstaller.permission.ui.GrantPermissionsActivity"
ICONS = {
    "android.permission.CAMERA": "camera",
    "android.permission.RECORD_AUDIO": "sound",
    "android.permission.ACCESS_FINE_LOCATION": "place",
    "android.permission.ACCESS_COARSE_LOCATION": "place",
    "android.permission.POST_NOTIFICATIONS": "bell",
    "android.permission.READ_CONTACTS": "person",
    "android.permission.WRITE_CONTACTS": "person",
    "android.permission.SEND_SMS": "message",
    "android.permission.READ_SMS": "message",
    "android.permission.RECEIVE_SMS": "message",
    "android.permission.CALL_PHONE": "phone",
    "android.permission.READ_PHONE_STATE": "phone",
    "android.permission.READ_CALL_LOG": "phone",
    "android.permission.BLUETOOTH_CONNECT": "bluetooth",
    "android.permission.BLUETOOTH_SCAN": "bluetooth",
}


def request(activity: "Activity", permission: str, then: Callable[[bool], object]) -> None:
    """Ask the owner, or answer immediately if the answer is already known, as Android does."""
    world, app = activity.world, activity.app
    answer = world.permissions.get(app.package, permission)
    if permission not in app.permissions:
        app.log("W", "PermissionRequest", f"{permission} is not declared by {app.package}")
        then(False)
    elif permission not in runtime_permissions(world.android) or answer.granted:
        then(True)
    elif answer.user_fixed:
        then(False)
    else:
        PermissionDialog(activity, permission, then)


class PermissionDialog:
    """The dialog has three designs: a check box up to API 28, longer button labels on 29, and the
    current one from 30 on."""

    def __init__(
        self, activity: "Activity", permission: str, then: Callable[[bool], object]
    ) -> None:
        self._activity, self._permission, self._then = activity, permission, then
        self._world = activity.world
        self._package = activity.app.package
        self._asked_before = self._world.permissions.get(self._package, permission).user_set
        old = not self._world.android.permission_controller
        self._ids = "com.android.packageinstaller" if old else "com.android.permissioncontroller"
        self._never = CheckBox("Don't ask again", id=self._id("do_not_ask_checkbox"), size=14)
        root = self._old_card() if old else self._card()
        self._dialog = self._world.system_dialogs.open(
            OLD_PACKAGE if old else PACKAGE,
            OLD_CLASS if old else CLASS,
            f"Allow {activity.app.label}?",
            root,
            type="APPLICATION",
            over=activity,
            on_back=lambda: self._end(False),
        )

    @property
    def question(self) -> str:
        words = FOREGROUND.get(self._permission) or ALWAYS[self._permission]
        return f"Allow {self._activity.app.label} to {words}?"

    def _id(self, name: str) -> str:
        return f"{self._ids}:id/{name}"

    def _card(self) -> View:
        icon = Image(
            ICONS.get(self._permission, "info"),
            id=self._id("permission_icon"),
            width=32,
            height=32,
            color=theme.PRIMARY,
            gravity="center",
        )
        message = Text(
            self.question,
            size=20,
            align="center",
            width=MATCH,
            id=self._id("permission_message"),
        )
        dialog = Column(
            Column(
                icon,
                message,
                id=self._id("content_container"),
                width=MATCH,
                gap=14,
                padding=(8, 8, 8, 24),
            ),
            Column(*self._buttons(), width=MATCH, gap=6),
            id=self._id("grant_dialog"),
            width=MATCH,
        )
        return Scroll(
            Column(dialog, id=self._id("grant_singleton"), width=MATCH),
            width=MATCH,
            padding=20,
            background=theme.SURFACE_HIGH,
            radius=28,
        )

    def _buttons(self) -> list[View]:
        foreground = self._permission in FOREGROUND
        if not self._world.android.one_time_permissions:
            located = foreground and "LOCATION" in self._permission
            buttons = [self._button("Allow", "permission_allow_button", self._allow)]
            if located:
                words = "Allow only while using the app"
                id = "permission_allow_foreground_only_button"
                buttons = [self._button(words, id, self._allow)]
            buttons.append(self._button("Deny", "permission_deny_button", self._deny))
            if self._asked_before:
                id = "permission_deny_and_dont_ask_again_button"
                buttons.append(self._button("Deny & don’t ask again", id, self._deny_for_good))
            return buttons
        if foreground:
            id = "permission_allow_foreground_only_button"
            buttons = [self._button("While using the app", id, self._allow)]
            id = "permission_allow_one_time_button"
            buttons.append(self._button("Only this time", id, self._allow_once))
        else:
            buttons = [self._button("Allow", "permission_allow_button", self._allow)]
        if self._asked_before:
            id = "permission_deny_and_dont_ask_again_button"
            buttons.append(self._button("Don’t allow", id, self._deny_for_good))
        else:
            buttons.append(self._button("Don’t allow", "permission_deny_button", self._deny))
        return buttons

    def _button(self, words: str, id: str, operation: Callable[[], object]) -> View:
        return Button(
            words,
            operation,
            id=self._id(id),
            width=MATCH,
            height=52,
            size=16,
            radius=12,
            color=theme.ON_PRIMARY_CONTAINER,
            background=theme.PRIMARY_CONTAINER,
        )

    def _old_card(self) -> View:
        def flat(words: str, id: str, operation: Callable[[], object]) -> View:
            return Button(
                words.upper(),
                operation,
                id=self._id(id),
                color=theme.PRIMARY,
                background=None,
                padding=(12, 10),
            )

        def deny() -> None:
            (self._deny_for_good if self._never.checked else self._deny)()

        self._never.shown = self._asked_before
        return Column(
            Row(
                Image(
                    ICONS.get(self._permission, "info"),
                    id=self._id("permission_icon"),
                    color=theme.PRIMARY,
                ),
                Text(self.question, size=18, weight=1, width=0, id=self._id("permission_message")),
                gap=20,
                width=MATCH,
            ),
            self._never,
            Row(
                flat("Deny", "permission_deny_button", deny),
                flat("Allow", "permission_allow_button", self._allow),
                gap=8,
                width=MATCH,
                content_gravity="right",
            ),
            id=self._id("grant_dialog"),
            gap=16,
            width=MATCH,
            padding=24,
            background=theme.SURFACE_HIGH,
            radius=4,
        )

    def _allow(self) -> None:
        self._world.permissions.allow(self._package, self._permission)
        self._end(True)

    def _allow_once(self) -> None:
        self._world.permissions.allow(self._package, self._permission, one_time=True)
        self._end(True)

    def _deny(self) -> None:
        self._world.permissions.deny(self._package, self._permission)
        self._end(False)

    def _deny_for_good(self) -> None:
        self._world.permissions.deny(self._package, self._permission, for_good=True)
        self._end(False)

    def _end(self, granted: bool) -> None:
        self._world.system_dialogs.close(self._dialog)
        self._then(granted)


PACKAGE = "com.google.android.permissioncontroller"
OLD_PACKAGE = "com.google.android.packageinstaller"
