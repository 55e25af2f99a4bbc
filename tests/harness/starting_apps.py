"""Apps whose first activity does not stay in the foreground."""

from handheld_virtual.packages.app import Activity, App
from handheld_virtual.views.view import View
from handheld_virtual.views.widgets.basic import Text

CALCULATOR = "com.android.calculator2"
CONTROLLER = "com.google.android.permissioncontroller"
GRANT = "com.android.permissioncontroller.permission.ui.GrantPermissionsActivity"


class _Start(Activity):
    def content(self) -> View:
        return Text(self.app.label)


class Camera(_Start):
    """Requests a permission as soon as it is in the foreground."""

    def resumed(self) -> None:
        self.request_permission("android.permission.CAMERA", lambda granted: None)


class Trampoline(_Start):
    """Starts another activity in its own task."""

    def resumed(self) -> None:
        other = self.world.apps[CALCULATOR]
        self.world.tasks.pass_on(self, other.activities[other.main or ""](other))


class Elsewhere(_Start):
    """Opens another app, and closes itself."""

    def resumed(self) -> None:
        self.finish()
        self.world.bring(CALCULATOR)


class CameraApp(App):
    package, label = "org.example.camera", "Camera"
    screens = (Camera,)
    permissions = ("android.permission.CAMERA",)


class DoorApp(App):
    package, label = "org.example.door", "Door"
    screens = (Trampoline,)


class ElsewhereApp(App):
    package, label = "org.example.elsewhere", "Elsewhere"
    screens = (Elsewhere,)
