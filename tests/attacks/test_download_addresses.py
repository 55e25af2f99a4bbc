"""Addresses that are not public, in every spelling, by name, by redirect and by a name that answers
differently each time: no connection is made to one."""

import ipaddress
import socket
import ssl
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from httpcore import AnyIOBackend, ConnectError

from handheld.errors import ToolError
from handheld.phone.files.download import DownloadRules, fetch
from phone.web import Web, answer, open_web

ATTACK = "addresses of downloads"

RULES = DownloadRules(1, allow_http=True)
TLS = ssl.create_default_context()
PUBLIC = "93.184.215.14"
OTHER_PUBLIC = "8.8.8.8"
V4 = (
    "127.0.0.1", "127.255.255.254", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.0.1",
    "169.254.169.254", "100.64.0.1", "0.0.0.0", "0.1.2.3", "192.0.0.8", "192.0.0.192",
    "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "192.88.99.1", "224.0.0.1",
    "239.255.255.250", "240.0.0.1", "255.255.255.255",
)  # fmt: skip
V6 = (
    "::1", "::", "fe80::1", "fec0::1", "fc00::1", "fd12:3456:789a::1", "ff02::1", "ff05::2",
    "64:ff9b:1::1", "100::1", "100:0:0:1::1", "2001:db8::1", "2001:2::1", "3fff::1", "5f00::1",
    "2001::1",
)  # fmt: skip


def embedding(v4: str) -> Iterator[str]:
    """IPv6 addresses whose traffic may end at the IPv4 address."""
    number = int(ipaddress.IPv4Address(v4))
    high, low = number >> 16, number & 0xFFFF
    yield f"::ffff:{v4}"
    yield f"::ffff:{high:x}:{low:x}"
    yield f"0:0:0:0:0:FFFF:{high:04X}:{low:04X}"
    yield f"::ffff:0:{high:x}:{low:x}"
    yield f"64:ff9b::{v4}"
    yield f"64:ff9b::{high:x}:{low:x}"
    yield f"2002:{high:x}:{low:x}::1"
    yield f"2001:0:{high:x}:{low:x}::1"
    yield f"2001:0:808:808:0:0:{high ^ 0xFFFF:x}:{low ^ 0xFFFF:x}"
    if number > 1:
        yield f"::{high:x}:{low:x}"


def spellings(v4: str) -> Iterator[str]:
    """Hosts that a resolver, or a lenient parser, takes for the IPv4 address."""
    parts = [int(part) for part in v4.split(".")]
    number = int(ipaddress.IPv4Address(v4))
    low = number & 0xFFFF
    yield v4
    yield f"{v4}."
    yield str(number)
    yield f"{number}."
    yield f"0x{number:x}"
    yield f"0X{number:08X}"
    yield f"0{number:o}"
    yield ".".join(f"0x{part:02x}" for part in parts)
    yield ".".join(f"0{part:o}" for part in parts)
    yield ".".join(f"{part:03d}" for part in parts)
    yield f"{parts[0]}.{parts[1]}.{low}"
    yield f"{parts[0]}.{number & 0xFFFFFF}"
    yield f"0x{parts[0]:x}.{parts[1]}.0{parts[2]:o}.{parts[3]}"
    yield v4.replace(".", "。")
    yield v4.replace(".", "．")
    yield v4.replace(".", "%2e")
    yield "".join(chr(ord(char) + 0xFEE0) if char.isdigit() else char for char in v4)
    yield "".join(chr(0x245F + int(char)) if char in "123456789" else char for char in v4)
    yield f"{v4}%00.files.test"
    yield f"user:pw@{v4}"
    yield f"files.test@{v4}"
    yield f"files.test%40@{v4}"
    for v6 in embedding(v4):
        yield f"[{v6}]"


HOSTS = [*(host for v4 in V4 for host in spellings(v4)), *(f"[{v6}]" for v6 in V6)]
ADDRESSES = [*V4, *V6, *(v6 for v4 in V4 for v6 in embedding(v4))]
FEW = pytest.mark.parametrize(
    "part", [slice(None, None, 40), pytest.param(slice(None), marks=pytest.mark.matrix)]
)


async def numeric(host: str, port: int) -> list[str]:
    """As the system's resolver reads numbers; it knows no names."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    return [str(each[4][0]) for each in found]


@pytest.fixture
def dialled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Where connections were to be made."""
    hosts: list[str] = []

    async def connect(_: AnyIOBackend, host: str, *__: Any, **___: Any) -> Any:
        hosts.append(host)
        raise ConnectError("not in a test")

    monkeypatch.setattr(AnyIOBackend, "connect_tcp", connect)
    return hosts


def is_public(host: str) -> bool:
    return host in (PUBLIC, OTHER_PUBLIC)


@FEW
async def test_no_spelling_of_an_address_that_is_not_public_is_connected_to(
    dialled: list[str], tmp_path: Path, part: slice, tried: Callable[[], None]
) -> None:
    for host in HOSTS[part]:
        for url in (f"http://{host}/a", f"https://{host}:8443/a"):
            tried()
            with pytest.raises(ToolError):
                await fetch(url, tmp_path / "a", RULES, resolve=numeric, tls=TLS)
            assert dialled == [], url


@FEW
async def test_no_name_of_an_address_that_is_not_public_is_connected_to(
    dialled: list[str], tmp_path: Path, part: slice, tried: Callable[[], None]
) -> None:
    """Alone, or before or behind a public one."""
    for address in ADDRESSES[part]:
        for answers in ([address], [PUBLIC, address], [address, PUBLIC]):
            tried()

            async def resolve(host: str, port: int, answers: list[str] = answers) -> list[str]:
                return answers

            with pytest.raises(ToolError):
                await fetch("https://files.test/a", tmp_path / "a", RULES, resolve=resolve, tls=TLS)
            assert dialled == [], answers


@asynccontextmanager
async def open_public(monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[tuple[Web, list[str]]]:
    """A web server that stands at a public address; others are refused, and noted."""
    hosts: list[str] = []
    real = AnyIOBackend.connect_tcp
    async with open_web() as web:

        async def connect(backend: AnyIOBackend, host: str, port: int, **options: Any) -> Any:
            hosts.append(host)
            assert is_public(host), host
            return await real(backend, "127.0.0.1", web.port, **options)

        monkeypatch.setattr(AnyIOBackend, "connect_tcp", connect)
        yield web, hosts


@FEW
async def test_no_redirect_leads_to_an_address_that_is_not_public(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, part: slice, tried: Callable[[], None]
) -> None:
    hosts = [host for host in HOSTS if host.isascii() and "@" not in host][part]
    async with open_public(monkeypatch) as (web, connected):
        for host in hosts:
            tried()
            web.pages["/a"] = answer(status="302 Found", Location=f"http://{host}/b")
            connected.clear()
            with pytest.raises(ToolError):
                await fetch(f"http://{PUBLIC}/a", tmp_path / "a", RULES, resolve=numeric, tls=TLS)
            assert connected == [PUBLIC], host


REBINDINGS = [(first, then) for first in (PUBLIC, OTHER_PUBLIC) for then in V4 + V6]


@FEW
async def test_a_name_that_answers_differently_is_looked_up_once_for_each_request(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, part: slice, tried: Callable[[], None]
) -> None:
    async with open_public(monkeypatch) as (web, connected):
        web.pages["/a"] = answer(status="302 Found", Location="/b")
        web.pages["/b"] = answer(b"inside")
        for first, then in REBINDINGS[part]:
            tried()
            answers = [[first], [then]]
            connected.clear()

            async def resolve(
                host: str, port: int, answers: list[list[str]] = answers
            ) -> list[str]:
                return answers.pop(0)

            with pytest.raises(ToolError):
                await fetch("http://files.test/a", tmp_path / "a", RULES, resolve=resolve, tls=TLS)
            assert (connected, answers) == ([first], []), then


async def test_a_public_address_is_connected_to(dialled: list[str], tmp_path: Path) -> None:
    """Or nothing above would fail."""
    number = int(ipaddress.IPv4Address(PUBLIC))
    for host in (PUBLIC, f"user@{PUBLIC}", number, "[2606:4700:4700::1111]"):
        with pytest.raises(ToolError):
            await fetch(f"https://{host}/a", tmp_path / "a", RULES, resolve=numeric, tls=TLS)
    assert dialled == [PUBLIC, PUBLIC, PUBLIC, "2606:4700:4700::1111"]
