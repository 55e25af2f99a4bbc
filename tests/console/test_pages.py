"""What the pages for tokens, settings, storage, apps and the doctor are told, and what they may
change."""

import json
from typing import Any

import pytest

from handheld.settings import load
from manual_clock import ManualClock

from .rig import Person, Rig

CONFIG = '# Mine.\nport = 8090  # as the router knows it\n\n[tools]\noff = ["tap"]\n'
FOLDER = "com.android.externalstorage.documents/primary:Download"


async def post(person: Person, path: str, body: Any) -> tuple[int, Any]:
    answer = await person.post(f"/console/api/{path}", body)
    said = answer.json()
    return answer.status_code, said.get("message", said)


async def option(person: Person, key: str) -> dict[str, Any]:
    told = await person.api("settings")
    [found] = [one for one in told["options"] if one["key"] == key]
    return found


async def put(person: Person, key: str, value: Any, **more: Any) -> tuple[int, Any]:
    version = (await person.api("settings"))["version"]
    return await post(person, f"settings/{key}", {"value": value, "version": version, **more})


@pytest.fixture
def config(rig: Rig) -> Any:
    file = rig.settings.folders.config / "handheld.toml"
    file.write_text(CONFIG, encoding="utf-8")
    yield file
    file.unlink(missing_ok=True)


async def test_a_token_is_made_told_without_its_secret_and_revoked(
    rig: Rig, person: Person, clock: ManualClock
) -> None:
    asked = {"name": "kitchen", "toolsets": ["screen"], "read_only": True, "expires": "1d"}
    status, said = await post(person, "tokens", asked)
    assert status == 200
    token = rig.tokens.recognise(said["secret"])
    assert token is not None
    told = await person.api("tokens")
    [one] = told["tokens"]
    assert (told["now"], one["made"], one["expires"]) == (
        clock.time(),
        clock.time(),
        clock.time() + 86_400,
    )
    assert {key: one[key] for key in ("name", "toolsets", "phones", "read_only", "last_use")} == {
        "name": "kitchen",
        "toolsets": ["screen"],
        "phones": [],
        "read_only": True,
        "last_use": None,
    }
    assert said["secret"] not in json.dumps(told)
    assert await post(person, "tokens", asked) == (
        409,
        "There is a token called kitchen already. Take another name, or revoke it first:"
        " handheld token revoke kitchen",
    )
    assert await post(person, "tokens/kitchen/revoke", {}) == (200, {})
    assert rig.tokens.recognise(said["secret"]) is None
    status, said = await post(person, "tokens/kitchen/revoke", {})
    assert (status, said[:31]) == (409, "There is no token called 'kitch")


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
async def test_a_token_that_cannot_be_is_refused(
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
        [one] = (await person.api("tokens"))["tokens"]
        assert one["last_use"] == used
    finally:
        rig.tokens.revoke("tester")


async def test_an_option_is_told_with_its_value_in_the_file_and_now(
    config: Any, person: Person
) -> None:
    port = await option(person, "port")
    told = {key: port[key] for key in ("kind", "bounds", "in_file", "file", "now", "default")}
    assert told == {
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


async def test_a_change_keeps_what_a_person_wrote_around_it(config: Any, person: Person) -> None:
    assert await put(person, "port", 8091) == (200, {"written": True})
    assert await put(person, "tools.off", ["tap", "swipe"]) == (200, {"written": True})
    assert await put(person, "sms.dry_run", True) == (200, {"written": True})
    assert config.read_text(encoding="utf-8") == (
        "# Mine.\nport = 8091  # as the router knows it\n\n"
        '[tools]\noff = ["tap", "swipe"]\n\n[sms]\ndry_run = true\n'
    )


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("port", 70000, "must be a whole number from 0 to 65535, not 70000."),
        ("port", "8080", "must be a whole number"),
        ("port", True, "must be a whole number"),
        ("tools.off", ["tip"], "tools.off names no tool 'tip'. Near it: tap"),
        ("policy.deny", ["tip"], "policy.deny names no tool 'tip'. Near it: tap"),
        ("policy.ask", ["toolset:fils"], "policy.ask names no toolset 'fils'. Near it: files"),
        ("audit.mask_screens", ["a b"], "audit.mask_screens has 'a b': a package is such as"),
        ("log_level", "loud", "must be one of error, warning, info, debug"),
        ("no_token", "maybe", "must be true or false"),
        ("host", "", "host must be an address or a name"),
    ],
)
async def test_what_a_start_would_refuse_is_not_written(
    config: Any, person: Person, key: str, value: Any, said: str
) -> None:
    status, message = await put(person, key, value)
    assert status == 409
    assert said in message
    assert config.read_text(encoding="utf-8") == CONFIG


async def test_a_change_by_somebody_else_is_not_overwritten(config: Any, person: Person) -> None:
    version = (await person.api("settings"))["version"]
    config.write_text(CONFIG + "# more\n", encoding="utf-8")
    status, message = await post(person, "settings/port", {"value": 1, "version": version})
    assert (status, message) == (409, f"{config} has been changed meanwhile. Look at it again.")


async def test_comments_are_lost_only_when_that_was_said(config: Any, person: Person) -> None:
    config.write_text('sms = { allow = ["+36*"] }  # family\n', encoding="utf-8")
    status, said = await put(person, "sms.dry_run", True)
    assert (status, said["written"]) == (200, False)
    assert "# family" in config.read_text(encoding="utf-8")
    assert await put(person, "sms.dry_run", True, lose_comments=True) == (200, {"written": True})
    text = config.read_text(encoding="utf-8")
    assert text == '[sms]\nallow = ["+36*"]\ndry_run = true\n'


async def test_a_file_that_a_token_is_written_to_is_nobody_elses_any_more(
    config: Any, person: Person
) -> None:
    config.chmod(0o644)
    assert await put(person, "port", 8092) == (200, {"written": True})
    assert config.stat().st_mode & 0o777 == 0o644
    assert await put(person, "token", "very-secret") == (200, {"written": True})
    assert config.stat().st_mode & 0o777 == 0o600


async def test_the_token_in_the_file_is_not_told(config: Any, person: Person) -> None:
    config.write_text('token = "very-secret"\n', encoding="utf-8")
    told = await person.api("settings")
    assert "very-secret" not in json.dumps(told)
    assert (await option(person, "token"))["file"] == "(set)"


async def test_a_file_that_is_not_toml_is_told_of_and_left(config: Any, person: Person) -> None:
    config.write_text("port 8080\n", encoding="utf-8")
    told = await person.api("settings")
    assert "is not valid TOML" in told["problem"]
    status, _ = await put(person, "port", 1)
    assert status == 409
    assert config.read_text(encoding="utf-8") == "port 8080\n"


async def test_a_slug_is_given_checked_and_taken_away(config: Any, person: Person) -> None:
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


def test_variables_and_flags_are_named_as_sources() -> None:
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
    [one] = (await person.api("storage"))["locations"]
    assert (one["title"], one["allow_write"], one["allow_delete"]) == ("Download", True, False)
    named = {"id": FOLDER, "name": "Täglich", "description": "What comes in"}
    assert await post(person, "storage", named) == (200, {"new": False})
    [one] = (await person.api("storage"))["locations"]
    # What was not spoken of is as it was.
    assert (one["title"], one["description"]) == ("Täglich", "What comes in")
    assert (one["allow_write"], one["allow_delete"]) == (True, False)
    status, message = await post(person, "storage", {"id": "/sdcard"})
    assert (status, message[:33]) == (409, "'/sdcard' is no storage location.")
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


async def test_an_app_that_is_gone_is_told_as_gone(rig: Rig, person: Person) -> None:
    file = rig.settings.folders.apps
    file.parent.mkdir(parents=True, exist_ok=True)
    apps = {"org.example": app_record(), "org.gone": app_record(package="org.gone", present=False)}
    file.write_text(json.dumps({"names": {}, "phones": {"R58M": apps}}), encoding="utf-8")
    [phone] = (await person.api("apps"))["phones"]
    assert {one["package"]: one["present"] for one in phone["apps"]} == {
        "org.example": True,
        "org.gone": False,
    }
    file.unlink()


async def test_an_app_that_changed_is_told_part_by_part_and_approved(
    rig: Rig, person: Person
) -> None:
    file = rig.settings.folders.apps
    file.parent.mkdir(parents=True, exist_ok=True)
    book = {"names": {}, "phones": {"R58M": {"org.example": app_record()}}}
    file.write_text(json.dumps(book), encoding="utf-8")
    [phone] = (await person.api("apps"))["phones"]
    [one] = phone["apps"]
    assert (one["standing"], one["change"]) == ("changed", "it declares its tools differently")
    assert one["changes"] == [
        {"part": "A", "what": "changed"},
        {"part": "B", "what": "new"},
        {"part": "C", "what": "gone"},
    ]
    stale = {"phone": "R58M", "seen": "of another time"}
    status, message = await post(person, "apps/org.example/approve", stale)
    assert (status, message) == (409, "org.example has changed meanwhile. Look at it again.")
    seen = {"phone": "R58M", "seen": one["seen"]}
    assert await post(person, "apps/org.example/approve", seen) == (200, {})
    assert (await person.api("apps"))["phones"][0]["apps"][0]["standing"] == "approved"
    assert await post(person, "apps/org.example/revoke", {"phone": "R58M"}) == (200, {})
    assert (await person.api("apps"))["phones"][0]["apps"][0]["standing"] == "revoked"
    status, message = await post(person, "apps/org.other/revoke", {"phone": "R58M"})
    assert status == 409
    file.unlink()
