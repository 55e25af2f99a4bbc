"""`service`: lists the phone's services."""

from ..system.android import Android
from .call import CommandCall, refuse

SERVICES = {
    "SurfaceFlinger": "android.ui.ISurfaceComposer",
    "accessibility": "android.view.accessibility.IAccessibilityManager",
    "activity": "android.app.IActivityManager",
    "activity_task": "android.app.IActivityTaskManager",
    "adb": "android.debug.IAdbManager",
    "alarm": "android.app.IAlarmManager",
    "app_function": "android.app.appfunctions.IAppFunctionManager",
    "appops": "com.android.internal.app.IAppOpsService",
    "audio": "android.media.IAudioService",
    "battery": "",
    "bluetooth_manager": "android.bluetooth.IBluetoothManager",
    "clipboard": "android.content.IClipboard",
    "connectivity": "android.net.IConnectivityManager",
    "content": "android.content.IContentService",
    "deviceidle": "android.os.IDeviceIdleController",
    "display": "android.hardware.display.IDisplayManager",
    "input": "android.hardware.input.IInputManager",
    "input_method": "com.android.internal.view.IInputMethodManager",
    "iphonesubinfo": "com.android.internal.telephony.IPhoneSubInfo",
    "isms": "com.android.internal.telephony.ISms",
    "isub": "com.android.internal.telephony.ISub",
    "locale": "android.app.ILocaleManager",
    "location": "android.location.ILocationManager",
    "media_session": "android.media.session.ISessionManager",
    "notification": "android.app.INotificationManager",
    "overlay": "android.content.om.IOverlayManager",
    "package": "android.content.pm.IPackageManager",
    "permission": "android.os.IPermissionController",
    "phone": "com.android.internal.telephony.ITelephony",
    "power": "android.os.IPowerManager",
    "settings": "",
    "statusbar": "com.android.internal.statusbar.IStatusBarService",
    "telephony.registry": "com.android.internal.telephony.ITelephonyRegistry",
    "uimode": "android.app.IUiModeManager",
    "user": "android.os.IUserManager",
    "wifi": "android.net.wifi.IWifiManager",
    "window": "android.view.IWindowManager",
}
"""The services with their interfaces."""
_ADDED = {"app_function": Android.app_functions, "locale": Android.locale_command}
"""Services that were added in some release."""


def services(android: Android) -> dict[str, str]:
    """The services of this release."""
    return {
        name: interface
        for name, interface in SERVICES.items()
        if name not in _ADDED or android.has(_ADDED[name])
    }


_USAGE = """\
Usage: service [-h|-?]
       service list
       service check SERVICE
       service call SERVICE CODE [i32 N | i64 N | f N | d N | s16 STR | null |
               fd f | nfd n | afd f ] ...
"""


async def service(call: CommandCall) -> None:
    known = services(call.phone.world.android)
    match call.arguments:
        case ["list"]:
            await call.write(f"Found {len(known)} services:\n")
            for number, (name, interface) in enumerate(known.items()):
                await call.write(f"{number}\t{name}: [{interface}]\n")
        case ["check", name]:
            await call.write(f"Service {name}: {'found' if name in known else 'not found'}\n")
        case ["check"]:
            await refuse(call, f"service: No service specified for check\n{_USAGE}".rstrip(), 10)
        case ["call", name, code, *_] if code.isdigit():
            if name not in known:
                await refuse(call, f"service: Service {name} does not exist", 10)
                return
            # Transaction codes differ between builds, so this phone has none.
            await call.write('Result: Parcel(Error: 0xffffffffffffffb6 "Not a data message")\n')
        case ["call", *_]:
            await refuse(call, f"service: No service specified for call\n{_USAGE}".rstrip(), 10)
        case ["-h" | "-?"]:
            await call.write(_USAGE)
        case _:
            await refuse(call, _USAGE.rstrip(), 10)
