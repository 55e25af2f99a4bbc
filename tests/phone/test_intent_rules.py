"""Which intents are never sent, which are plain, and what pages of the settings are called."""

import pytest

from handheld.driver.intents import Intent
from handheld.phone.intents.rules import find_prohibition, is_plain, settings_page
from handheld.phone.intents.uri import VIEW

ACTION = "android.intent.action."


@pytest.mark.parametrize(
    "intent",
    [
        Intent(action=f"{ACTION}CALL", data="tel:112"),
        Intent(action=f"{ACTION}CALL_PRIVILEGED"),
        Intent(action=f"{ACTION}CALL_EMERGENCY"),
        Intent(action="com.vendor.intent.CALL"),
        Intent("broadcast", f"{ACTION}FACTORY_RESET"),
        Intent("broadcast", f"{ACTION}MASTER_CLEAR"),
        Intent("broadcast", "com.android.internal.os.storage.FORMAT_AND_FACTORY_RESET"),
        Intent("activity", "android.settings.FACTORY_RESET"),
        Intent("broadcast", f"{ACTION}REBOOT"),
        Intent("activity", f"{ACTION}ACTION_REQUEST_SHUTDOWN"),
        Intent("activity", "com.android.internal.intent.action.REQUEST_SHUTDOWN"),
        Intent("broadcast", "android.provider.Telephony.SECRET_CODE"),
        Intent("broadcast", "com.vendor.action.reboot"),
        Intent(action=VIEW, data="content://a/b", flags=0x1),
        Intent(action=VIEW, data="content://a/b", flags=0x10000002),
        Intent(action=VIEW, data="content://a/b", flags=0x40),
        Intent(action=VIEW, data="content://a/b", flags=0x80),
        Intent(action=VIEW, data="javascript:alert(1)"),
        Intent(action=VIEW, data="JavaScript:alert(1)"),
    ],
)
def test_what_calls_erases_or_grants_is_never_sent(intent: Intent) -> None:
    assert find_prohibition(intent)


@pytest.mark.parametrize(
    "intent",
    [
        Intent(action=VIEW, data="https://a.example"),
        Intent(action=f"{ACTION}DIAL", data="tel:112"),
        Intent(action="com.vendor.RECALL"),
        Intent(action="android.telecom.action.SHOW_CALL_SETTINGS"),
        Intent(action=VIEW, data="https://a.example", flags=0x10008000),
    ],
)
def test_others_may_be_sent(intent: Intent) -> None:
    assert find_prohibition(intent) == ""


PLAIN = [
    *(
        Intent(action=VIEW, data=data)
        for data in (
            *("https://a.example", "http://a.example/b.apk", "geo:47,19", "mailto:a@b.example"),
            *("smsto:+361", "market://details?id=a.b", "tel:+361", "foo://x", "content://a/1"),
        )
    ),
    Intent(action=f"{ACTION}DIAL", data="tel:112"),
    Intent(action=f"{ACTION}SENDTO", data="smsto:+361"),
    Intent(action=f"{ACTION}SEND", mime_type="text/plain"),
    Intent(action=f"{ACTION}MAIN", package="a.b"),
    Intent(action="android.settings.WIFI_SETTINGS"),
    Intent(action=VIEW, data="https://a.example", package="a.b"),
]
NOT_PLAIN = [
    Intent(action=VIEW, data="https://a.example", package="a.b", class_name="a.b.C"),
    Intent("service", VIEW, "https://a.example", package="a.b"),
    Intent("broadcast", "android.settings.WIFI_SETTINGS", package="a.b"),
    Intent(action=VIEW),
    Intent(),
    Intent(package="a.b"),
    Intent(action=f"{ACTION}MAIN"),
    Intent(action="com.shop.PAY"),
    Intent(action=f"{ACTION}DELETE", data="package:a.b"),
    Intent(action=f"{ACTION}INSTALL_PACKAGE", data="content://a/1"),
    Intent(action=VIEW, data="content://a/1", mime_type="application/vnd.android.package-archive"),
    Intent(action=VIEW, data="file:///sdcard/Download/x.APK"),
    Intent(action=VIEW, data="content://a/x.apkm?y"),
    Intent(action=VIEW, data="file:///sdcard/Download/x.%61pk"),
    Intent(action=VIEW, data="content://a/1", mime_type="application/*"),
    Intent(action=VIEW, data="content://a/1", mime_type="*/*"),
    Intent(action=f"{ACTION}DIAL", data="tel:*%2306%23"),
    Intent(action=VIEW, data="tel:*21*123#"),
]


@pytest.mark.parametrize("intent", PLAIN)
def test_what_shows_something_is_plain(intent: Intent) -> None:
    assert is_plain(intent)


@pytest.mark.parametrize("intent", NOT_PLAIN)
def test_what_does_more_is_not_plain(intent: Intent) -> None:
    assert not is_plain(intent)


@pytest.mark.parametrize(
    ("name", "page"),
    [
        ("wifi", "WIFI_SETTINGS"),
        ("WiFi", "WIFI_SETTINGS"),
        ("", "SETTINGS"),
        ("//", "SETTINGS"),
        ("apps", "APPLICATION_SETTINGS"),
        ("about", "DEVICE_INFO_SETTINGS"),
        ("airplane-mode", "AIRPLANE_MODE_SETTINGS"),
        ("data usage", "DATA_USAGE_SETTINGS"),
        ("android.settings.NFC_SETTINGS", "NFC_SETTINGS"),
        ("MANAGE_ALL_APPLICATIONS_SETTINGS", "MANAGE_ALL_APPLICATIONS_SETTINGS"),
    ],
)
def test_a_page_of_the_settings_is_found_by_its_name(name: str, page: str) -> None:
    assert settings_page(name) == Intent(action=f"android.settings.{page}")


def test_the_page_of_an_app_is_found_by_its_package() -> None:
    assert settings_page("app/a.b.C") == Intent(
        action="android.settings.APPLICATION_DETAILS_SETTINGS", data="package:a.b.C"
    )


@pytest.mark.parametrize("name", ["a;b", "wifi'", "../x", "é", "a" * 200, "1"])
def test_what_is_no_name_is_no_page(name: str) -> None:
    assert settings_page(name) is None
