"""Android's log lines about activity starts from the background that it blocks.

Names and order of the fields are those of com.android.server.wm.ActivityStarter (Android 10 to 13)
and BackgroundActivityStartController (since 14); `tests/framework/test_blocked_starts.py` compares
them with these classes.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

_UNTIL_13 = (
    "callingPackage callingUid {switch} isCallingUidForeground {window} {state}"
    " isCallingUidPersistentSystemProcess realCallingUid isRealCallingUidForeground {realWindow}"
    " {realState} isRealCallingUidPersistentSystemProcess originatingPendingIntent {allowed} intent"
    " callerApp {task}"
)
_STATES: Mapping[str, str] = MappingProxyType(
    {
        "window": "callingUidHasAnyVisibleWindow",
        "state": "callingUidProcState",
        "realWindow": "realCallingUidHasAnyVisibleWindow",
        "realState": "realCallingUidProcState",
    }
)
_NO_STATES: Mapping[str, str] = MappingProxyType(dict.fromkeys(_STATES, ""))
_SINCE_15 = (
    "callingPackage callingPackageTargetSdk callingUid callingPid appSwitchState {window}"
    " callingUidProcState isCallingUidPersistentSystemProcess {exempt} intent callerApp"
    " inVisibleTask balAllowedByPiCreator {hardening} resultIfPiCreatorAllowsBal {mode}"
    " hasRealCaller isCallForResult isPendingIntent autoOptInReason realCallingPackage"
    " realCallingPackageTargetSdk realCallingUid realCallingPid {realWindow}"
    " realCallingUidProcState isRealCallingUidPersistentSystemProcess originatingPendingIntent"
    " realCallerApp realInVisibleTask balAllowedByPiSender resultIfPiSenderAllowsBal {realMode}"
    " {flags}"
)
_SINCE_16: Mapping[str, str] = MappingProxyType(
    {
        "exempt": "allowBalExemptionForSystemProcess",
        "hardening": "",
        "mode": "callerStartMode",
        "realMode": "realCallerStartMode",
    }
)
_BROUGHT = "balDontBringExistingBackgroundTaskStackToFg"
_FIELDS: Mapping[int, str] = MappingProxyType(
    {
        29: _UNTIL_13.format(switch="", allowed="isBgStartWhitelisted", task="", **_NO_STATES),
        30: _UNTIL_13.format(switch="", allowed="isBgStartWhitelisted", task="", **_STATES),
        31: _UNTIL_13.format(
            switch="appSwitchAllowed",
            allowed="allowBackgroundActivityStart",
            task="inVisibleTask",
            **_STATES,
        ),
        32: _UNTIL_13.format(
            switch="appSwitchState",
            allowed="allowBackgroundActivityStart",
            task="inVisibleTask",
            **_STATES,
        ),
        34: (
            "callingPackage callingUid appSwitchState callingUidHasAnyVisibleWindow"
            " callingUidProcState isCallingUidPersistentSystemProcess balAllowedByPiSender"
            " realCallingPackage realCallingUid realCallingUidHasAnyVisibleWindow"
            " realCallingUidProcState isRealCallingUidPersistentSystemProcess"
            " originatingPendingIntent backgroundStartPrivileges intent callerApp inVisibleTask"
        ),
        35: _SINCE_15.format(
            window="callingUidHasAnyVisibleWindow",
            exempt="forcedBalByPiSender",
            hardening="balAllowedByPiCreatorWithHardening",
            mode="",
            realWindow="realCallingUidHasAnyVisibleWindow",
            realMode="",
            flags="balImproveRealCallerVisibilityCheck balRequireOptInByPendingIntentCreator"
            " balRequireOptInSameUid balRespectAppSwitchStateWhenCheckBoundByForegroundUid"
            f" {_BROUGHT}",
        ),
        36: _SINCE_15.format(
            window="callingUidHasVisibleActivity callingUidHasNonAppVisibleWindow",
            realWindow="realCallingUidHasVisibleActivity realCallingUidHasNonAppVisibleWindow",
            flags=f"balRequireOptInByPendingIntentCreator {_BROUGHT}",
            **_SINCE_16,
        ),
        37: _SINCE_15.format(
            window="callingUidHasVisibleActivity callingUidHasVisibleNotPinnedActivity"
            " callingUidHasNonAppVisibleWindow",
            realWindow="realCallingUidHasVisibleActivity realCallingUidHasVisibleNotPinnedActivity"
            " realCallingUidHasNonAppVisibleWindow",
            flags=_BROUGHT,
            **_SINCE_16,
        ),
    }
)
_BEGINNINGS: Mapping[int, str] = MappingProxyType(
    {
        29: "Background activity start",
        34: "Background activity launch blocked",
        35: "Background activity launch blocked!",
        36: "Background activity launch blocked! goo.gle/android-bal",
    }
)
_LEVELS: Mapping[int, str] = MappingProxyType({29: "W", 35: "E"})
"""Since 35 it is written by Slog.wtf."""
_NAMES: Mapping[int, str] = MappingProxyType({2000: "android.uid.shell:2000"})
"""The package manager's name of a uid that several packages share."""


class Blocked(NamedTuple):
    """The start: the app whose intent it is, and the program that sends it."""

    package: str
    target: int
    uid: int
    sender: int
    intent: str


class Line(NamedTuple):
    level: str
    message: str


def fields_of(api: int) -> tuple[str, ...]:
    return tuple(_of(_FIELDS, api).split())


def beginning_of(api: int) -> str:
    return _of(_BEGINNINGS, api)


def _of(table: Mapping[int, str], api: int) -> str:
    return table[max(since for since in table if since <= api)]


def describe(blocked: Blocked, api: int) -> Line:
    """Return the line that Android logs at this API level."""
    values = {
        "callingPackage": blocked.package,
        "callingPackageTargetSdk": blocked.target,
        "callingUid": blocked.uid,
        "callingPid": -1,
        "appSwitchAllowed": "true",
        "appSwitchState": 2,
        "callingUidProcState": "CACHED_EMPTY",
        "backgroundStartPrivileges": "BSP.NONE",
        "forcedBalByPiSender": "BSP.NONE",
        "allowBalExemptionForSystemProcess": "true",
        "balAllowedByPiSender": "BSP.NONE",
        "balAllowedByPiCreator": "BSP.NONE",
        "balAllowedByPiCreatorWithHardening": "BSP.NONE",
        "resultIfPiCreatorAllowsBal": "BAL_BLOCK",
        "resultIfPiSenderAllowsBal": "BAL_BLOCK",
        "callerStartMode": "MODE_BACKGROUND_ACTIVITY_START_SYSTEM_DEFINED",
        "realCallerStartMode": "MODE_BACKGROUND_ACTIVITY_START_SYSTEM_DEFINED",
        "hasRealCaller": "true",
        "isPendingIntent": "true",
        "autoOptInReason": "null",
        "intent": blocked.intent,
        "callerApp": "null",
        "realCallerApp": "null",
        "realCallingPackage": f"{_NAMES.get(blocked.sender, blocked.sender)}[debugOnly]",
        "realCallingPackageTargetSdk": -1,
        "realCallingUid": blocked.sender,
        "realCallingPid": -1,
        "realCallingUidProcState": "PERSISTENT",
        "originatingPendingIntent": f"PendingIntentRecord{{{blocked.package} startActivity}}",
    }
    words = "; ".join(f"{name}: {values.get(name, 'false')}" for name in fields_of(api))
    return Line(_of(_LEVELS, api), f"{beginning_of(api)} [{words}]")
