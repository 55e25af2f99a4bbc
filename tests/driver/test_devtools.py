"""DevTools of apps and pages that answer as they like: what they say is checked and limited."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fixtures
from handheld.driver.by_adb.verbs import AdbVerbs
from handheld.driver.devtools.answers import read_pages, read_text
from handheld.driver.devtools.pages import LIST_SECONDS, SLACK_SECONDS, DevTools
from handheld.driver.devtools.session import MOST_MESSAGES, READ_SECONDS
from handheld.driver.devtools.sockets import (
    Apps,
    DevToolsSocket,
    Process,
    read_processes,
    read_sockets,
)
from handheld.driver.devtools.wire import (
    MOST_BODY,
    MOST_FRAMES,
    MOST_HEAD,
    MOST_MESSAGE,
    BadAnswer,
    apply_mask,
    encode_frame,
    read_head,
)
from handheld.driver.web import PageFailed, PageProblem, WebPage, is_same_site, site_of
from handheld.errors import ActionFailed
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.sh.streams import Duplex
from handheld_virtual.system.clock import ManualClock as PhoneClock
from harness.manual_clock import ManualClock
from harness.phones import link_to
from harness.polling import HANG
from harness.scripted_devtools import PAGE, Page, Serve, frame, http, read_request, usual
from harness.web_apps import SHOP, URL, ShopApp

SOCKET = DevToolsSocket("webview_devtools_remote_7", 40_007, 7, (SHOP,))
FOREVER = "new Promise(() => {})"


@pytest.fixture
async def device() -> AsyncIterator[VirtualPhone]:
    async with VirtualPhone(clock=PhoneClock()) as device:
        device.world.install(ShopApp)
        device.world.launch(SHOP)
        yield device


@pytest.fixture
async def tools(device: VirtualPhone) -> AsyncIterator[DevTools]:
    async with link_to(device) as link:
        yield DevTools(link)


def socket_of(device: VirtualPhone) -> str:
    [name] = device.devtools.sockets()
    return name


def serve(device: VirtualPhone, how: Serve) -> None:
    """Answer in place of the app's own DevTools."""
    device.sockets.listen(f"localabstract:{socket_of(device)}", how)


def saying(*answers: bytes) -> Serve:
    async def answer(peer: Duplex) -> None:
        await read_request(peer)
        for each in answers:
            await peer.write(each)

    return answer


# Lists


async def test_the_pages_of_an_app_are_listed_with_the_owner_of_the_socket(
    device: VirtualPhone, tools: DevTools
) -> None:
    found = await tools.pages()
    [page] = found.pages
    assert (page.socket, page.packages) == (socket_of(device), (SHOP,))
    assert (page.title, page.url, page.visible) == ("Cart", URL, True)
    assert (found.packages, found.silent, found.hidden) == ({SHOP}, (), False)


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"HTTP/1.1 200 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n[]",
        b"HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\n[]",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1e1\r\n\r\n[]        ",
        b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n[]" % (MOST_BODY + 1),
        b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        b"x" * (MOST_HEAD + 1000),
        http(b"[]", b"404 Not Found"),
        http(b"{}"),
        http(b"["),
        http(b"[" * 100_000),
        http(b"9" * 100_000),
        b"SSH-2.0-OpenSSH\r\n\r\n",
    ],
    ids=range(14),
)
async def test_an_app_that_does_not_list_pages_as_devtools_does_is_told_as_silent(
    device: VirtualPhone, tools: DevTools, answer: bytes
) -> None:
    serve(device, saying(answer))
    found = await tools.pages()
    assert (found.pages, found.silent) == ((), (SHOP,))


async def test_an_app_that_never_answers_is_given_up_after_a_while(device: VirtualPhone) -> None:
    clock = ManualClock()
    async with link_to(device, clock=clock) as link:
        device.world.frozen_packages.add(SHOP)
        listing = asyncio.ensure_future(DevTools(link).pages())
        await clock.until_waits(LIST_SECONDS)
        await clock.advance(LIST_SECONDS)
        assert (await listing).silent == (SHOP,)


def test_only_pages_with_usable_ids_are_taken_from_a_list() -> None:
    listed: list[Any] = [
        PAGE,
        PAGE | {"title": "a second one with its id"},
        PAGE | {"id": "../browser"},
        PAGE | {"id": "a b"},
        PAGE | {"id": 7},
        PAGE | {"id": "W", "type": "service_worker"},
        PAGE | {"id": "U", "url": None},
        PAGE | {"id": "T", "title": None, "description": '{"attached":true,"visible":false}'},
        "page",
        None,
    ]
    found = read_pages(json.dumps(listed).encode(), SOCKET)
    assert [(page.id, page.title, page.visible) for page in found] == [
        ("A1", "Cart", None),
        ("T", "", False),
    ]
    many = [PAGE | {"id": f"P{number}", "title": "x" * 9000} for number in range(1500)]
    found = read_pages(json.dumps(many).encode(), SOCKET)
    assert (len(found), len(found[0].title)) == (1000, 2000)


@given(st.binary(max_size=200))
def test_any_list_is_read_or_refused(data: bytes) -> None:
    with contextlib.suppress(BadAnswer):
        read_pages(data, SOCKET)


# Sockets


def test_sockets_are_read_from_the_kernels_table() -> None:
    printed = fixtures.text("device/sockets.txt")
    assert list(read_sockets(printed)) == [
        ("webview_devtools_remote_4711", 98_213, 4711),
        ("chrome_devtools_remote", 87_102, 0),
        ("com.example.surf_devtools_remote", 87_444, 0),
    ]


def test_processes_are_read_with_their_uids() -> None:
    printed = "  UID   PID NAME\n10123  4711 com.example.app:web\n    0     1 init\nodd\n"
    assert dict(read_processes(printed)) == {
        4711: Process(10_123, "com.example.app:web"),
        1: Process(0, "init"),
    }


def test_the_app_of_a_process_is_known_by_its_uid_and_not_by_its_name() -> None:
    processes = {
        7: Process(10_123, "com.bank"),
        8: Process(1_010_123, "org.evil:x"),
        9: Process(10_200, "one.of.two"),
    }
    uids = {"org.evil": 10_123, "com.bank": 10_124, "one.of.two": 10_200, "a.other": 10_200}
    apps = Apps(processes, uids)
    assert apps.of_pid(7) == ("org.evil",)
    assert apps.of_pid(8) == ("org.evil",)
    assert apps.of_pid(9) == ("one.of.two", "a.other")
    assert apps.of_pid(10) == ()
    assert apps.running("com.bank") == ()
    assert apps.running("org.evil") == ("org.evil",)


# Sites


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("https://a.example/x?y#z", "https://a.example/", True),
        ("https://a.example", "https://a.example:443/b", True),
        ("https://a.example", "http://a.example", False),
        ("https://a.example", "https://a.example.evil/", False),
        ("https://a.example@evil/", "https://a.example/", False),
        ("file:///a.html#x", "file:///a.html", True),
        ("file:///a.html", "file:///b.html", False),
        ("data:text/html,a", "data:text/html,b", False),
        ("https://[bad", "https://[bad", True),
        ("https://a:99999999/", "https://a/", False),
    ],
)
def test_a_site_is_scheme_host_and_port(one: str, other: str, same: bool) -> None:
    assert is_same_site(one, other) is same
    assert site_of(one) == site_of(one)


# What a page answers


async def page_of(device: VirtualPhone, tools: DevTools, how: Serve) -> WebPage:
    serve(device, how)
    [page] = (await tools.pages()).pages
    return page


async def test_messages_in_parts_with_pings_between_are_read(
    device: VirtualPhone, tools: DevTools
) -> None:
    def answers(call: dict[str, Any]) -> list[bytes]:
        [*events, last] = usual(call)
        text = last[2:] if last[1] < 126 else last[4:]
        return [
            *events,
            frame("are you there", 9),
            frame(text[:5], 1, last=False),
            frame(b"", 9),
            frame(b"", 10),
            frame(text[5:7], 0, last=False),
            frame(text[7:], 0),
        ]

    page = await page_of(device, tools, Page(answers))
    assert (await tools.read(page, None, 10)).text == "x"


HALF = b"x" * (MOST_MESSAGE // 2)
BROKEN: dict[str, tuple[list[bytes] | None, PageProblem]] = {
    "masked": ([b"\x81\x81\0\0\0\0x"], PageProblem.UNUSUAL),
    "reserved bits": ([b"\xc1\x01x"], PageProblem.UNUSUAL),
    "binary": ([frame(b"x", 2)], PageProblem.UNUSUAL),
    "unknown kind": ([frame(b"x", 5)], PageProblem.UNUSUAL),
    "goes on before it began": ([frame(b"x", 0)], PageProblem.UNUSUAL),
    "begins twice": ([frame(b"x", 1, last=False), frame(b"x", 1)], PageProblem.UNUSUAL),
    "long ping": ([frame(b"x" * 126, 9)], PageProblem.UNUSUAL),
    "ping in parts": ([frame(b"x", 9, last=False)], PageProblem.UNUSUAL),
    "no text": ([frame(b"\xff\xfe")], PageProblem.UNUSUAL),
    "no JSON": ([frame("{")], PageProblem.UNUSUAL),
    "no object": ([frame("[]")], PageProblem.UNUSUAL),
    "deep": ([frame("[" * 50_000)], PageProblem.UNUSUAL),
    "huge": ([b"\x81\x7f" + (1 << 62).to_bytes(8, "big")], PageProblem.TOO_LARGE),
    "huge in parts": (
        [frame(HALF, 1, last=False), frame(HALF + b"x", 0)],
        PageProblem.TOO_LARGE,
    ),
    "endless events": (
        [frame('{"method":"Log.entryAdded"}') * (MOST_MESSAGES + 1)],
        PageProblem.TOO_LARGE,
    ),
    "large events": (
        [frame('{"method":"' + "x" * (MOST_MESSAGE - 20) + '"}')] * 5,
        PageProblem.TOO_LARGE,
    ),
    "endless pongs": ([frame(b"", 10) * MOST_FRAMES], PageProblem.TOO_LARGE),
    "closed": ([frame(b"\x03\xe8", 8)], PageProblem.GONE),
    "ended": (None, PageProblem.GONE),
}


@pytest.mark.parametrize("how", BROKEN)
async def test_a_page_that_breaks_the_protocol_is_not_read(
    device: VirtualPhone, tools: DevTools, how: str
) -> None:
    answer, problem = BROKEN[how]
    page = await page_of(device, tools, Page(lambda call: answer))
    with pytest.raises(PageFailed) as failed:
        await tools.read(page, None, 10)
    assert (failed.value.problem, failed.value.may_have_run) == (problem, False)


@pytest.mark.parametrize(
    "value",
    [
        {"type": "undefined"},
        {"type": "number", "value": 7},
        {"type": "string", "value": "{"},
        {"type": "string", "value": "[]"},
        {"type": "string", "value": '{"url":1,"title":"","parts":[]}'},
        {"type": "string", "value": '{"url":"","title":"","parts":[],"matches":"1","frames":0}'},
    ],
)
async def test_a_page_that_returns_something_else_is_not_read(
    device: VirtualPhone, tools: DevTools, value: dict[str, Any]
) -> None:
    page = await page_of(device, tools, Page(lambda call: usual(call, value)))
    with pytest.raises(PageFailed) as failed:
        await tools.read(page, None, 10)
    assert failed.value.problem is PageProblem.UNUSUAL


async def test_a_handshake_that_does_not_fit_the_key_is_refused(
    device: VirtualPhone, tools: DevTools
) -> None:
    async def answer(peer: Duplex) -> None:
        head = await read_request(peer)
        listed = b"/json" in head.split(b"\r\n")[0]
        await peer.write(
            http(json.dumps([PAGE]).encode())
            if listed
            else b"HTTP/1.1 101 X\r\nSec-WebSocket-Accept: bm8=\r\n\r\n"
        )

    page = await page_of(device, tools, answer)
    with pytest.raises(PageFailed) as failed:
        await tools.run(page, "1", 100)
    assert (failed.value.problem, failed.value.may_have_run) == (PageProblem.TAKEN, False)


async def test_a_script_whose_page_ends_meanwhile_may_have_run(
    device: VirtualPhone, tools: DevTools
) -> None:
    def answers(call: dict[str, Any]) -> list[bytes] | None:
        scripted = call["params"].get("expression") == "buy()"
        return None if scripted else usual(call)

    served = Page(answers)
    page = await page_of(device, tools, served)
    with pytest.raises(PageFailed) as failed:
        await tools.run(page, "buy()", 100)
    assert (failed.value.problem, failed.value.may_have_run) == (PageProblem.GONE, True)
    assert served.calls.count("Runtime.evaluate") == 2  # where it is, and the script, once


async def test_a_script_that_never_ends_is_left_after_its_time(device: VirtualPhone) -> None:
    clock = ManualClock()
    async with link_to(device, clock=clock) as link:
        tools = DevTools(link)
        [page] = (await tools.pages()).pages
        running = asyncio.ensure_future(tools.run(page, FOREVER, 2000))
        await clock.until_waits(2 + SLACK_SECONDS)
        async with asyncio.timeout(HANG):
            while not any(FOREVER in event.details for event in device.world.events):  # noqa: ASYNC110
                await asyncio.sleep(0)
        await clock.advance(2 + SLACK_SECONDS)
        with pytest.raises(PageFailed) as failed:
            await running
        assert (failed.value.problem, failed.value.may_have_run) == (PageProblem.SILENT, True)


async def test_a_script_during_which_the_link_is_lost_may_have_run(device: VirtualPhone) -> None:
    async with link_to(device) as link:
        driver = AdbVerbs(link)
        [page] = (await driver.web_pages()).pages
        running = asyncio.ensure_future(driver.run_script(page, FOREVER, 2000))
        async with asyncio.timeout(HANG):
            while not any(FOREVER in event.details for event in device.world.events):  # noqa: ASYNC110
                await asyncio.sleep(0)
        device.drop_connections()
        with pytest.raises(ActionFailed, match="The action may or may not have happened"):
            await running


async def test_a_frozen_app_is_not_read_forever(device: VirtualPhone) -> None:
    clock = ManualClock()
    async with link_to(device, clock=clock) as link:
        tools = DevTools(link)
        [page] = (await tools.pages()).pages
        device.world.frozen_packages.add(SHOP)
        reading = asyncio.ensure_future(tools.read(page, None, 10))
        await clock.until_waits_only(READ_SECONDS)
        await clock.advance(READ_SECONDS)
        with pytest.raises(PageFailed) as failed:
            await reading
        assert failed.value.problem is PageProblem.SILENT


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        ("Inspected target navigated or closed", PageProblem.LEFT),
        ("Execution context was destroyed.", PageProblem.LEFT),
        ("Object reference chain is too long", PageProblem.REFUSED),
    ],
)
async def test_a_script_that_devtools_does_not_tell_of_may_have_run(
    device: VirtualPhone, tools: DevTools, message: str, problem: PageProblem
) -> None:
    def answers(call: dict[str, Any]) -> list[bytes]:
        if call["params"].get("expression") == "buy()":
            error = {"code": -32000, "message": message}
            return [frame(json.dumps({"id": call["id"], "error": error}))]
        return usual(call)

    page = await page_of(device, tools, Page(answers))
    with pytest.raises(PageFailed) as failed:
        await tools.run(page, "buy()", 100)
    assert (failed.value.problem, failed.value.may_have_run) == (problem, True)


async def test_a_page_with_a_long_address_is_scripted(
    device: VirtualPhone, tools: DevTools
) -> None:
    address = "data:text/html," + "x" * 5000

    def answers(call: dict[str, Any]) -> list[bytes]:
        href = call["params"].get("expression") == "location.href"
        return usual(call, {"type": "string", "value": address} if href else None)

    page = (await page_of(device, tools, Page(answers)))._replace(url=address[:2000])
    assert (await tools.run(page, "1", 100)).url == address[:2000]


async def test_a_document_that_is_left_meanwhile_runs_nothing(
    device: VirtualPhone, tools: DevTools
) -> None:
    """The context is that of the document that was looked at."""
    served: list[dict[str, Any]] = []

    def answers(call: dict[str, Any]) -> list[bytes]:
        served.append(call)
        if call["params"].get("expression") == "buy()":
            error = {"code": -32000, "message": "Cannot find context with specified id"}
            return [frame(json.dumps({"id": call["id"], "error": error}))]
        return usual(call)

    page = await page_of(device, tools, Page(answers))
    with pytest.raises(PageFailed) as failed:
        await tools.run(page, "buy()", 100)
    assert failed.value.problem is PageProblem.LEFT
    contexts = [each["params"]["contextId"] for each in served if "contextId" in each["params"]]
    assert contexts == [2, 2]


def test_a_text_is_cut_between_characters() -> None:
    told = {"url": "u", "title": "t", "parts": ["a😀b", "c"], "matches": 2, "frames": 1}
    assert read_text(told, 100).text == "a😀b\nc"
    assert read_text(told, 2).text == "a"
    assert read_text(told, 2).truncated


@given(st.integers(0, 300), st.binary(min_size=4, max_size=4))
def test_a_masked_frame_reads_back(size: int, mask: bytes) -> None:
    data = bytes(number % 251 for number in range(size))
    made = encode_frame(1, data, mask)
    at = 2 if size < 126 else 4
    assert made[at : at + 4] == mask
    assert apply_mask(made[at + 4 :], mask) == data


@given(st.binary(max_size=100))
def test_any_head_is_read_or_refused(data: bytes) -> None:
    with contextlib.suppress(BadAnswer):
        read_head(b"HTTP/1.1 200 OK\r\n" + data)
