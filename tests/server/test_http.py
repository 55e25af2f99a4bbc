"""Starting and stopping: ports, tokens, certificates."""

import asyncio
import gc
import os
import ssl
import stat
import weakref
from contextlib import AsyncExitStack
from pathlib import Path

import httpx
import pytest

from handheld.server.http import STOP_SECONDS, open_http, serve_http
from handheld.server.listener import Address, CannotServe
from handheld.server.options import HttpOptions
from handheld.server.tls import load_tls, self_signed
from harness.manual_clock import ManualClock
from harness.polling import HANG

from .little import LittleSurface, call


async def test_a_port_in_use_is_one_sentence_with_advice() -> None:
    async with open_http(LittleSurface(), HttpOptions(port=0, token="t")) as first:
        with pytest.raises(CannotServe) as failure:
            async with open_http(LittleSurface(), HttpOptions(port=first.port, token="t")):
                pass
    assert str(failure.value) == (
        f"Port {first.port} on 127.0.0.1 is in use by another program; stop it, or choose another "
        "port with --port."
    )


def test_the_token_is_not_in_the_repr_of_the_options() -> None:
    assert "s3cret" not in repr(HttpOptions(token="s3cret"))


@pytest.mark.slow
async def test_several_servers_run_at_once_and_free_their_ports() -> None:
    async with (
        open_http(LittleSurface(), HttpOptions(port=0, token="")) as one,
        open_http(LittleSurface(), HttpOptions(port=0, token="")) as two,
        httpx.AsyncClient(trust_env=False, timeout=HANG) as http,
    ):
        assert one.port != two.port
        for each in (one, two):
            assert (await http.post(each.url, json=call("echo"))).status_code == 200
    async with open_http(LittleSurface(), HttpOptions(port=one.port, token="")) as again:
        assert again.port == one.port


async def test_connections_are_kept_longer_than_clients_keep_them() -> None:
    """Otherwise the server may close it just when the next call is sent."""
    clock = ManualClock()
    async with (
        asyncio.timeout(HANG),
        open_http(LittleSurface(), HttpOptions(port=0, token="", clock=clock)) as address,
    ):
        reader, writer = await asyncio.open_connection("127.0.0.1", address.port)
        request = b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n"
        for idle in (0, 90, 119):
            await clock.advance(idle)
            writer.write(request)
            assert await reader.readline() == b"HTTP/1.1 200 OK\r\n"
            head = await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(int(head.lower().partition(b"content-length: ")[2].split()[0]))
            await clock.until_waits_only(120)
        await clock.advance(120)
        assert await reader.read() == b""
        writer.close()
        await writer.wait_closed()


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "", "192.0.2.1"])
async def test_a_non_loopback_address_needs_a_token(host: str) -> None:
    with pytest.raises(CannotServe, match="Without a token only this machine may connect"):
        async with open_http(LittleSurface(), HttpOptions(host=host, port=0, token="")):
            pass


@pytest.mark.parametrize(
    ("host", "port", "sentence"),
    [
        ("192.0.2.1", 0, "is not an address of this machine"),
        ("no.such.invalid", 0, "is not an address to listen on"),
        ("127.0.0.1", 70000, "There is no port 70000"),
    ],
)
async def test_an_address_that_cannot_be_bound_is_one_sentence(
    host: str, port: int, sentence: str
) -> None:
    with pytest.raises(CannotServe, match=sentence):
        async with open_http(LittleSurface(), HttpOptions(host=host, port=port, token="t")):
            pass


async def test_bound_to_all_addresses_any_ip_is_accepted_and_names_must_be_listed() -> None:
    async with (
        open_http(
            LittleSurface(),
            HttpOptions(host="0.0.0.0", port=0, token="t", allow_hosts=["phone.lan:8080"]),
        ) as address,
        httpx.AsyncClient(trust_env=False, timeout=HANG) as http,
    ):
        url = f"http://127.0.0.1:{address.port}/health"

        async def status(**headers: str) -> int:
            return (await http.get(url, headers=headers)).status_code

        assert await status(host="192.168.0.11:9531") == 200
        assert await status(host="phone.lan") == 200
        assert await status(host="evil.example") == 421
        assert await status(host="10.0.0.1", origin="http://10.0.0.1:5") == 200
        assert await status(host="10.0.0.1", origin="http://10.0.0.2") == 403
        assert await status(host="10.0.0.1", origin="https://phone.lan") == 200


@pytest.mark.slow
async def test_serving_reports_its_address_and_ends_when_cancelled() -> None:
    addresses: list[Address] = []
    threshold = gc.get_threshold()
    up = asyncio.Event()

    def ready(address: Address) -> None:
        addresses.append(address)
        up.set()

    async with asyncio.timeout(HANG):
        serving = asyncio.create_task(
            serve_http(LittleSurface(), HttpOptions(port=0, token=""), ready=ready)
        )
        await up.wait()
        async with httpx.AsyncClient(trust_env=False, timeout=HANG) as http:
            assert (await http.post(addresses[0].url, json=call("echo"))).status_code == 200
        serving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await serving
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection("127.0.0.1", addresses[0].port)
    assert gc.get_threshold() == (2_000, 5, 5)
    gc.unfreeze()
    gc.set_threshold(*threshold)


class Failure:
    """Refers to itself, as an exception does that is kept by a frame of its traceback."""

    def __init__(self) -> None:
        self.itself = self


@pytest.mark.matrix
async def test_old_garbage_is_collected_while_there_are_calls() -> None:
    clock, threshold, up = ManualClock(), gc.get_threshold(), asyncio.Event()
    options = HttpOptions(port=0, token="", clock=clock)
    serving = asyncio.create_task(serve_http(LittleSurface(), options, lambda _: up.set()))
    try:
        async with asyncio.timeout(HANG):
            await up.wait()
            failure = Failure()
            gone = weakref.ref(failure)
            gc.collect(1)  # it is old by now
            del failure
            busy = [[] for _ in range(10_000)]
            assert gone() is not None
            await clock.until_waits(10)
            await clock.advance(10)
        assert gone() is None
        assert busy
    finally:
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)
        gc.unfreeze()
        gc.set_threshold(*threshold)


async def test_a_stop_is_bounded_and_answers_running_requests() -> None:
    surface, clock = LittleSurface(), ManualClock()
    async with asyncio.timeout(HANG), httpx.AsyncClient(trust_env=False, timeout=HANG) as http:
        async with AsyncExitStack() as server:
            address = await server.enter_async_context(
                open_http(surface, HttpOptions(port=0, token="", clock=clock))
            )
            waiting = asyncio.create_task(http.post(address.url, json=call("slow")))
            await surface.slow_started.wait()
            stopping = asyncio.create_task(server.pop_all().aclose())
            await clock.until_waits(STOP_SECONDS)
            assert not surface.slow_stopped.is_set()
            await clock.advance(STOP_SECONDS)
            await stopping
        await surface.slow_stopped.wait()
        answer = await waiting
    assert (answer.status_code, answer.json()["error"]) == (503, "stopping")


async def test_a_self_signed_certificate_works_and_is_kept(tmp_path: Path) -> None:
    certificate, key = self_signed(tmp_path / "tls")
    assert stat.S_IMODE(os.stat(key).st_mode) == 0o600
    before = certificate.read_bytes(), key.read_bytes()
    assert self_signed(tmp_path / "tls") == (certificate, key)
    assert (certificate.read_bytes(), key.read_bytes()) == before
    trust = ssl.create_default_context(cafile=str(certificate))
    async with open_http(
        LittleSurface(), HttpOptions(port=0, token="", tls=load_tls(certificate, key))
    ) as address:
        assert address.url == f"https://127.0.0.1:{address.port}/mcp"
        async with httpx.AsyncClient(trust_env=False, verify=trust, timeout=HANG) as http:
            for host in ("127.0.0.1", "localhost"):
                url = f"https://{host}:{address.port}/mcp"
                assert (await http.post(url, json=call("echo"))).status_code == 200


def test_a_certificate_without_the_bind_address_or_near_expiry_is_replaced(tmp_path: Path) -> None:
    clock = ManualClock()
    certificate, _ = self_signed(tmp_path, clock=clock)
    first = certificate.read_bytes()
    self_signed(tmp_path, "192.0.2.7", clock)
    second = certificate.read_bytes()
    assert second != first
    # It is valid for a year, and replaced a week before it expires.
    clock.put_forward((365 - 7) * 86_400 - 1)
    self_signed(tmp_path, "192.0.2.7", clock)
    assert certificate.read_bytes() == second
    clock.put_forward(1)
    self_signed(tmp_path, "192.0.2.7", clock)
    assert certificate.read_bytes() != second


def test_a_certificate_that_is_missing_or_wrong_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(CannotServe, match="There is no TLS certificate at"):
        load_tls(tmp_path / "none.pem", tmp_path / "none.key")
    certificate, _ = self_signed(tmp_path / "one")
    _, other_key = self_signed(tmp_path / "two")
    with pytest.raises(CannotServe, match="cannot be used together"):
        load_tls(certificate, other_key)
