"""Which app a model means."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from handheld.driver.apps import Installed
from handheld.errors import ActionFailed
from handheld.phone.phone import Phone
from handheld.tools.agent.apps import find_app

PACKAGES = (
    "com.android.calculator2",
    "com.android.deskclock",
    "com.android.dialer",
    "com.android.providers.settings",
    "com.android.settings",
    "com.android.settings.intelligence",
    "com.android.vending",
    "com.example.notes",
    "com.google.android.gm",
    "com.google.android.settings.overlay",
    "org.other.notes",
    "org.telegram.messenger",
)


class Apps:
    def __init__(self, apps: list[Installed]) -> None:
        self._apps = apps

    async def packages(self, kind: str) -> list[Installed]:
        return self._apps


def phone_with(*apps: tuple[str, str]) -> Phone:
    listed = [Installed(package, label, None, 1, False) for package, label in apps]
    return cast(Any, SimpleNamespace(driver=Apps(listed)))


UNNAMED = phone_with(*((package, package) for package in PACKAGES))
"""As adb's shell lists them."""


@pytest.mark.parametrize(
    ("name", "package"),
    [
        ("Settings", "com.android.settings"),
        ("clock", "com.android.deskclock"),
        ("Calculator", "com.android.calculator2"),
        ("Phone", "com.android.dialer"),
        ("Play Store", "com.android.vending"),
        ("Gmail", "com.google.android.gm"),
        ("telegram", "org.telegram.messenger"),
        ("com.example.notes", "com.example.notes"),
    ],
)
async def test_without_names_a_package_is_found_by_its_parts(name: str, package: str) -> None:
    assert await find_app(UNNAMED, name) == (package, package)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "Notes",
            '2 apps fit "Notes": com.example.notes, org.other.notes. Say which package.',
        ),
        (
            "Note",
            'No package is named after "Note". Nearest: com.example.notes, org.other.notes. Names'
            " of apps need the helper, which does not run: say the package, or tap the app on the"
            " home screen.",
        ),
        (
            "Android",
            'No package is named after "Android". Nearest: com.android.calculator2,'
            " com.android.deskclock, com.android.dialer, com.android.providers.settings,"
            " com.android.settings. Names of apps need the helper, which does not run: say the"
            " package, or tap the app on the home screen.",
        ),
        (
            'Pay "me"',
            'No package is named after "Pay \\"me\\"". Names of apps need the helper, which does'
            " not run: say the package, or tap the app on the home screen.",
        ),
    ],
)
async def test_a_name_that_fits_no_single_package_opens_nothing(name: str, message: str) -> None:
    with pytest.raises(ActionFailed) as failure:
        await find_app(UNNAMED, name)
    assert failure.value.message == message


async def test_with_names_the_parts_of_packages_mean_nothing() -> None:
    phone = phone_with(("com.android.deskclock", "Wecker"), ("com.x", "Uhr"))
    with pytest.raises(ActionFailed, match="No app is called"):
        await find_app(phone, "Clock")
    assert await find_app(phone, "wecker") == ("com.android.deskclock", '"Wecker"')
