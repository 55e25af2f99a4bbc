"""The console of a gateway, over a real server."""

import asyncio
import json
import os
import secrets
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from console.rig import EventStream, Person
from handheld.fleet.messages import BadFleetMessage, OperatorAction, OperatorCommand, read_picture
from handheld.fleet.nats.directory import PhoneRow, encode_rows
from handheld.fleet.nats.frames import NatsFrame
from handheld.fleet.nats.joining import Joined
from handheld.fleet.nats.kv import Kv
from handheld.fleet.nats.names import EYES, LEASE, PHONES, phone_id, slot_of, to_host
from handheld.settings.folders import Folders
from handheld.tools.listing import Image
from harness.polling import HANG

from .console_lab import TOKEN, open_console
from .fleet_lab import Fleet, Host
from .lab import until

pytestmark = pytest.mark.needs_nats

TAP: dict[str, Any] = {"x": 500, "y": 900}
SWIPE: dict[str, Any] = {"x1": 100, "y1": 500, "x2": 300, "y2": 500, "duration": 3000}


def id_of(host: Host, slug: str) -> str:
    return f"{host.id}.{phone_id(f'127.0.0.1:{host.phones[slug].port}')}"


async def rows(person: Person) -> dict[str, dict[str, Any]]:
    """In the order of their names: they come in that in which hosts wrote them."""
    found = {row["name"]: row for row in (await person.api("fleet"))["rows"]}
    return dict(sorted(found.items()))


async def told(events: EventStream, name: str, **wanted: Any) -> dict[str, Any]:
    """Wait until the events tell this of a phone."""
    while True:
        kind, news = await events.next()
        if kind == "phones":
            for row in news["rows"]:
                if row["name"] == name and all(row[key] == wanted[key] for key in wanted):
                    return row


async def test_the_phones_of_all_hosts_are_listed_with_who_has_them(fleet: Fleet) -> None:
    left, right = await fleet.host("left", "middle"), await fleet.host("right")
    console = await open_console(fleet, "left", "middle", "right")
    person = await console.person()
    await console.gateway.call("take_phone", slug="middle", minutes=30)
    listed = dict(sorted((await rows(person)).items()))  # they come in any order
    assert list(listed) == ["left", "middle", "right"]
    assert [row["host"] for row in listed.values()] == ["left", "left", "right"]
    assert [row["id"] for row in listed.values()] == [
        id_of(left, "left"),
        id_of(left, "middle"),
        id_of(right, "right"),
    ]
    assert listed["left"]["tags"] == ["lab", "left_tag"]
    assert [row["state"] for row in listed.values()] == ["free", "leased", "free"]
    lease = listed["middle"]["lease"]
    assert (lease["who"], lease["state"]) == ("tests (token ci)", "held")
    assert lease["until"] - lease["since"] == 30 * 60


async def test_only_rows_that_changed_are_sent(fleet: Fleet) -> None:
    await fleet.host("left", "middle")
    console = await open_console(fleet, "left", "middle")
    person = await console.person()
    async with person.listening() as events:
        before = (await person.api("fleet"))["change"]
        await console.gateway.call("take_phone", slug="left")
        while True:
            kind, news = await events.next()
            if kind == "phones":
                break
        assert [row["name"] for row in news["rows"]] == ["left"]
        assert news["rows"][0]["lease"]["who"] == "tests (token ci)"
        assert (news["gone"], news["engine"]) == ([], "")
        assert news["change"] == news["rows"][0]["change"] > before


async def test_a_row_that_looks_the_same_is_not_sent_again(fleet: Fleet) -> None:
    console = await open_console(fleet)
    person = await console.person()
    [host] = await fleet.stack.enter_async_context(fleet.lab.wires(fleet.lab.member("host")))
    phones = Kv(host, PHONES)

    async def write(serial: str, revision: int = 0, **row: Any) -> int:
        key = f"{host.id}.{slot_of(phone_id(serial))}"
        return await phones.swap(key, encode_rows([PhoneRow(serial, **row)]), revision)

    async with person.listening() as events:
        revision = await write("S1")
        change = (await told(events, "S1"))["change"]
        await write("S1", revision, uses=5)
        await write("S2")
        await told(events, "S2")
        assert (await rows(person))["S1"]["change"] == change


async def test_a_phone_that_its_host_no_longer_has_is_gone_from_the_page(fleet: Fleet) -> None:
    await fleet.host("left")
    console = await open_console(fleet, "left")
    person = await console.person()
    [other] = await fleet.stack.enter_async_context(fleet.lab.wires(fleet.lab.member("host")))
    phones = Kv(other, PHONES)
    key = f"{other.id}.{phone_id('S1')}"
    async with person.listening() as events:
        slot = f"{other.id}.{slot_of(phone_id('S1'))}"
        revision = await phones.swap(slot, json.dumps([{"serial": "S1"}]).encode(), 0)
        row = await told(events, "S1")
        # Nobody has heard of its host, which has no name yet.
        assert (row["id"], row["host"], row["state"]) == (key, other.id, "away")
        await phones.delete(slot, revision)
        while True:
            kind, news = await events.next()
            if kind == "phones" and news["gone"]:
                break
        assert news["gone"] == [key]
    assert list(await rows(person)) == ["left"]
    assert (await person.get(f"/console/api/phones/{key}/frame")).status_code == 404


async def test_a_picture_of_a_phone_comes_through_its_host_and_waits_for_a_change(
    fleet: Fleet,
) -> None:
    host = await fleet.host("left")
    console = await open_console(fleet, "left")
    person = await console.person()
    path = f"/console/api/phones/{id_of(host, 'left')}/frame?size=300"
    answer = await person.get(path)
    assert answer.headers["content-type"] == "image/jpeg"
    assert answer.content.startswith(b"\xff\xd8")
    details = json.loads(answer.headers["x-frame"])
    assert set(details) == {"changes", "width", "height", "secure"}
    assert max(details["width"], details["height"]) == 300
    same = await person.get(f"{path}&after={details['changes']}")
    assert same.json() == {"changes": details["changes"]}
    # It waits for a change, and ends when nobody looks any more.
    waiting = asyncio.create_task(person.get(f"{path}&after={details['changes']}&within=25000"))
    await console.gateway.call("open_app", device="left", package_id="dev.handheld.notes")
    assert json.loads((await waiting).headers["x-frame"])["changes"] > details["changes"]
    # Watching is not recorded.
    assert {entry.tool for entry in host.log.entries()} == {"open_app"}


async def test_a_host_that_is_gone_or_refuses_is_told_in_a_sentence(fleet: Fleet) -> None:
    console = await open_console(fleet)
    person = await console.person()
    async with fleet.open_host("left") as host:
        await console.gateway.until(lambda rows: rows.get("left", {}).get("state") == "free")
        path = f"/console/api/phones/{id_of(host, 'left')}"
        assert (await person.get(f"{path}/frame?size=99")).status_code == 400
    silent = "The host left does not answer: nothing was done."
    message = silent
    async with asyncio.timeout(HANG):
        while message == silent:  # until the server has noticed that its connection has ended
            answer = await person.get(f"{path}/frame")
            assert answer.status_code == 409
            message = answer.json()["message"]
    assert message == "The host left is away: nothing was done."
    answer = await person.post(f"{path}/stop", {})
    assert answer.json()["message"] == "The host left is away: nothing was done."
    for wrong in ("nobody", f"{host.id}.p0000000000000000", f"{host.id}.", "*.>"):
        answer = await person.get(f"/console/api/phones/{wrong}/frame")
        assert (answer.status_code, answer.json()["error"]) == (404, "not_found")


@pytest.mark.parametrize(
    "items",
    [
        [],
        ["no JSON"],
        ["[]"],
        ['{"changes": -1}'],
        ['{"changes": true}'],
        ['{"changes": 1, "secure": "all"}'],
        ['{"changes": 1}', "no picture"],
        ['{"changes": 1}', Image(b"<script>", "text/html")],
        ['{"changes": 1}', Image(b"<svg/>", "image/svg+xml")],
    ],
)
def test_a_picture_that_is_none_is_not_passed_on(items: list[Any]) -> None:
    with pytest.raises(BadFleetMessage):
        read_picture(items)


async def test_a_person_takes_a_phone_over_from_a_gateway_and_lets_go(fleet: Fleet) -> None:
    host = await fleet.host("left", "middle")
    console = await open_console(fleet, "left", "middle")
    person = await console.person()
    path = f"/console/api/phones/{id_of(host, 'left')}"
    running = asyncio.create_task(console.gateway.call("swipe", device="left", **SWIPE))
    await until(lambda: host.phones["left"].world.injection.down)
    async with person.listening() as events:
        answer = await person.post(f"{path}/stop", {})
        assert answer.status_code == 200
        assert "swipe was stopped." in await running
        assert not host.phones["left"].world.injection.down
        await told(events, "left", state="stopped")
        assert (await rows(person))["middle"]["state"] == "free"
        refused = await console.gateway.call("tap", device="left", **TAP)
        assert "The owner of the phone has taken it over. Nothing was done." in refused
        assert "failed" not in await console.gateway.call("tap", device="middle", **TAP)
        assert (await person.post(f"{path}/resume", {})).status_code == 200
        await told(events, "left", state="free")
        assert "failed" not in await console.gateway.call("tap", device="left", **TAP)


async def test_a_person_ends_a_lease_from_a_gateway(fleet: Fleet) -> None:
    host = await fleet.host("left")
    console = await open_console(fleet, "left")
    person = await console.person()
    taken = json.loads(await console.gateway.call("take_phone", slug="left"))
    answer = await person.post(f"/console/api/phones/{id_of(host, 'left')}/lease/end", {})
    assert answer.json()["message"] == "The lease of left by tests (token ci) is ended."
    assert host.leases.all() == []
    assert (await rows(person))["left"]["state"] == "free"
    refused = await console.gateway.call("tap", device=taken["device"], **TAP)
    assert "failed: " in refused
    assert host.touches("left") == 0


async def test_a_token_of_an_agent_gets_nothing_from_the_console_of_a_gateway(
    fleet: Fleet,
) -> None:
    host = await fleet.host("left")
    console = await open_console(fleet, "left")
    agent, person = await console.browser(), await console.person()
    bearer = {"authorization": f"Bearer {TOKEN}"}
    id = id_of(host, "left")
    for path in ("/console/api/fleet", f"/console/api/phones/{id}/frame", "/console/events"):
        assert (await agent.get(path, **bearer)).status_code == 401
    for order in ("stop", "resume", "lease/end"):
        path = f"/console/api/phones/{id}/{order}"
        assert (await agent.post(path, {}, **bearer)).status_code == 401
        # Nor does another page of the person's browser.
        foreign = await person.post(path, {}, origin="http://evil.example")
        assert foreign.status_code == 403
        assert (await person.get(path)).status_code == 405
    assert (await rows(person))["left"]["state"] == "free"


async def test_orders_that_are_late_malformed_or_for_all_phones_are_refused(fleet: Fleet) -> None:
    host = await fleet.host("left")
    wire, calls = await fleet.line()
    serial = f"127.0.0.1:{host.phones['left'].port}"
    assert "held back" in await calls.obey(
        host.id, OperatorCommand(OperatorAction.STOP, serial, "console 1")
    )
    assert "are resumed" in await calls.obey(
        host.id, OperatorCommand(OperatorAction.RESUME, serial, "console 1")
    )

    async def refused(word: str, **head: Any) -> object:
        frame = NatsFrame({"call": secrets.token_hex(8), **head}).encode()
        answer = await wire.request(to_host(word, host.id, wire.id), frame, 60)
        return NatsFrame.decode(answer.data).head["refused"]

    clock = host.clock.now
    stop = {"do": "stop", "phone": serial, "who": "console 1"}
    assert await refused(LEASE, **stop) == "old"
    assert await refused(LEASE, **stop, stamp=clock() - 60) == "old"
    assert await refused(LEASE, **stop, stamp=clock() + 60) == "old"
    for wrong in ({"phone": ""}, {"phone": None}, {"do": "erase"}, {"who": 5}):
        assert await refused(LEASE, **{**stop, **wrong}, stamp=clock()) == "malformed"
    for wrong in ({}, {"phone": serial}, {"phone": serial, "arguments": []}):
        assert await refused(EYES, **wrong) == "malformed"
    assert not host.takeover.names


async def test_the_timeline_has_the_calls_of_all_hosts(fleet: Fleet) -> None:
    left, right = await fleet.host("left"), await fleet.host("right")
    console = await open_console(fleet, "left", "right")
    person = await console.person()
    assert await person.api("calls") == {"calls": [], "more": False}
    await console.gateway.call("tap", device="left", **TAP)
    await console.gateway.call("press_home", device="right", token="eve")

    async def told(query: str = "") -> list[dict[str, Any]]:
        return (await person.api(f"calls?{query}"))["calls"]

    async with asyncio.timeout(HANG):
        while [call["state"] for call in await told()] != ["done", "done"]:  # noqa: ASYNC110
            await asyncio.sleep(0)
    tap, home = await told()
    assert (tap["tool"], tap["host"], tap["phone"], tap["token"]) == ("tap", "left", "left", "ci")
    assert tap["arguments"] == {"device": "left", **TAP}
    assert tap["key"] == f"{left.id}-1"
    assert (home["host"], home["token"]) == ("right", "eve")
    for query in (f"host={right.id}", "host=right", "phone=right", "token=eve", "tool=press_home"):
        assert await told(query) == [home]
    assert await told("limit=1") == [home]
    assert await told("phone=nobody") == []
    for wrong in ("limit=0", "limit=1001"):
        assert (await person.get(f"/console/api/calls?{wrong}")).status_code == 400
    assert (await (await console.browser()).get("/console/api/calls")).status_code == 401


async def test_what_is_long_in_a_call_is_cut_in_the_timeline_and_says_so(fleet: Fleet) -> None:
    await fleet.host("left")
    console = await open_console(fleet, "left")
    person = await console.person()
    await console.gateway.call("open_app", device="left", package_id="x" * 9_000)
    calls: list[dict[str, Any]] = []
    async with asyncio.timeout(HANG):
        while not calls or calls[0]["state"] == "running":
            calls = (await person.api("calls"))["calls"]
    shown = calls[0]["arguments"]["package_id"]
    assert shown == "x" * 4_000 + "… (5000 more characters are in the host's record)"


async def test_the_link_to_the_console_of_a_gateway_is_printed_by_a_command(
    fleet: Fleet, tmp_path: Path
) -> None:
    await fleet.host("left")
    joined = Joined("gateway", "front", "main", fleet.lab.member("gateway"))
    joined.save(Folders(tmp_path / "home", tmp_path / "home" / "state").joined("gateway"))

    async def start(*command: str) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "handheld", *command),
            stdout=subprocess.PIPE,
            env={**os.environ, "HANDHELD_HOME": str(tmp_path / "home")},
        )

    gateway = await start("gateway", "--port", "0")
    try:
        assert gateway.stdout is not None
        async with asyncio.timeout(HANG):
            while b"handheld console --gateway" not in (line := await gateway.stdout.readline()):
                assert line
            printed, _ = await (await start("console", "--gateway")).communicate()
        url, _, secret = printed.decode().strip().partition("/#login=")
        async with httpx.AsyncClient(base_url=url, trust_env=False, timeout=HANG) as http:
            person = Person(http)
            assert (await person.log_in(secret)).status_code == 200
            async with asyncio.timeout(HANG):
                while list(await rows(person)) != ["left"]:  # its host may not have told of it yet
                    pass
            assert 'src="/console/static/gateway.js"' in (await person.get("/")).text
    finally:
        gateway.terminate()
        await gateway.wait()
    over = await start("console", "--gateway")
    assert await over.wait() == 1
