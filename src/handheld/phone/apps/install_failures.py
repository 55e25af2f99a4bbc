"""Explains why Android did not install or remove an app, and what to do."""

from ...driver.packages import (
    NOT_INSTALLED,
    STILL_THERE,
    SYSTEM_APP,
    InstallRefused,
    NotChanged,
    NotRemoved,
    PackageDriver,
    PhoneTraits,
)
from ...errors import ActionFailed, PermissionDenied, ToolError
from .package_parts import PackageParts

_RELEASES = {
    26: "8.0",
    27: "8.1",
    28: "9",
    29: "10",
    30: "11",
    31: "12",
    32: "12L",
    33: "13",
    34: "14",
    35: "15",
    36: "16",
    37: "17",
}
_OTHER_SIGNER = frozenset(
    {
        "INSTALL_FAILED_UPDATE_INCOMPATIBLE",
        "INSTALL_PARSE_FAILED_INCONSISTENT_CERTIFICATES",
    }
)
_OTHER_PHONE = frozenset(
    {
        "INSTALL_FAILED_NO_MATCHING_ABIS",
        "INSTALL_FAILED_CPU_ABI_INCOMPATIBLE",
        "INSTALL_FAILED_MISSING_FEATURE",
        "INSTALL_FAILED_MISSING_SHARED_LIBRARY",
    }
)
_STOPPED = frozenset(
    {
        "INSTALL_FAILED_VERIFICATION_FAILURE",
        "INSTALL_FAILED_VERIFICATION_TIMEOUT",
        "INSTALL_FAILED_ABORTED",
    }
)
_NO_PACKAGE = frozenset({"INSTALL_FAILED_INVALID_APK", "INSTALL_FAILED_BAD_SIGNATURE"})
_PARSING = "INSTALL_PARSE_FAILED_"
_NOT_REMOVED = {
    SYSTEM_APP: "{package} is part of the phone's system and is not removed.",
    NOT_INSTALLED: "{package} is not installed. list_apps names those that are.",
    STILL_THERE: "Android said that {package} was removed, but it is still there.",
    "DELETE_FAILED_DEVICE_POLICY_MANAGER": (
        "{package} is an administrator of the phone: a person has to deactivate it first, in the"
        " phone's settings."
    ),
    "DELETE_FAILED_USER_RESTRICTED": "This user of the phone may not remove apps.",
    "DELETE_FAILED_OWNER_BLOCKED": "The phone's administrator keeps {package} from being removed.",
    "DELETE_FAILED_ABORTED": "The person at the phone stopped it.",
    "DELETE_FAILED_USED_SHARED_LIBRARY": "Other apps need {package}: remove those first.",
    "DELETE_FAILED_APP_PINNED": (
        "{package} is pinned to the screen: a person has to unpin it first."
    ),
}


async def explain_refusal(
    refused: InstallRefused, parts: PackageParts, *, downgrade: bool, driver: PackageDriver
) -> ToolError:
    """Return the error; missing details are queried from the phone."""
    package, code, why = parts.package, refused.code, refused.why
    if code in _OTHER_SIGNER:
        return ActionFailed(
            f"{package} is installed from another signer. uninstall_app removes it, with its data."
        )
    if code == "INSTALL_FAILED_INSUFFICIENT_STORAGE":
        free = (await _ask(driver)).free_bytes
        told = "" if free is None else f" ({free // 1_000_000} MB free)"
        return ActionFailed(f"The phone has no room for it{told}.")
    if code == "INSTALL_FAILED_OLDER_SDK":
        has = (await _ask(driver)).release or "an older one"
        return ActionFailed(f"It needs {_release(parts.base.min_sdk)}; the phone has {has}.")
    if code == "INSTALL_FAILED_VERSION_DOWNGRADE":
        return ActionFailed(await _explain_downgrade(package, downgrade, driver))
    if code == "INSTALL_FAILED_USER_RESTRICTED":
        return PermissionDenied(
            "The phone refuses installs over USB. Xiaomi: Developer options, Install via USB."
        )
    if code in _NO_PACKAGE or code.startswith(_PARSING):
        name = parts.parts[0].copy.name
        return ActionFailed(f"{name} is not an installable package: {_reason(refused)}.")
    if code in _OTHER_PHONE:
        return ActionFailed(f"It is not made for this phone: {_reason(refused)}.")
    if code in _STOPPED:
        return ActionFailed("Play Protect or the person at the phone stopped it.")
    fixed = {
        "INSTALL_FAILED_DEPRECATED_SDK_VERSION": (
            "It targets an Android version that this phone considers too old; allow_old_target"
            " installs it anyway."
        ),
        "INSTALL_FAILED_TEST_ONLY": ("It is a test-only package; allow_test installs it anyway."),
        "INSTALL_FAILED_MISSING_SPLIT": "It is one part of a split app: give all parts.",
    }
    if code in fixed:
        return ActionFailed(fixed[code])
    said = f"{code}: {why}" if code and why else code or why
    return ActionFailed(f"Android did not install {package}: {said}.")


def _reason(refused: InstallRefused) -> str:
    return refused.why or refused.code


async def _explain_downgrade(package: str, downgrade: bool, driver: PackageDriver) -> str:
    try:
        there = await driver.app_info(package)
    except ToolError:
        there = None
    newer = "A newer version" + ("" if there is None else f" ({there.version_code})")
    if downgrade:
        return (
            f"{newer} is installed, and this phone does not allow downgrades. uninstall_app removes"
            " it, with its data."
        )
    return f"{newer} is installed; allow_downgrade installs it anyway."


async def _ask(driver: PackageDriver) -> PhoneTraits:
    try:
        return await driver.traits()
    except ToolError:
        return PhoneTraits()


def _release(api: int) -> str:
    return f"Android {_RELEASES[api]}" if api in _RELEASES else f"an Android of API level {api}"


def explain_not_removed(problem: NotRemoved, package: str) -> ToolError:
    code = problem.code
    if code.startswith("not installed for"):
        code = NOT_INSTALLED
    known = _NOT_REMOVED.get(code.partition(":")[0])
    if known is not None:
        return ActionFailed(known.format(package=package))
    return ActionFailed(f"Android did not remove {package}: {code}.")


def explain_not_changed(problem: NotChanged, package: str, permission: str) -> ToolError:
    why = problem.why
    if "has not requested permission" in why:
        return ActionFailed(
            f"{package} does not request {permission}, so Android does not grant it. get_app_info"
            " lists its permissions."
        )
    if "Unknown permission" in why:
        return ActionFailed(f"This phone has no permission {permission}.")
    if "not a changeable permission" in why:
        return ActionFailed(
            f"{permission} cannot be changed: Android grants it when the app is installed, or"
            " never."
        )
    if "_RUNTIME_PERMISSIONS" in why:
        return PermissionDenied(
            "The phone does not let adb change permissions. Xiaomi: Developer options, USB"
            " debugging (Security settings). OPPO, realme, OnePlus: Developer options, Disable"
            " permission monitoring."
        )
    if "fixed permission" in why:
        return ActionFailed(
            f"{permission} of {package} is fixed, by the system or the phone's administrator."
        )
    told = f": {why}" if why else ""
    return ActionFailed(f"Android did not change {permission} of {package}{told}.")
