"""Stopping agents from the console and from the command line."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from handheld.access.stop_switch import StopSwitch
from handheld.access.takeover import TakenOver, Takeover
from handheld.cli.arguments import parse
from handheld.cli.commands.phones import phones
from handheld.cli.commands.stop import stop
from handheld.devices.direct import DirectDevice, TcpEndpoint
from handheld.devices.opening import PhoneFactory
from handheld.devices.ownership import Owners
from handheld.server.http import open_http
from handheld.server.options import HttpOptions
from handheld.server.sharing.owner import report
from handheld.settings import Settings, load

from .rig import TOKEN, EventStream, Person, Rig, ignore

HELD = "The owner of the phone has taken it over."
PRESS = {"x": 300, "y": 900, "duration": 60_000}


async def post(person: Person, path: str, **body: Any) -> Any:
    answer = await person.post(f"/console/api/{path}", body)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def send(person: Person, path: str, tool: str) -> Any:
    """A call of an agent over HTTP."""
    params = {"name": tool, "arguments": {}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    bearer = {"Authorization": f"Bearer {TOKEN}"}
    return (await person.http.post(path, json=body, headers=bearer)).json()


async def over_http(person: Person, path: str, tool: str) -> str:
    """The first sentence of the error."""
    result = (await send(person, path, tool))["result"]
    assert result["isError"]
    return result["content"][0]["text"].partition(" Nothing")[0]


async def held(stream: EventStream) -> None:
    """Until the page is told that something changed."""
    while (await stream.next())[0] != "held":
        pass


async def test_a_person_stops_agents_on_a_phone_and_every_page_shows_it(
    rig: Rig, person: Person
) -> None:
    other = await rig.person()
    async with other.listening() as stream:
        pressing = asyncio.ensure_future(rig.agent("long_press", **PRESS))
        await rig.until(lambda: bool(rig.phone.world.injection.down))
        await post(person, "stop", phone=rig.serial)
        with pytest.raises(TakenOver, match="the fingers were lifted"):
            await pressing
        assert not rig.phone.world.injection.down
        await held(stream)
        assert await other.api("held") == {"all": False, "phones": [rig.serial]}
        assert await over_http(person, "/mcp", "android_get_screen_state") == HELD
        assert await over_http(person, "/mcp/agent", "phone_look") == HELD
        v1 = await send(person, "/mcp/v1/tools/call", "get_accessibility_tree")
        assert v1["error"]["code"] == -32001
        assert v1["error"]["message"].startswith(HELD)
        act = {"tool": "press_home", "arguments": {}}
        answer = await person.post(f"/console/api/phones/{rig.serial}/act", act)
        assert answer.json() == {"said": ["Home button press executed successfully"]}
        await post(other, "resume", phone=rig.serial)
        await held(stream)
    assert await other.api("held") == {"all": False, "phones": []}
    assert await rig.agent("get_screen_state")
    entry = rig.audit.entries(tool="long_press")[-1]
    assert entry.state == "failed"


async def test_a_person_stops_agents_on_all_phones(rig: Rig, person: Person) -> None:
    await post(person, "stop")
    assert await person.api("held") == {"all": True, "phones": [rig.serial]}
    said = await post(person, "resume", phone=rig.serial)
    assert said["message"].startswith("Agents are held back on every phone, also on")
    with pytest.raises(TakenOver):
        await rig.agent("get_screen_state")
    assert rig.audit.entries(tool="get_screen_state")[-1].state == "denied"
    await post(person, "resume")
    assert await rig.agent("get_screen_state")


async def test_a_phone_that_is_not_there_cannot_be_stopped(person: Person) -> None:
    answer = await person.post("/console/api/stop", {"phone": "nowhere"})
    assert answer.status_code == 409
    assert "No phone here is called 'nowhere'" in answer.json()["message"]


async def test_no_token_lets_agents_go_on(rig: Rig, person: Person) -> None:
    """Also not the owner's, which agents are given."""
    await post(person, "stop")
    bearer = {"Authorization": f"Bearer {TOKEN}"}
    body = {"phone": "", "release": True}
    for headers, status in (
        ({}, 401),
        (bearer, 403),
        ({**bearer, "x-handheld-owner": TOKEN}, 403),
        ({**bearer, "x-handheld-owner": rig.console.key}, 403),
        ({"x-handheld-owner": rig.switch.key}, 401),
    ):
        answer = await person.http.post("/stop", json=body, headers=headers)
        assert answer.status_code == status
    for path in ("resume", "stop"):
        answer = await person.http.post(f"/console/api/{path}", json={}, headers=bearer)
        assert answer.status_code == 401
    with pytest.raises(TakenOver):
        await rig.agent("get_screen_state")
    key = {**bearer, "x-handheld-owner": rig.switch.key}
    for wrong in ({}, {"phone": 1, "release": True}, {"phone": "", "release": 1}, []):
        answer = await person.http.post("/stop", json=wrong, headers=key)
        assert answer.status_code == 400
    answer = await person.http.post("/stop", json=body, headers=key)
    assert answer.json() == {"message": "Agents are resumed."}
    assert await rig.agent("get_screen_state")


@pytest.fixture
def settings(rig: Rig, tmp_path: Path) -> Settings:
    """Of a command of the same user, with the server's phone known to it."""
    return load({}, {"HANDHELD_HOME": str(rig.settings.folders.config)})


async def test_the_command_goes_through_the_running_server(
    rig: Rig, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    claim = Owners(settings.folders.owners).claim([rig.serial], "handheld serve")
    assert claim is not None
    try:
        claim.publish(rig.url, TOKEN, stop=rig.switch.key)
        pressing = asyncio.ensure_future(rig.agent("long_press", **PRESS))
        await rig.until(lambda: bool(rig.phone.world.injection.down))
        assert await stop(parse(["stop", "--phone", rig.serial]), settings) == 0
        with pytest.raises(TakenOver):
            await pressing
        assert capsys.readouterr().out == (
            f"Agents are held back on {rig.serial}. To resume them: handheld stop --release"
            f" --phone {rig.serial}\n"
        )
        assert await stop(parse(["stop", "--release", "--phone", rig.serial]), settings) == 0
        assert await rig.agent("get_screen_state")
        assert await stop(parse(["stop"]), settings) == 0
        with pytest.raises(TakenOver):
            await rig.agent("get_screen_state")
        assert await stop(parse(["stop", "--phone", "nowhere"]), settings) == 1
        assert await stop(parse(["stop", "--release"]), settings) == 0
        assert await rig.agent("get_screen_state")
    finally:
        claim.release()


async def test_the_command_tells_servers_also_if_it_can_write_nothing(
    rig: Rig, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    held = settings.folders.held
    held.mkdir(parents=True, exist_ok=True)
    held.rmdir()
    held.write_text("", encoding="utf-8")  # in the place of the folder, as if the disk were full
    claim = Owners(settings.folders.owners).claim([rig.serial], "handheld serve")
    assert claim is not None
    try:
        claim.publish(rig.url, TOKEN, stop=rig.switch.key)
        pressing = asyncio.ensure_future(rig.agent("long_press", **PRESS))
        await rig.until(lambda: bool(rig.phone.world.injection.down))
        assert await stop(parse(["stop"]), settings) == 1
        with pytest.raises(TakenOver):
            await pressing
        out, err = capsys.readouterr()
        assert out == ""
        assert f"{held} cannot be written: File exists. Only servers that run are told" in err
        await stop(parse(["stop", "--release"]), settings)
        assert await rig.agent("get_screen_state")
        assert await stop(parse(["stop", "--phone", rig.serial]), settings) == 0
        assert "So this holds only for this server" in capsys.readouterr().out
        with pytest.raises(TakenOver):
            await rig.agent("get_screen_state")
        await stop(parse(["stop", "--release", "--phone", rig.serial]), settings)
        assert await rig.agent("get_screen_state")
    finally:
        claim.release()
        held.unlink()


@pytest.mark.parametrize("served", ["named", "all"])
async def test_a_process_that_cannot_be_told_finds_what_the_command_keeps(
    rig: Rig, settings: Settings, served: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """`handheld call`, and one that has just started, have no listener."""
    names = [rig.serial] if served == "named" else []
    claim = Owners(settings.folders.owners).claim(names, "handheld call")
    assert claim is not None
    try:
        assert await stop(parse(["stop", "--phone", rig.serial]), settings) == 0
        with pytest.raises(TakenOver):
            await rig.agent("get_screen_state")
        assert await stop(parse(["stop", "--release", "--phone", rig.serial]), settings) == 0
        assert await rig.agent("get_screen_state")
        assert capsys.readouterr().out == (
            f"Agents are held back on {rig.serial}. To resume them: handheld stop --release"
            f" --phone {rig.serial}\nAgents are resumed on {rig.serial}.\n"
        )
    finally:
        claim.release()


@asynccontextmanager
async def second_server(rig: Rig) -> AsyncGenerator[tuple[str, StopSwitch]]:
    """Another process with the same phone."""
    endpoint = TcpEndpoint("127.0.0.1", rig.phone.port, tuple)
    devices = DirectDevice(endpoint, PhoneFactory(rig.settings).make_phone, ignore)
    switch = StopSwitch(Takeover(), devices)
    try:
        options = HttpOptions(port=0, token=TOKEN, phones=lambda: report(devices), stop=switch)
        async with open_http(rig.surface, options) as address:
            yield address.url.removesuffix("/mcp"), switch
    finally:
        await devices.aclose()


async def test_every_process_that_has_the_phone_is_told(rig: Rig, settings: Settings) -> None:
    owners = Owners(settings.folders.owners)
    async with second_server(rig) as (url, switch):
        claims = [owners.claim(names, "handheld serve") for names in ([rig.serial], ["desk"])]
        first, second = claims
        assert first is not None
        assert second is not None
        try:
            first.publish(rig.url, TOKEN, stop=rig.switch.key)
            second.publish(url, TOKEN, stop=switch.key)
            assert await stop(parse(["stop", "--phone", rig.serial]), settings) == 0
            assert rig.serial in rig.switch.takeover.names
            assert rig.serial in switch.takeover.names
            assert await stop(parse(["stop", "--release", "--phone", rig.serial]), settings) == 0
            assert not switch.takeover.names
        finally:
            first.release()
            second.release()


async def test_without_a_server_agents_are_held_back_from_the_start(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = load({}, {"HANDHELD_HOME": str(tmp_path)})
    assert await stop(parse(["stop", "--all"]), settings) == 0
    assert [file.suffix for file in settings.folders.held.iterdir()] == [".json"]
    assert await stop(parse(["stop", "--release"]), settings) == 0
    assert list(settings.folders.held.iterdir()) == []
    out, _ = capsys.readouterr()
    assert out == (
        "Agents are held back on every phone. To resume them: handheld stop --release\n"
        "Agents are resumed.\n"
    )


async def test_the_list_of_phones_says_where_agents_are_held_back(
    rig: Rig, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    claim = Owners(settings.folders.owners).claim([rig.serial], "handheld serve")
    assert claim is not None
    try:
        claim.publish(rig.url, TOKEN, stop=rig.switch.key)
        rig.switch.takeover.take([rig.serial])
        assert await phones(parse(["phones"]), settings) == 0
        assert f"Agents are held back on {rig.serial}." in capsys.readouterr().err
        rig.switch.takeover.resume([rig.serial])
        assert await phones(parse(["phones"]), settings) == 0
        assert "held back" not in capsys.readouterr().err
    finally:
        claim.release()
