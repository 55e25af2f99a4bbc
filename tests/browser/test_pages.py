"""Tokens, settings, apps and the doctor, as a person uses them."""

import tomllib

import httpx
import pytest

from console.rig import Rig

from .agent import until
from .chromium import Page

pytestmark = pytest.mark.needs_browser

CONFIG = '# Mine.\nport = 8090  # as the router knows it\n\n[sms]\nallow = ["+3620*"]\n'


async def test_a_token_is_made_shown_once_used_and_revoked(rig: Rig, page: Page) -> None:
    await page.open("tokens")
    await page.fill("Name", "kitchen")
    await page.steps(["getByLabel", "screen", {"exact": True}], ["check"])
    await page.steps(["getByLabel", "Ends", {"exact": True}], ["selectOption", "30d"])
    await page.click("button", "Make it")
    await page.sees("The secret of kitchen")
    secret = await page.text(".secret")
    await page.click("button", "Copy the secret")
    assert await page.evaluate("() => navigator.clipboard.readText()") == secret
    [token] = rig.tokens.all()
    assert (token.name, token.toolsets, token.phones, token.read_only) == (
        "kitchen",
        ("screen",),
        (),
        False,
    )
    names = await tools_of(rig, secret)
    assert "android_get_screen_state" in names
    assert "android_tap" not in names
    await page.click("button", "I have it")
    assert await page.count(".secret") == 0
    await page.steps(["reload"])
    await page.sees("in 30 days")
    assert secret not in await page.text("body")
    await page.click("button", "Revoke")
    await page.click("button", "Yes, revoke")
    await page.until("() => document.querySelectorAll('tbody tr').length === 1")
    assert rig.tokens.all() == []
    assert await tools_of(rig, secret) == []


async def tools_of(rig: Rig, secret: str) -> list[str]:
    """None for a secret that is not known."""
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    async with httpx.AsyncClient(base_url=rig.url, trust_env=False) as http:
        answer = await http.post("/mcp", json=body, headers={"authorization": f"Bearer {secret}"})
    return [one["name"] for one in answer.json().get("result", {}).get("tools", [])]


async def test_a_name_that_no_token_can_have_is_refused_in_words(rig: Rig, page: Page) -> None:
    await page.open("tokens")
    await page.fill("Name", "owner")
    await page.click("button", "Make it")
    await page.sees("owner is the token that the server is started with: take another.")
    # What the browser itself notes of the refusal.
    [noted] = await page.noted()
    assert "409" in noted


async def test_a_setting_is_changed_in_the_file_and_comments_stay(rig: Rig, page: Page) -> None:
    file = rig.settings.folders.config / "handheld.toml"
    file.write_text(CONFIG, encoding="utf-8")
    await page.open("settings")
    await page.fill("Find a setting", "port")
    await page.fill("port", "8091")
    await page.click("button", "Save port")
    await until(lambda: "8091" in file.read_text(encoding="utf-8"))
    assert file.read_text(encoding="utf-8") == CONFIG.replace("8090", "8091")
    await page.sees("now 8080; changes at the next start")
    await page.click("button", "Default for port")
    await until(lambda: "port" not in tomllib.loads(file.read_text(encoding="utf-8")))
    assert file.read_text(encoding="utf-8") == CONFIG.replace(
        "port = 8090  # as the router", "# as the router"
    )


async def test_what_the_settings_refuse_is_said_and_not_written(rig: Rig, page: Page) -> None:
    file = rig.settings.folders.config / "handheld.toml"
    file.write_text(CONFIG, encoding="utf-8")
    await page.open("settings")
    await page.fill("Find a setting", "sms.allow")
    await page.fill("sms.allow", "+3620*, nobody")
    await page.click("button", "Save sms.allow")
    await page.sees("sms.allow has 'nobody'")
    assert file.read_text(encoding="utf-8") == CONFIG
    [noted] = await page.noted()
    assert "409" in noted


async def test_the_loss_of_comments_is_asked_about_first(rig: Rig, page: Page) -> None:
    file = rig.settings.folders.config / "handheld.toml"
    text = 'sms = { allow = ["+3620*"] }  # family\n'
    file.write_text(text, encoding="utf-8")
    await page.open("settings")
    await page.fill("Find a setting", "sms.dry_run")
    await page.steps(["getByLabel", "sms.dry_run", {"exact": True}], ["selectOption", "on"])
    await page.click("button", "Save sms.dry_run")
    await page.sees("Nothing has been written.")
    assert file.read_text(encoding="utf-8") == text
    await page.click("button", "Write it all the same")
    await page.click("button", "Yes, write it")
    await until(lambda: "dry_run" in file.read_text(encoding="utf-8"))
    written = tomllib.loads(file.read_text(encoding="utf-8"))
    assert written == {"sms": {"allow": ["+3620*"], "dry_run": True}}
    file.unlink()


async def test_a_folder_is_added_changed_and_removed(rig: Rig, page: Page) -> None:
    file = rig.settings.folders.storage
    await page.open("settings")
    await page.steps(["getByText", "Add a folder"], ["click"])
    await page.fill("Folder", "com.android.externalstorage.documents/primary:Download")
    await page.steps(["getByLabel", "May be written to", {"exact": True}], ["check"])
    await page.click("button", "Add")
    await page.steps(["getByLabel", "Download: may be deleted from"], ["check"])
    await until(lambda: "allow_delete = true" in file.read_text(encoding="utf-8"))
    assert "allow_write = true" in file.read_text(encoding="utf-8")
    await page.steps(["getByText", "Name and description"], ["click"])
    own = ["locator", ".plainlist details"]
    await page.steps(own, ["getByLabel", "Name", {"exact": True}], ["fill", "What comes in"])
    await page.steps(own, ["getByRole", "button", {"name": "Save"}], ["click"])
    await until(lambda: 'name = "What comes in"' in file.read_text(encoding="utf-8"))
    assert "allow_delete = true" in file.read_text(encoding="utf-8")
    await page.sees("What comes in")
    await page.click("button", "Remove")
    await page.click("button", "Yes, remove")
    await page.sees("There is none yet.")
    assert file.read_text(encoding="utf-8") == ""


async def test_the_doctor_shows_findings_and_what_mends_them(
    rig: Rig, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HANDHELD_PROT", "1")
    await page.open("doctor")
    await page.sees("Did you mean HANDHELD_PORT?")
    await page.sees("The virtual phone answers, and the helper starts on it.")
    await page.until("() => !document.querySelector('main button').disabled")
    said = await page.text("main [role=status]")
    assert "fine" in said, await page.text()
