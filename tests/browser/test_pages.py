"""Tokens, settings, kept steps and the doctor, as a person uses them."""

import tomllib

import httpx
import pytest

from console.rig import Rig
from handheld.tools.steps import SavedStep, StepSequence, StepsFile
from handheld.tools.steps.sharing import write_edited
from harness.polling import HANG, until

from .chromium import Page

pytestmark = pytest.mark.needs_browser

CONFIG = '# Mine.\nport = 8090  # as the router knows it\n\n[sms]\nallow = ["+3620*"]\n'


async def test_a_token_is_created_shown_once_used_and_revoked(rig: Rig, page: Page) -> None:
    await page.open("tokens")
    await page.fill("Name", "kitchen")
    await page.steps(["getByLabel", "screen", {"exact": True}], ["check"])
    await page.steps(["getByLabel", "Expires", {"exact": True}], ["selectOption", "30d"])
    await page.click("button", "Create")
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
    await page.click("button", "Done")
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
    """Return no names for an unknown secret."""
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    async with httpx.AsyncClient(base_url=rig.url, trust_env=False, timeout=HANG) as http:
        answer = await http.post("/mcp", json=body, headers={"authorization": f"Bearer {secret}"})
    return [tool["name"] for tool in answer.json().get("result", {}).get("tools", [])]


async def test_a_reserved_token_name_is_rejected_with_a_message(rig: Rig, page: Page) -> None:
    await page.open("tokens")
    await page.fill("Name", "owner")
    await page.click("button", "Create")
    await page.sees("owner is the token that the server starts with: choose another name.")
    # The browser itself logs the failed request.
    [noted] = await page.noted()
    assert "409" in noted


async def test_a_setting_is_changed_in_the_file_and_comments_are_kept(rig: Rig, page: Page) -> None:
    file = rig.settings.folders.config / "handheld.toml"
    file.write_text(CONFIG, encoding="utf-8")
    await page.open("settings")
    await page.fill("Find a setting", "port")
    await page.fill("port", "8091")
    await page.click("button", "Save port")
    await until(lambda: "8091" in file.read_text(encoding="utf-8"))
    assert file.read_text(encoding="utf-8") == CONFIG.replace("8090", "8091")
    await page.sees("currently 8080; changes at the next start")
    await page.click("button", "Reset port")
    await until(lambda: "port" not in tomllib.loads(file.read_text(encoding="utf-8")))
    assert file.read_text(encoding="utf-8") == CONFIG.replace(
        "port = 8090  # as the router", "# as the router"
    )


async def test_an_invalid_setting_is_reported_and_not_written(rig: Rig, page: Page) -> None:
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


async def test_losing_comments_needs_confirmation(rig: Rig, page: Page) -> None:
    file = rig.settings.folders.config / "handheld.toml"
    text = 'sms = { allow = ["+3620*"] }  # family\n'
    file.write_text(text, encoding="utf-8")
    await page.open("settings")
    await page.fill("Find a setting", "sms.dry_run")
    await page.steps(["getByLabel", "sms.dry_run", {"exact": True}], ["selectOption", "on"])
    await page.click("button", "Save sms.dry_run")
    await page.sees("Nothing was saved.")
    assert file.read_text(encoding="utf-8") == text
    await page.click("button", "Save anyway")
    await page.click("button", "Yes, save")
    await until(lambda: "dry_run" in file.read_text(encoding="utf-8"))
    written = tomllib.loads(file.read_text(encoding="utf-8"))
    assert written == {"sms": {"allow": ["+3620*"], "dry_run": True}}
    file.unlink()


async def test_a_folder_is_added_changed_and_removed(rig: Rig, page: Page) -> None:
    file = rig.settings.folders.storage
    await page.open("settings")
    await page.steps(["getByText", "Add a folder"], ["click"])
    await page.fill("Folder", "com.android.externalstorage.documents/primary:Download")
    await page.steps(["getByLabel", "Allow writing", {"exact": True}], ["check"])
    await page.click("button", "Add")
    await page.steps(["getByLabel", "Download: allow deleting"], ["check"])
    await until(lambda: "allow_delete = true" in file.read_text(encoding="utf-8"))
    assert "allow_write = true" in file.read_text(encoding="utf-8")
    await page.steps(["getByText", "Name and description"], ["click"])
    own = ["locator", ".plainlist details"]
    await page.steps(own, ["getByLabel", "Name", {"exact": True}], ["fill", "Incoming"])
    await page.steps(own, ["getByRole", "button", {"name": "Save"}], ["click"])
    await until(lambda: 'name = "Incoming"' in file.read_text(encoding="utf-8"))
    assert "allow_delete = true" in file.read_text(encoding="utf-8")
    await page.sees("Incoming")
    await page.click("button", "Remove")
    await page.click("button", "Yes, remove")
    await page.sees("No storage locations yet.")
    assert file.read_text(encoding="utf-8") == ""


async def test_kept_steps_are_shown_edited_accepted_and_removed(rig: Rig, page: Page) -> None:
    file = StepsFile(rig.settings.folders.steps)
    alarm = StepSequence(
        (SavedStep("open", {"what": "Clock"}), SavedStep("press", {"key": "home"}))
    )
    file.keep("alarm", "", alarm, "guest", "kept by <b>codex</b>")
    await page.open("steps")
    await page.sees("my_alarm()")
    await page.sees("kept by <b>codex</b>")
    await page.sees("Only for guest")
    await page.click("button", "Accept")
    await page.click("button", "Yes, accept")
    await page.sees("Accepted")  # the page shows the steps anew
    assert file.get("alarm").owned
    await page.steps(["getByText", "Edit", {"exact": True}], ["click"])
    text = write_edited(file.get("alarm")).replace("Clock", "Notes")
    await page.fill("Steps of alarm as JSON", text)
    await page.click("button", "Save")
    await page.until("() => document.querySelector('article ol').textContent.includes('Notes')")
    assert file.get("alarm").sequence.steps[0].arguments == {"what": "Notes"}
    await page.click("button", "Remove")
    await page.click("button", "Yes, remove")
    await page.sees("No steps are kept.")
    assert file.all() == ()


async def test_the_doctor_shows_findings(
    rig: Rig, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HANDHELD_PROT", "1")
    await page.open("doctor")
    await page.sees("Did you mean HANDHELD_PORT?")
    await page.sees("The virtual phone answers, and the helper starts on it.")
    await page.until("() => !document.querySelector('main button').disabled")
    summary = await page.text("main [role=status]")
    assert "passed" in summary, await page.text()
