"""Who can log in, and what pages of other origins cannot do."""

import re
import ssl
from http.cookies import SimpleCookie
from importlib.resources import files
from pathlib import Path

import pytest

from handheld.console.sessions import LINK_SECONDS, SESSION_SECONDS
from handheld.server.tls import load_tls, self_signed
from harness.manual_clock import ManualClock

from .rig import PROOF, TOKEN, Person, Rig, open_rig

API = "/console/api/phones"


async def test_without_a_session_the_page_explains_how_to_get_a_link(rig: Rig) -> None:
    answer = await (await rig.browser()).get("/")
    assert answer.status_code == 200
    assert "You are not logged in." in answer.text
    assert "handheld console" in answer.text
    assert "Approvals" not in answer.text


async def test_a_link_works_once(rig: Rig) -> None:
    secret = rig.secret()
    first, second = await rig.browser(), await rig.browser()
    assert (await first.log_in(secret)).status_code == 200
    assert (await second.log_in(secret)).status_code == 403
    assert (await first.get(API)).status_code == 200
    assert (await second.get(API)).status_code == 401
    assert "Approvals" in (await first.get("/")).text


async def test_the_cookie_is_httponly_and_samesite(rig: Rig) -> None:
    browser = await rig.browser()
    answer = await browser.log_in(rig.secret())
    [(name, morsel)] = SimpleCookie(answer.headers["set-cookie"]).items()
    assert name == f"handheld-{browser.http.base_url.port}"
    assert morsel["httponly"] is True
    assert morsel["samesite"] == "Strict"
    assert morsel["path"] == "/"
    assert morsel["max-age"] == str(12 * 3600)
    assert morsel["domain"] == ""


async def test_a_link_is_valid_for_ten_minutes(rig: Rig, clock: ManualClock) -> None:
    early, late = rig.secret(), rig.secret()
    await clock.advance(LINK_SECONDS - 1)
    assert (await (await rig.browser()).log_in(early)).status_code == 200
    await clock.advance(1)
    answer = await (await rig.browser()).log_in(late)
    assert answer.status_code == 403
    assert "no longer valid" in answer.json()["message"]


async def test_a_session_expires_after_twelve_hours(rig: Rig, clock: ManualClock) -> None:
    person = await rig.person()
    await clock.advance(SESSION_SECONDS - 1)
    assert (await person.get(API)).status_code == 200
    await clock.advance(1)
    assert (await person.get(API)).status_code == 401
    assert "You are not logged in." in (await person.get("/")).text


async def test_logging_out_ends_the_session(rig: Rig, person: Person) -> None:
    answer = await person.post("/console/logout", {})
    assert answer.status_code == 200
    assert "Max-Age=0" in answer.headers["set-cookie"]
    assert (await person.get(API)).status_code == 401


@pytest.mark.slow
async def test_wrong_links_lock_nobody_out(rig: Rig) -> None:
    # While no console is open, calls need no approval: an agent must not be able to cause that.
    browser, secret = await rig.browser(), rig.secret()
    for _ in range(50):
        assert (await browser.log_in("wrong")).status_code == 403
    assert (await browser.log_in(secret)).status_code == 200


@pytest.mark.parametrize("path", [API, "/console/events", "/console/api/calls", "/console/logout"])
async def test_an_agents_token_is_not_accepted(rig: Rig, path: str) -> None:
    browser = await rig.browser()
    headers = {"authorization": f"Bearer {TOKEN}"}
    method = "POST" if path.endswith("logout") else "GET"
    answer = await browser.http.request(method, path, headers=headers)
    assert answer.status_code == 401


async def test_an_agents_token_cannot_get_a_link(rig: Rig) -> None:
    browser = await rig.browser()
    for key in ("", TOKEN):
        answer = await browser.http.post(
            "/console/link",
            headers={"authorization": f"Bearer {TOKEN}", "x-handheld-owner": key},
        )
        assert answer.status_code == 403


async def test_a_page_cannot_get_a_link_even_with_the_owners_key(rig: Rig) -> None:
    browser = await rig.browser()
    headers = {"x-handheld-owner": rig.console.key}
    assert (await browser.http.post("/console/link", headers=headers)).status_code == 200
    headers["origin"] = rig.url
    assert (await browser.http.post("/console/link", headers=headers)).status_code == 403


async def test_a_terminal_opens_a_session_with_the_owners_key(rig: Rig) -> None:
    browser = await rig.browser()
    path = "/console/session"
    for headers in ({}, {"authorization": f"Bearer {TOKEN}"}, {"x-handheld-owner": TOKEN}):
        assert (await browser.http.post(path, headers=headers)).status_code == 403
    key = {"x-handheld-owner": rig.console.key}
    assert (await browser.http.post(path, headers={**key, "origin": rig.url})).status_code == 403
    opened = (await browser.http.post(path, headers=key)).json()
    assert re.fullmatch(r"terminal \d+", opened["name"])
    session = {"cookie": opened["cookie"], PROOF: opened["proof"]}
    assert (await browser.http.get(API, headers=session)).status_code == 200
    assert (await browser.http.get(API, headers={"cookie": opened["cookie"]})).status_code == 401
    left = await browser.http.post("/console/logout", headers={**session, "origin": rig.url})
    assert left.status_code == 200
    assert (await browser.http.get(API, headers=session)).status_code == 401


async def test_the_cookie_is_not_accepted_for_mcp(rig: Rig, person: Person) -> None:
    hello = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    answer = await person.post("/mcp", hello)
    assert answer.status_code == 401
    assert (await person.get("/phones")).status_code == 401


async def test_the_cookie_alone_is_rejected(rig: Rig, person: Person) -> None:
    person.proof = ""
    assert (await person.get(API)).status_code == 401
    assert (await person.get("/console/events")).status_code == 401
    person.proof = "x" * 43
    assert (await person.get(API)).status_code == 401


async def test_malformed_cookies_of_other_servers_are_ignored(rig: Rig, person: Person) -> None:
    [(name, value)] = person.http.cookies.items()
    cookie = f'a={{"b": "c, d"}}; {name}=x; ; {name}={value}; e'
    browser = await rig.browser()
    browser.proof = person.proof
    assert (await browser.get(API, cookie=cookie)).status_code == 200


async def test_the_proof_alone_is_rejected(rig: Rig, person: Person) -> None:
    other = await rig.browser()
    other.proof = person.proof
    assert (await other.get(API)).status_code == 401


@pytest.mark.parametrize(
    "origin", ["http://127.0.0.1:1", "http://localhost:{port}", "null", "https://evil.example", ""]
)
async def test_a_change_requires_the_pages_own_origin(
    rig: Rig, person: Person, origin: str
) -> None:
    origin = origin.format(port=person.http.base_url.port)
    answer = await person.post(
        f"/console/api/phones/{rig.serial}/act", {"tool": "press_home"}, origin=origin
    )
    assert answer.status_code == 403
    assert rig.audit.entries(tool="press_home") == []


async def test_a_change_requires_post(rig: Rig, person: Person) -> None:
    answer = await person.get(f"/console/api/phones/{rig.serial}/act")
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


async def test_mcp_at_the_root_is_pointed_to_its_path(rig: Rig) -> None:
    browser = await rig.browser()
    headers = {"authorization": f"Bearer {TOKEN}"}
    answer = await browser.http.post("/", json={}, headers=headers)
    assert answer.status_code == 404
    assert "POST /mcp" in answer.json()["message"]


async def test_other_hosts_are_rejected(rig: Rig, person: Person) -> None:
    assert (await person.get("/", host="evil.example")).status_code == 421


@pytest.mark.parametrize(
    "path", ["/", "/console/login", "/console/static/app.js", API, "/console/no"]
)
async def test_every_response_has_security_headers(rig: Rig, person: Person, path: str) -> None:
    answer = await person.get(path)
    policy = dict(
        part.strip().split(" ", 1) for part in answer.headers["content-security-policy"].split(";")
    )
    assert policy == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self'",
        "connect-src": "'self'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
    }
    assert answer.headers["x-frame-options"] == "DENY"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["x-content-type-options"] == "nosniff"
    static = path in ("/", "/console/login", "/console/static/app.js")
    assert answer.headers["cache-control"] == ("no-cache" if static else "no-store")


async def test_an_unchanged_file_is_not_sent_again(rig: Rig) -> None:
    browser = await rig.browser()
    first = await browser.get("/console/static/style.css")
    again = await browser.get(
        "/console/static/style.css", **{"if-none-match": first.headers["etag"]}
    )
    assert (first.status_code, again.status_code, again.content) == (200, 304, b"")


@pytest.mark.parametrize(
    "name", ["../app.py", "..%2fapp.py", "%2e%2e/app.py", "app.py", "", "nothing.js"]
)
async def test_only_static_files_are_served(rig: Rig, name: str) -> None:
    answer = await (await rig.browser()).get(f"/console/static/{name}")
    assert answer.status_code == 404


async def test_a_body_that_is_not_a_json_object_is_rejected(rig: Rig, person: Person) -> None:
    path = f"/console/api/phones/{rig.serial}/act"
    assert (await person.post(path, [])).status_code == 400
    headers = {PROOF: person.proof, "origin": rig.url}
    assert (await person.http.post(path, content=b"{}", headers=headers)).status_code == 415
    headers["content-type"] = "application/json"
    assert (await person.http.post(path, content=b"{", headers=headers)).status_code == 400
    large = b'{"a": "' + b"x" * 1_100_000 + b'"}'
    assert (await person.http.post(path, content=large, headers=headers)).status_code == 413


SINKS = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|DOMParser|"
    r"srcdoc|createContextualFragment|setHTML|javascript:"
)


def test_no_script_turns_text_into_markup() -> None:
    scripts = [
        file
        for file in files("handheld.console").joinpath("static").iterdir()
        if file.name.endswith(".js")
    ]
    assert len(scripts) >= 9
    assert [
        script.name for script in scripts if SINKS.search(script.read_text(encoding="utf-8"))
    ] == []


def test_pages_have_no_inline_code_and_no_external_urls() -> None:
    for file in files("handheld.console").joinpath("static").iterdir():
        text = file.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert "http://" not in text, file.name
        assert "https://" not in text, file.name
        if file.name.endswith(".html"):
            assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=", text), (
                file.name
            )


@pytest.mark.slow
async def test_under_tls_the_cookie_is_secure(tmp_path: Path) -> None:
    certificate, key = self_signed(tmp_path / "tls")
    async with open_rig(tmp_path / "home", tls=load_tls(certificate, key)) as rig:
        person = await rig.browser(ssl.create_default_context(cafile=str(certificate)))
        answer = await person.log_in(rig.secret())
        name = f"__Host-handheld-{person.http.base_url.port}"
        value = answer.cookies[name]
        assert answer.headers["set-cookie"] == (
            f"{name}={value}; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict; Secure"
        )
        assert await person.api("questions")
        # A plain HTTP page of the same host and port has another origin.
        plain = {"origin": rig.url.replace("https:", "http:")}
        assert (await person.post("/console/logout", {}, **plain)).status_code == 403
        assert (await person.post("/console/logout", {})).status_code == 200
