"""Who gets in, and what a page of somebody else's cannot do."""

import re
import ssl
from http.cookies import SimpleCookie
from importlib.resources import files
from pathlib import Path

import pytest

from handheld.console.sessions import LINK_SECONDS, SESSION_SECONDS
from handheld.server.tls import load_tls, self_signed
from manual_clock import ManualClock

from .rig import PROOF, TOKEN, Person, Rig, open_rig

API = "/console/api/phones"


async def test_without_a_session_the_page_says_how_to_get_a_link(rig: Rig) -> None:
    answer = await (await rig.browser()).get("/")
    assert answer.status_code == 200
    assert "Nobody is logged in here." in answer.text
    assert "handheld console" in answer.text
    assert "Approvals" not in answer.text


async def test_a_link_opens_one_console_once(rig: Rig) -> None:
    secret = rig.secret()
    first, second = await rig.browser(), await rig.browser()
    assert (await first.log_in(secret)).status_code == 200
    assert (await second.log_in(secret)).status_code == 403
    assert (await first.get(API)).status_code == 200
    assert (await second.get(API)).status_code == 401
    assert "Approvals" in (await first.get("/")).text


async def test_the_cookie_is_out_of_reach_of_scripts_and_of_other_sites(rig: Rig) -> None:
    browser = await rig.browser()
    answer = await browser.log_in(rig.secret())
    [(name, morsel)] = SimpleCookie(answer.headers["set-cookie"]).items()
    assert name == f"handheld-{browser.http.base_url.port}"
    assert morsel["httponly"] is True
    assert morsel["samesite"] == "Strict"
    assert morsel["path"] == "/"
    assert morsel["max-age"] == str(12 * 3600)
    assert morsel["domain"] == ""


async def test_a_link_holds_ten_minutes(rig: Rig, clock: ManualClock) -> None:
    early, late = rig.secret(), rig.secret()
    await clock.advance(LINK_SECONDS - 1)
    assert (await (await rig.browser()).log_in(early)).status_code == 200
    await clock.advance(1)
    answer = await (await rig.browser()).log_in(late)
    assert answer.status_code == 403
    assert "does not hold any more" in answer.json()["message"]


async def test_a_session_ends_after_twelve_hours(rig: Rig, clock: ManualClock) -> None:
    person = await rig.person()
    await clock.advance(SESSION_SECONDS - 1)
    assert (await person.get(API)).status_code == 200
    await clock.advance(1)
    assert (await person.get(API)).status_code == 401
    assert "Nobody is logged in here." in (await person.get("/")).text


async def test_who_logs_out_is_out_everywhere(rig: Rig, person: Person) -> None:
    answer = await person.post("/console/logout", {})
    assert answer.status_code == 200
    assert "Max-Age=0" in answer.headers["set-cookie"]
    assert (await person.get(API)).status_code == 401


async def test_whoever_tries_wrong_links_keeps_nobody_out(rig: Rig) -> None:
    # While no console is open, calls are not asked about: an agent must not be able to see to that.
    browser, secret = await rig.browser(), rig.secret()
    for _ in range(50):
        assert (await browser.log_in("wrong")).status_code == 403
    assert (await browser.log_in(secret)).status_code == 200


@pytest.mark.parametrize("path", [API, "/console/events", "/console/api/calls", "/console/logout"])
async def test_nothing_is_reached_with_an_agents_token(rig: Rig, path: str) -> None:
    browser = await rig.browser()
    headers = {"authorization": f"Bearer {TOKEN}"}
    method = "POST" if path.endswith("logout") else "GET"
    answer = await browser.http.request(method, path, headers=headers)
    assert answer.status_code == 401


async def test_an_agents_token_gets_no_link(rig: Rig) -> None:
    browser = await rig.browser()
    for key in ("", TOKEN):
        answer = await browser.http.post(
            "/console/link",
            headers={"authorization": f"Bearer {TOKEN}", "x-handheld-owner": key},
        )
        assert answer.status_code == 403


async def test_a_page_gets_no_link_even_with_the_owners_key(rig: Rig) -> None:
    browser = await rig.browser()
    headers = {"x-handheld-owner": rig.console.key}
    assert (await browser.http.post("/console/link", headers=headers)).status_code == 200
    headers["origin"] = rig.url
    assert (await browser.http.post("/console/link", headers=headers)).status_code == 403


async def test_no_mcp_is_spoken_with_the_cookie(rig: Rig, person: Person) -> None:
    hello = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    answer = await person.post("/mcp", hello)
    assert answer.status_code == 401
    assert (await person.get("/phones")).status_code == 401


async def test_the_cookie_alone_opens_nothing(rig: Rig, person: Person) -> None:
    person.proof = ""
    assert (await person.get(API)).status_code == 401
    assert (await person.get("/console/events")).status_code == 401
    person.proof = "x" * 43
    assert (await person.get(API)).status_code == 401


async def test_cookies_of_other_servers_on_this_host_do_no_harm(rig: Rig, person: Person) -> None:
    [(name, value)] = person.http.cookies.items()
    cookie = f'a={{"b": "c, d"}}; {name}=x; ; {name}={value}; e'
    browser = await rig.browser()
    browser.proof = person.proof
    assert (await browser.get(API, cookie=cookie)).status_code == 200


async def test_the_proof_alone_opens_nothing(rig: Rig, person: Person) -> None:
    other = await rig.browser()
    other.proof = person.proof
    assert (await other.get(API)).status_code == 401


@pytest.mark.parametrize(
    "origin", ["http://127.0.0.1:1", "http://localhost:{port}", "null", "https://evil.example", ""]
)
async def test_what_changes_something_needs_the_pages_own_origin(
    rig: Rig, person: Person, origin: str
) -> None:
    origin = origin.format(port=person.http.base_url.port)
    answer = await person.post(
        f"/console/api/phones/{rig.serial}/act", {"tool": "press_home"}, origin=origin
    )
    assert answer.status_code == 403
    assert rig.audit.entries(tool="press_home") == []


async def test_what_changes_something_is_not_done_by_a_get(rig: Rig, person: Person) -> None:
    answer = await person.get(f"/console/api/phones/{rig.serial}/act")
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


async def test_mcp_at_the_root_is_told_where_it_is(rig: Rig) -> None:
    browser = await rig.browser()
    headers = {"authorization": f"Bearer {TOKEN}"}
    answer = await browser.http.post("/", json={}, headers=headers)
    assert answer.status_code == 404
    assert "POST /mcp" in answer.json()["message"]


async def test_other_hosts_are_turned_away(rig: Rig, person: Person) -> None:
    assert (await person.get("/", host="evil.example")).status_code == 421


@pytest.mark.parametrize(
    "path", ["/", "/console/login", "/console/static/app.js", API, "/console/no"]
)
async def test_every_answer_is_guarded(rig: Rig, person: Person, path: str) -> None:
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


async def test_a_file_that_has_not_changed_is_not_sent_again(rig: Rig) -> None:
    browser = await rig.browser()
    first = await browser.get("/console/static/style.css")
    again = await browser.get(
        "/console/static/style.css", **{"if-none-match": first.headers["etag"]}
    )
    assert (first.status_code, again.status_code, again.content) == (200, 304, b"")


@pytest.mark.parametrize(
    "name", ["../app.py", "..%2fapp.py", "%2e%2e/app.py", "app.py", "", "nothing.js"]
)
async def test_only_the_pages_own_files_are_served(rig: Rig, name: str) -> None:
    answer = await (await rig.browser()).get(f"/console/static/{name}")
    assert answer.status_code == 404


async def test_a_body_that_is_no_json_object_is_refused(rig: Rig, person: Person) -> None:
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


def test_no_script_makes_markup_of_text() -> None:
    scripts = [
        file
        for file in files("handheld.console").joinpath("static").iterdir()
        if file.name.endswith(".js")
    ]
    assert len(scripts) >= 9
    assert [one.name for one in scripts if SINKS.search(one.read_text(encoding="utf-8"))] == []


def test_pages_have_no_script_or_style_of_their_own_and_name_no_other_machine() -> None:
    for file in files("handheld.console").joinpath("static").iterdir():
        text = file.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert "http://" not in text, file.name
        assert "https://" not in text, file.name
        if file.name.endswith(".html"):
            assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=", text), (
                file.name
            )


async def test_under_tls_the_cookie_is_for_tls_alone(tmp_path: Path) -> None:
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
        # An http page of the same host and port is not the console's.
        plain = {"origin": rig.url.replace("https:", "http:")}
        assert (await person.post("/console/logout", {}, **plain)).status_code == 403
        assert (await person.post("/console/logout", {})).status_code == 200
