"""System packages whose windows the phone draws. They are installed, but cannot be launched."""

from ..input.keyboard import PACKAGE as KEYBOARD_PACKAGE
from ..packages.app import App
from ..packages.permission_dialog import OLD_PACKAGE, PACKAGE
from ..packages.processes import SYSTEM_UI
from ..sms.limit import PACKAGE as PHONE_PACKAGE
from ..system.android import Android
from ..system_ui.bars import PACKAGE as SYSTEM_UI_PACKAGE

PHONE_UID = 1001


class _SystemApp(App):
    version, version_code, system = "14", 34, True


class SystemUi(_SystemApp):
    package, label = SYSTEM_UI_PACKAGE, "System UI"
    shared_uid = SYSTEM_UI.uid


class ShellApp(_SystemApp):
    """The package of the shell's programs."""

    package, label = "com.android.shell", "Shell"
    shared_uid = 2000


class KeyboardApp(_SystemApp):
    package, label = KEYBOARD_PACKAGE, "Android Keyboard (AOSP)"


class PhoneServicesApp(_SystemApp):
    package, label = PHONE_PACKAGE, "Phone Services"
    shared_uid = PHONE_UID


class PermissionController(_SystemApp):
    package, label = PACKAGE, "Permission controller"


class PackageInstaller(_SystemApp):
    """The package that showed permission dialogs before PermissionController."""

    package, label = OLD_PACKAGE, "Package installer"


def system_parts(android: Android) -> tuple[type[App], ...]:
    asking = PermissionController if android.permission_controller else PackageInstaller
    return (SystemUi, KeyboardApp, PhoneServicesApp, asking, ShellApp)
