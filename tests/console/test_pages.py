"""The API of the pages for tokens, settings, storage and apps."""

import json
from typing import Any

import pytest

from handheld.settings import load
from harness.manual_clock import ManualClock

from .rig import Person, Rig

CONFIG = '# Mine.\nport = 8090  # as the router knows it\n\n[tools]\noff = ["tap"]\n'
FOLDER = "com.android.externalstorage.documents/primary:Download"


async def post(person: Person, path: str, body: Any) -> tuple[int, Any]:
    answer = await person.post(f"/console/api/{path}", body)
    reply = answer.json()
    return answer.status_code, reply.get("message", reply)


async def option(person: Person, key: str) -> dict[str, Any]:
    settings = await person.api("settings")
    [found] = [item for item in settings["options"] if item["key"] == key]
    return found


async def test_lists_of_numbers_are_told_from_lists_of_texts(person: Person) -> None:
    options = (await person.api("settings"))["options"]
    lists = {item["key"]: item["numbers"] for item in options if item["kind"] == "list"}
    assert [key for key, numbers in lists.items() if numbers] == ["sms.subscriptions"]
    assert len(lists) > 1


async def put(person: Person, key: str, value: Any, **more: Any) -> tuple[int, Any]:
    version = (await person.api("settings"))["version"]
    return await post(person, f"settings/{key}", {"value": value, "version": version, **more})


@pytest.fixture
def config(rig: Rig) -> Any:
    file = rig.settings.folders.config / "handheld.toml"
    file.write_text(CONFIG, encoding="utf-8")
    yield file
    file.unlink(missing_ok=True)


async def test_a_token_is_created_listed_without_its_secret_and_revoked(
    rig: Rig, person: Person, clock: ManualClock
) -> None:
    wanted = {"name": "kitchen", "toolsets": ["screen"], "read_only": True, "expires": "1d"}
    status, reply = await post(person, "tokens", wanted)
    assert status == 200
    token = rig.tokens.recognise(reply["secret"])
    assert token is not None
    listed = await person.api("tokens")
    [entry] = listed["tokens"]
    assert (listed["now"], entry["made"], entry["expires"]) == (
        clock.time(),
        clock.time(),
        clock.time() + 86_400,
    )
    assert {key: entry[key] for key in ("name", "toolsets", "phones", "read_only", "last_use")} == {
        "name": "kitchen",
        "toolsets": ["screen"],
        "phones": [],
        "read_only": True,
        "last_use": None,
    }
    assert reply["secret"] not in json.dumps(listed)
    assert await post(person, "tokens", wanted) == (
        409,
        "There is a token called kitchen already. Take another name, or revoke it first:"
        " handheld token revoke kitchen",
    )
    assert await post(person, "tokens/kitchen/revoke", {}) == (200, {})
    assert rig.tokens.recognise(reply["secret"]) is None
    status, reply = await post(person, "tokens/kitchen/revoke", {})
    assert (status, reply[:31]) == (409, "There is no token called 'kitch")


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"name": 7},
        {"name": "a", "toolsets": "screen"},
        {"name": "a", "toolsets": ["nothing"]},
        {"name": "a", "expires": "soon"},
        {"name": "A B"},
        {"name": "a", "read_only": "yes"},
    ],
)
async def test_an_invalid_token_request_is_rejected(
    rig: Rig, person: Person, body: dict[str, Any]
) -> None:
    status, _ = await post(person, "tokens", body)
    assert status in (400, 409)
    assert rig.tokens.all() == []


async def test_a_tokens_last_use_is_taken_from_the_record(
    rig: Rig, person: Person, clock: ManualClock
) -> None:
    rig.tokens.make("tester")
    try:
        await rig.agent("press_home")
        used = clock.time()
        await clock.advance(60)
        [token] = (await person.api("tokens"))["tokens"]
        assert token["last_use"] == used
    finally:
        rig.tokens.revoke("tester")


async def test_an_option_has_its_value_in_the_file_and_the_current_one(
    config: Any, person: Person
) -> None:
    port = await option(person, "port")
    shown = {key: port[key] for key in ("kind", "bounds", "in_file", "file", "now", "default")}
    assert shown == {
        "kind": "number",
        "bounds": [0, 65535],
        "in_file": True,
        "file": 8090,
        "now": 8080,
        "default": 8080,
    }
    assert (port["source"], port["waits"]) == ("", True)
    host = await option(person, "host")
    assert (host["in_file"], host["waits"]) == (False, False)


async def test_a_change_keeps_comments_and_layout(config: Any, person: Person) -> None:
    assert await put(person, "port", 8091) == (200, {"written": True})
    assert await put(person, "tools.off", ["tap", "swipe"]) == (200, {"written": True})
    assert await put(person, "sms.dry_run", True) == (200, {"written": True})
    assert config.read_text(encoding="utf-8") == (
        "# Mine.\nport = 8091  # as the router knows it\n\n"
        '[tools]\noff = ["tap", "swipe"]\n\n[sms]\ndry_run = true\n'
    )


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("port", 70000, "must be a whole number from 0 to 65535, not 70000."),
        ("port", "8080", "must be a whole number"),
        ("port", True, "must be a whole number"),
        ("tools.off", ["tip"], "tools.off names no tool 'tip'. Near it: tap"),
        ("policy.deny", ["tip"], "policy.deny names no tool 'tip'. Near it: tap"),
        ("policy.ask", ["toolset:fils"], "policy.ask names no toolset 'fils'. Near it: files"),
        (
            "audit.mask_screens",
            ["a b"],
            "audit.mask_screens has 'a b': a package has a form such as com.bank.app",
        ),
        ("log_level", "loud", "must be one of error, warning, info, debug"),
        ("no_token", "maybe", "must be true or false"),
        ("host", "", "host must be an address or a name"),
    ],
)
async def test_an_invalid_value_is_not_written(
    config: Any, person: Person, key: str, value: Any, expected: str
) -> None:
    status, message = await put(person, key, value)
    assert status == 409
    assert expected in message
    assert config.read_text(encoding="utf-8") == CONFIG


async def test_a_concurrent_change_is_not_overwritten(config: Any, person: Person) -> None:
    version = (await person.api("settings"))["version"]
    config.write_text(CONFIG + "# more\n", encoding="utf-8")
    status, message = await post(person, "settings/port", {"value": 1, "version": version})
    assert (status, message) == (409, f"{config} has been changed meanwhile. Reload it.")


async def test_comments_are_lost_only_with_consent(config: Any, person: Person) -> None:
    config.write_text('sms = { allow = ["+36*"] }  # family\n', encoding="utf-8")
    status, reply = await put(person, "sms.dry_run", True)
    assert (status, reply["written"]) == (200, False)
    assert "# family" in config.read_text(encoding="utf-8")
    assert await put(person, "sms.dry_run", True, lose_comments=True) == (200, {"written": True})
    text = config.read_text(encoding="utf-8")
    assert text == '[sms]\nallow = ["+36*"]\ndry_run = true\n'


async def test_writing_a_token_makes_the_file_private(config: Any, person: Person) -> None:
    config.chmod(0o644)
    assert await put(person, "port", 8092) == (200, {"written": True})
    assert config.stat().st_mode & 0o777 == 0o644
    assert await put(person, "token", "very-secret") == (200, {"written": True})
    assert config.stat().st_mode & 0o777 == 0o600


async def test_the_token_in_the_file_is_not_returned(config: Any, person: Person) -> None:
    config.write_text('token = "very-secret"\n', encoding="utf-8")
    settings = await person.api("settings")
    assert "very-secret" not in json.dumps(settings)
    assert (await option(person, "token"))["file"] == "(set)"


async def test_a_file_that_is_not_toml_is_reported_and_unchanged(
    config: Any, person: Person
) -> None:
    config.write_text("port 8080\n", encoding="utf-8")
    settings = await person.api("settings")
    assert "is not valid TOML" in settings["problem"]
    status, _ = await put(person, "port", 1)
    assert status == 409
    assert config.read_text(encoding="utf-8") == "port 8080\n"


async def test_a_slug_is_set_validated_and_removed(config: Any, person: Person) -> None:
    async def slug(value: Any) -> tuple[int, Any]:
        version = (await person.api("settings"))["version"]
        return await post(person, "slugs/192.168.1.7:5555", {"slug": value, "version": version})

    assert await slug("pixel") == (200, {"written": True})
    assert (await person.api("settings"))["slugs"] == {"192.168.1.7:5555": "pixel"}
    assert config.read_text(encoding="utf-8") == (
        CONFIG + '\n[phones."192.168.1.7:5555"]\nslug = "pixel"\n'
    )
    status, message = await slug("no spaces")
    assert (status, "can only contain letters" in message) == (409, True)
    assert await slug(None) == (200, {"written": True})
    assert config.read_text(encoding="utf-8") == CONFIG


def test_variables_and_flags_are_reported_as_sources() -> None:
    settings = load(
        {"port": "9000"},
        {"HANDHELD_HOME": "/nowhere", "HANDHELD_HOST": "::1", "ANDROID_SERIAL": "R58M"},
    )
    assert settings.sources == {
        "host": "HANDHELD_HOST",
        "port": "--port",
        "phone": "ANDROID_SERIAL",
    }


async def test_a_folder_is_added_changed_and_removed(rig: Rig, person: Person) -> None:
    assert await post(person, "storage", {"id": FOLDER}) == (200, {"new": True})
    assert await post(person, "storage", {"id": FOLDER, "allow_write": True}) == (
        200,
        {"new": False},
    )
    [location] = (await person.api("storage"))["locations"]
    assert (location["title"], location["allow_write"], location["allow_delete"]) == (
        "Download",
        True,
        False,
    )
    named = {"id": FOLDER, "name": "Täglich", "description": "Incoming"}
    assert await post(person, "storage", named) == (200, {"new": False})
    [location] = (await person.api("storage"))["locations"]
    # Fields that were not given are unchanged.
    assert (location["title"], location["description"]) == ("Täglich", "Incoming")
    assert (location["allow_write"], location["allow_delete"]) == (True, False)
    status, message = await post(person, "storage", {"id": "/sdcard"})
    assert (status, message[:36]) == (409, "'/sdcard' is not a storage location.")
    assert await post(person, "storage/remove", {"id": FOLDER}) == (200, {})
    assert (await person.api("storage"))["locations"] == []


def app_record(**more: Any) -> dict[str, Any]:
    return {
        "package": "org.example",
        "label": "Example",
        "tools": ["app_example_go"],
        "seen": {"signer": "bb", "parts": {"A": "2", "B": "1"}},
        "approved": {"signer": "bb", "parts": {"A": "1", "C": "1"}},
        "revoked": False,
        "problems": [],
        **more,
    }


async def test_a_removed_app_is_reported_as_not_present(rig: Rig, person: Person) -> None:
    file = rig.settings.folders.apps
    file.parent.mkdir(parents=True, exist_ok=True)
    apps = {"org.example": app_record(), "org.gone": app_record(package="org.gone", present=False)}
    file.write_text(json.dumps({"names": {}, "phones": {"R58M": apps}}), encoding="utf-8")
    [phone] = (await person.api("apps"))["phones"]
    assert {app["package"]: app["present"] for app in phone["apps"]} == {
        "org.example": True,
        "org.gone": False,
    }
    file.unlink()


async def test_a_changed_app_is_reported_part_by_part_and_can_be_approved(
    rig: Rig, person: Person
) -> None:
    file = rig.settings.folders.apps
    file.parent.mkdir(parents=True, exist_ok=True)
    book = {"names": {}, "phones": {"R58M": {"org.example": app_record()}}}
    file.write_text(json.dumps(book), encoding="utf-8")
    [phone] = (await person.api("apps"))["phones"]
    [app] = phone["apps"]
    assert (app["standing"], app["change"]) == ("changed", "it declares its tools differently")
    assert app["changes"] == [
        {"part": "A", "what": "changed"},
        {"part": "B", "what": "new"},
        {"part": "C", "what": "gone"},
    ]
    stale = {"phone": "R58M", "seen": "an older digest"}
    status, message = await post(person, "apps/org.example/approve", stale)
    assert (status, message) == (409, "org.example has changed meanwhile. Look at it again.")
    seen = {"phone": "R58M", "seen": app["seen"]}
    assert await post(person, "apps/org.example/approve", seen) == (200, {})
    assert (await person.api("apps"))["phones"][0]["apps"][0]["standing"] == "approved"
    assert await post(person, "apps/org.example/revoke", {"phone": "R58M"}) == (200, {})
    assert (await person.api("apps"))["phones"][0]["apps"][0]["standing"] == "revoked"
    status, message = await post(person, "apps/org.other/revoke", {"phone": "R58M"})
    assert status == 409
    file.unlink()
