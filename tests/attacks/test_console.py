"""Requests to the console that are not of the person who is logged in: none is answered."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from http.cookiejar import DefaultCookiePolicy
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from console.rig import PROOF, TOKEN, Person, Rig, open_rig
from handheld.console.routes import Route
from harness.polling import HANG

ATTACK = "the console"

REFUSED = frozenset({400, 401, 403, 404, 405, 413, 415, 421})
BODIES: Mapping[str, Any] = {
    "tokens": {"name": "evil"},
    "storage": {"id": "com.android.externalstorage.documents/primary:"},
    "settings/{key}": {"value": True},
    "phones/{phone}/act": {"tool": "press_home"},
    "phones/{phone}/type": {"text": "evil"},
    "questions/{id}/answer": {"allow": True},
}
"""What a request of the page itself would hold; a dash where nothing is needed."""
PARTS = {"phone": "", "key": "read_only", "id": "1", "form": "json", "name": "evil"}


@pytest.fixture(scope="module")
async def rig(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Rig]:
    async with open_rig(tmp_path_factory.mktemp("home")) as rig:
        yield rig


@pytest.fixture(scope="module")
async def http(rig: Rig) -> AsyncGenerator[httpx.AsyncClient]:
    """A client that keeps no cookies."""
    async with httpx.AsyncClient(base_url=rig.url, trust_env=False, timeout=HANG) as http:
        http.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=()))
        yield http


def files_in(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


class Attacker:
    """Knows a person's cookie and proof, and what else a test gives away."""

    def __init__(self, rig: Rig, person: Person, other: Person, http: httpx.AsyncClient) -> None:
        self.rig = rig
        self.http = http
        [(self.cookie_name, self.cookie)] = person.http.cookies.items()
        self.proof, self.others_proof = person.proof, other.proof
        self.own = {
            "cookie": f"{self.cookie_name}={self.cookie}",
            PROOF: self.proof,
            "origin": rig.url,
        }

    def forgeries(self, method: str) -> Iterator[dict[str, str]]:
        """The headers of requests that the page itself would not send."""
        own, name, cookie = self.own, self.cookie_name, self.cookie
        without = {key: own[key] for key in own if key != PROOF}
        yield {}
        yield {"authorization": f"Bearer {TOKEN}"}
        yield {**without, "authorization": f"Bearer {TOKEN}"}
        yield {**without, "authorization": f"Bearer {self.proof}"}
        yield {**without, "authorization": f"Bearer {cookie}"}
        yield {"x-handheld-owner": self.rig.console.key}
        for proof in (
            "",
            self.others_proof,
            self.proof[:-1],
            self.proof + "x",
            self.proof.upper(),
            f"{self.proof}, x",
            f"{self.proof}\xa0",
            cookie,
            "null",
            "x" * 5000,
        ):
            yield {**own, PROOF: proof}
        for text in (
            "",
            cookie,
            f"{name}=",
            f"{name}={cookie[:-1]}",
            f"{name}={cookie}x",
            f"{name}=%s" % cookie.swapcase(),
            f"{name}={self.proof}",
            f"handheld-1={cookie}",
            f"__Host-{name}={cookie}",
            f"{name.upper()}={cookie}",
            f'{name}="{cookie}"',
            f"{name}={cookie}%00",
            f"x{name}={cookie}",
            f"{name} ={cookie[1:]}",
            ";" * 5000,
        ):
            yield {**own, "cookie": text}
        yield {key: own[key] for key in own if key != "cookie"}
        for host in ("evil.example", "127.0.0.1.evil.example", "evil@127.0.0.1", "", "[::1", "a b"):
            yield {**own, "host": host}
        for origin in ("http://evil.example", "https://evil.example"):
            yield {**own, "origin": origin}
        if method != "GET":
            port = urlsplit(self.rig.url).port
            for origin in (
                "",
                "null",
                "http://127.0.0.1",
                f"http://localhost:{port}",
                f"http://127.0.0.1:{port}1",
                f"{self.rig.url}.evil.example",
                f"{self.rig.url}/",
                f"{self.rig.url}@evil.example",
                f"ws://127.0.0.1:{port}",
                f"{self.rig.url}, {self.rig.url}",
                f"http://[::1]:{port}",
                "file://",
            ):
                yield {**own, "origin": origin}
            yield {key: own[key] for key in own if key != "origin"}

    async def send(self, method: str, path: str, body: Any, headers: Mapping[str, str]) -> int:
        raw = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
        return (await self.http.request(method, path, headers=raw, json=body)).status_code


def path_of(route: Route, rig: Rig) -> str:
    given = {**PARTS, "phone": rig.serial}
    parts = (
        given.get(part.strip("{}"), "1") if part[0] == "{" else part
        for part in route.path.split("/")
    )
    return "/console/api/" + "/".join(parts)


@pytest.fixture(scope="module")
async def attacker(rig: Rig, http: httpx.AsyncClient) -> Attacker:
    return Attacker(rig, await rig.person(), await rig.person(), http)


@pytest.mark.parametrize(
    "part", [slice(None, None, 40), pytest.param(slice(None), marks=pytest.mark.matrix)]
)
async def test_no_request_that_the_page_would_not_send_is_answered(
    rig: Rig, attacker: Attacker, part: slice, tried: Callable[[], None]
) -> None:
    routes = rig.console._routes
    before = (
        rig.tokens.all(),
        files_in(rig.settings.folders.config),
        rig.phone.world.events.copy(),
    )
    attacks = [
        (route.method, path_of(route, rig), BODIES.get(route.path, {}), headers)
        for route in routes
        for headers in attacker.forgeries(route.method)
    ]
    attacks += [
        (method, path, {}, headers)
        for method, path in (("GET", "/console/events"), ("POST", "/console/logout"))
        for headers in attacker.forgeries(method)
    ]
    for method, path, body, headers in attacks[part]:
        tried()
        status = await attacker.send(method, path, body, headers)
        assert status in REFUSED, (method, path, headers)
    assert (
        rig.tokens.all(),
        files_in(rig.settings.folders.config),
        rig.phone.world.events,
    ) == before
    assert rig.audit.entries() == []
    assert await attacker.send("GET", "/console/api/questions", None, attacker.own) == 200


LOGINS: tuple[Any, ...] = (
    {}, [], None, "x", 1, {"secret": None}, {"secret": 1}, {"secret": True}, {"secret": []},
    {"secret": {}}, {"secret": ""}, {"secret": " "}, {"secret": "x" * 43}, {"secret": "x" * 4000},
    {"secret": "x" * 5000}, {"secret": "\ud800"}, {"secret": "\x00"}, {"secret": "' or 1=1"},
    {"Secret": "LINK"}, {"secret": "LINK "}, {"secret": " LINK"}, {"secret": "LINK\n"},
    {"secret": ["LINK"]}, {"secret": {"secret": "LINK"}}, [{"secret": "LINK"}],
    {"secret": "link"}, {"secret": "#login=LINK"}, {"secret": "LINK\x00"}, {"secret": "LIN"},
    {"proof": "LINK"},
)  # fmt: skip
"""Bodies of logins, with the secret of a valid link as LINK."""


def with_link(value: Any, secret: str) -> Any:
    if isinstance(value, str):
        known = {"link": secret.swapcase(), "LIN": secret[:-1]}
        return known.get(value, value.replace("LINK", secret))
    if isinstance(value, dict):
        return {key: with_link(each, secret) for key, each in value.items()}
    return [with_link(each, secret) for each in value] if isinstance(value, list) else value


async def test_no_login_but_the_whole_secret_from_the_own_page_opens_a_session(
    rig: Rig, http: httpx.AsyncClient, tried: Callable[[], None]
) -> None:
    secret = rig.secret()
    good = {"secret": secret}
    wrong_headers = [
        {"origin": "http://evil.example"}, {"origin": "null"}, {"origin": ""},
        {"content-type": "text/plain"}, {"content-type": "application/x-www-form-urlencoded"},
        {"content-type": "multipart/form-data; boundary=x"}, {"content-type": ""},
        {"host": "evil.example"}, {"sec-fetch-site": "cross-site", "origin": "https://evil.example"},
    ]  # fmt: skip
    attacks: list[tuple[Any, dict[str, str]]] = [(with_link(body, secret), {}) for body in LOGINS]
    attacks += [(good, headers) for headers in wrong_headers]
    for body, headers in attacks:
        tried()
        own = {"origin": rig.url, "content-type": "application/json"}
        answer = await http.post(
            "/console/login", content=json.dumps(body), headers={**own, **headers}
        )
        assert answer.status_code in REFUSED, (body, headers)
        assert "set-cookie" not in answer.headers
    for method in ("GET", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"):
        tried()
        answer = await http.request(method, "/console/login", params=good)
        assert "set-cookie" not in answer.headers
    assert (await (await rig.browser()).log_in(secret)).status_code == 200


async def test_a_session_is_not_one_that_somebody_else_has_chosen(
    rig: Rig, http: httpx.AsyncClient, attacker: Attacker, tried: Callable[[], None]
) -> None:
    """Neither a cookie from before the login nor that of another session becomes the person's."""
    name, theirs = attacker.cookie_name, attacker.cookie
    for planted in (theirs, "chosen", ""):
        tried()
        headers = {"origin": rig.url, "cookie": f"{name}={planted}"}
        answer = await http.post("/console/login", json={"secret": rig.secret()}, headers=headers)
        assert answer.status_code == 200
        given = answer.headers["set-cookie"].partition("=")[2].partition(";")[0]
        assert given not in (theirs, "chosen", "")
        assert answer.json()["proof"] != attacker.proof
        mixed = {"cookie": f"{name}={given}", PROOF: attacker.proof}
        assert (await http.get("/console/api/tokens", headers=mixed)).status_code == 401


PATHS = (
    "//console/api/tokens", "/console//api/tokens", "/console/./api/tokens",
    "/console/static/../api/tokens", "/console/static/..%2fapi/tokens", "/Console/api/tokens",
    "/%63onsole/api/tokens", "/console/%61pi/tokens", "/console%2fapi%2ftokens",
    "/console/api/tokens/", "/console/api/tokens;x", "/console/api/tokens%00",
    "/console\\api\\tokens", "/console/api/tokens?proof=PROOF", "/console/login/../api/tokens",
    "/x/../console/api/tokens", "/.well-known/../console/api/tokens",
    "/health/../console/api/tokens", "/console/api/tokens#x",
    "/console/static/%2e%2e/%2e%2e/app.py", "/console/static/....//app.py",
    "/console/static//etc/passwd", "/console/static/%00", "/console/static/login.html%00.js",
    "/console/static/__init__.py", "/console/static/..%5capp.py", "/console/static/app.py",
    "/console/static/sessions.py", "/console/", "/console", "/console/api", "/console/api/",
    "http://evil.example/console/api/tokens", "http://127.0.0.1/console/api/tokens", "*",
    "/console/events/", "/console/events?x=1", "/mcp/../console/api/tokens",
    "/phones/console/api/tokens", "/mcp/console/api/tokens",
)  # fmt: skip


async def test_no_form_of_a_path_leads_past_the_login(
    rig: Rig, attacker: Attacker, tried: Callable[[], None]
) -> None:
    """With the cookie, without the proof; sent as they are, without a client that tidies them."""
    host, port = "127.0.0.1", urlsplit(rig.url).port
    for path in PATHS:
        for method in ("GET", "POST"):
            tried()
            path = path.replace("PROOF", attacker.proof)
            reader, writer = await asyncio.open_connection(host, port)
            writer.write(
                f"{method} {path} HTTP/1.1\r\nHost: {host}:{port}\r\nOrigin: {rig.url}\r\n"
                f"Cookie: {attacker.own['cookie']}\r\nContent-Type: application/json\r\n"
                "Content-Length: 2\r\nConnection: close\r\n\r\n{}".encode()
            )
            answer = await reader.read()
            writer.close()
            status = int(answer.split(b" ", 2)[1])
            assert status in REFUSED, (method, path)
            assert b"evil" not in answer.partition(b"\r\n\r\n")[2].replace(b"evil.example", b"")
