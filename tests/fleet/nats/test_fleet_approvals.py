"""Questions of hosts at the consoles of gateways, over a real server."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from console.rig import Person
from handheld.access.approval import MOST_ASKED, ApprovalGate
from handheld.fleet.asking import AWAY_AFTER, Asking
from handheld.fleet.messages import (
    AskedQuestion,
    BadFleetMessage,
    EndedQuestion,
    GivenAnswer,
    Presence,
    digest_question,
)
from handheld.fleet.nats.frames import NatsFrame
from handheld.fleet.nats.names import ANSWER, to_host
from handheld.fleet.nats.wire import EngineWire
from handheld.settings.rules import Rules
from handheld.tools.call import Caller, ToolCall
from handheld.tools.tool import Listing
from harness.manual_clock import ManualClock

from .console_lab import GatewayConsole, open_console
from .fleet_lab import Fleet, Host
from .lab import Lab, until

pytestmark = pytest.mark.needs_nats

TAP: dict[str, Any] = {"device": "left", "x": 500, "y": 900}


@asynccontextmanager
async def tapping(console: GatewayConsole) -> AsyncGenerator["asyncio.Task[str]"]:
    """An agent's tap on `left`."""
    task = asyncio.create_task(console.gateway.call("tap", **TAP))
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def known(host: Host, gateways: int = 1) -> None:
    """Wait until the host knows at how many gateways somebody is."""
    await until(lambda: host.gate.gateways == gateways)


async def answer(person: Person, id: str, *, allow: bool) -> Any:
    reply = await person.post(f"/console/api/questions/{id}/answer", {"allow": allow})
    return reply.json()["counts"]


async def test_a_yes_at_a_gateway_lets_the_call_run(fleet: Fleet) -> None:
    host = await fleet.host("left", ask=("tap",))
    console = await open_console(fleet, "left")
    person = await console.person()
    async with person.listening() as events:
        await known(host)
        async with tapping(console) as task:
            asked = await events.until("question", "asked")
            told = {key: asked[key] for key in ("tool", "phone", "host", "client", "token", "rule")}
            assert told == {
                "tool": "tap",
                "phone": "left",
                "host": "left",
                "client": "tests",
                "token": "ci",
                "rule": "tap",
            }
            assert asked["arguments"] == {"x": "500", "y": "900"}
            assert 40 < asked["until"] - asked["asked_at"] <= 45
            assert [each["id"] for each in (await person.api("questions"))["questions"]] == [
                asked["id"]
            ]
            [row] = (await person.api("fleet"))["rows"]
            assert asked["key"] == row["id"]  # whose picture the page shows
            assert host.touches("left") == 0
            always = {"allow": True, "always": True}
            reply = await person.post(f"/console/api/questions/{asked['id']}/answer", always)
            assert reply.json()["message"] == "Apps are approved on the host that has the phone."
            assert await answer(person, asked["id"], allow=True) is True
            assert "failed" not in await task
            ended = await events.until("question", "allowed")
            assert (ended["id"], ended["who"]) == (asked["id"], person.name)
            assert await answer(person, asked["id"], allow=True) is False
    assert host.touches("left") == 1
    assert (await person.api("questions"))["questions"] == []


async def test_the_first_answer_counts_wherever_it_is_given(fleet: Fleet) -> None:
    host = await fleet.host("left", ask=("tap",))
    one, other = await open_console(fleet, "left"), await open_console(fleet, "left")
    here, there = await one.person(), await other.person()
    async with here.listening() as events, there.listening() as further:
        await known(host, 2)
        async with tapping(one) as task:
            id = (await events.until("question", "asked"))["id"]
            assert (await further.until("question", "asked"))["id"] == id
            assert await answer(there, id, allow=False) is True
            assert "was asked about tap and said no. Nothing was done." in await task
            # It is gone at both, and the late yes counts for nothing.
            ended = await events.until("question", "denied")
            assert (ended["id"], ended["who"]) == (id, f"{there.name} at front")
            assert (await further.until("question", "denied"))["who"] == there.name
            assert await answer(here, id, allow=True) is False
        async with tapping(one) as task:
            id = (await events.until("question", "asked"))["id"]
            await further.until("question", "asked")
            [pending] = host.gate.pending()
            host.gate.answer(pending.id, True, "console 1")  # at the host's own console
            assert "failed" not in await task
            for stream in (events, further):
                assert (await stream.until("question", "allowed"))["who"] == "console 1"
    assert host.touches("left") == 1


async def test_without_a_person_at_any_console_the_call_is_refused(fleet: Fleet) -> None:
    host = await fleet.host("left", ask=("tap",))
    console = await open_console(fleet, "left")
    person = await console.person()
    refused = "Not done: tap needs the owner."
    assert refused in await console.gateway.call("tap", **TAP)
    async with person.listening():
        await known(host)
    await known(host, 0)
    assert refused in await console.gateway.call("tap", **TAP)
    assert host.touches("left") == 0


async def test_a_question_that_the_agent_withdraws_ends_at_the_gateways(fleet: Fleet) -> None:
    host = await fleet.host("left", ask=("tap",))
    console = await open_console(fleet, "left")
    person = await console.person()
    async with person.listening() as events:
        await known(host)
        async with tapping(console):
            id = (await events.until("question", "asked"))["id"]
        assert (await events.until("question", "withdrawn"))["id"] == id
        assert await answer(person, id, allow=True) is False
    assert host.touches("left") == 0


async def test_taking_a_phone_over_denies_what_is_asked_about_it(fleet: Fleet) -> None:
    host = await fleet.host("left", ask=("tap",))
    console = await open_console(fleet, "left")
    person = await console.person()
    async with person.listening() as events:
        await known(host)
        async with tapping(console) as task:
            asked = await events.until("question", "asked")
            reply = await person.post(f"/console/api/phones/{asked['key']}/stop", {})
            assert reply.status_code == 200
            assert (await events.until("question", "denied"))["id"] == asked["id"]
            assert "has taken it over" in await task
    assert host.touches("left") == 0


async def test_a_gateway_that_comes_later_is_told_what_is_open_and_what_is_not(
    fleet: Fleet,
) -> None:
    host = await fleet.host("left", ask=("tap",))
    console = await open_console(fleet, "left")
    host.gate.consoles = 1  # the host's own, at which nobody answers
    async with tapping(console) as task:
        await until(lambda: len(host.gate.pending()) == 1)
        person = await console.person()
        async with person.listening() as events:
            asked = await events.until("question", "asked")
            # One that ended without a word, with the process that asked it.
            old = NatsFrame({"run": "before", "question": _question(7), "left": 9}).encode()
            await host.wire.publish(f"hh1.ask.{host.id}", old)
            assert (await events.until("question", "asked"))["id"].endswith("-before-7")
        await known(host, 0)
        async with person.listening() as events:
            assert (await events.until("question", "decided"))["id"].endswith("-before-7")
            assert await answer(person, asked["id"], allow=True) is True
            assert "failed" not in await task


async def test_an_answer_counts_only_for_what_was_shown(fleet: Fleet) -> None:
    host = await fleet.host("left", ask=("tap",))
    console = await open_console(fleet, "left")
    person = await console.person()
    wire, _ = await fleet.line()
    async with person.listening() as events:
        await known(host)
        async with tapping(console) as task:
            id = (await events.until("question", "asked"))["id"]
            _, run, number = id.split("-")
            [pending] = host.gate.pending()
            seen = digest_question(pending.as_json())

            async def counts(**changed: Any) -> bool:
                given = GivenAnswer(run, int(number), seen, True, "console 9 at back")
                frame = NatsFrame({**given.pack(), **changed}).encode()
                reply = await wire.request(to_host(ANSWER, host.id, wire.id), frame, 60)
                return NatsFrame.decode(reply.data).head["counts"]

            assert not await counts(seen=digest_question({**pending.as_json(), "phone": "right"}))
            assert not await counts(run="another process")
            assert not await counts(question=int(number) + 1)
            assert host.touches("left") == 0
            assert await counts()
            assert "failed" not in await task
            assert (await events.until("question", "allowed"))["who"] == "console 9 at back"


async def test_a_gateway_that_falls_silent_counts_no_longer(lab: Lab) -> None:
    clock, gate = ManualClock(), ApprovalGate()
    host = EngineWire(lab.member("host"))
    asking = Asking(host, gate, clock)
    async with host, lab.wires(lab.member("gateway")) as [gateway]:
        await host.ready(60)

        async def tell(**head: Any) -> None:
            subject = to_host(ANSWER, host.id, gateway.id)
            await gateway.publish(subject, NatsFrame({"shown": [], **head}).encode())

        await tell(open=True)
        await until(lambda: gate.gateways == 1)
        await clock.advance(AWAY_AFTER - 1)
        await tell(open="yes")
        await tell(open=False, shown=[["run"]])
        await tell(open=True)
        await until(lambda: clock.waits == [AWAY_AFTER])
        await clock.advance(AWAY_AFTER - 1)
        assert gate.gateways == 1
        await clock.advance(1)
        assert gate.gateways == 0
        await tell(open=True)
        await until(lambda: gate.gateways == 1)
        asking.close()
        assert gate.gateways == 0


async def test_the_longest_question_is_told_whole(
    lab: Lab,
) -> None:
    gate = ApprovalGate(Rules(ask=["write"]))
    host, gateway = EngineWire(lab.member("host")), EngineWire(lab.member("gateway"))
    asking = Asking(host, gate)
    told: list[AskedQuestion] = []
    gateway.serve(
        f"hh1.ask.{host.id}",
        lambda message: told.append(AskedQuestion.read(NatsFrame.decode(message.data).head)),
    )
    async with host, gateway:
        await host.ready(60)
        await gateway.ready(60)
        running = asyncio.create_task(asking.run())
        presence = NatsFrame(Presence(True, frozenset()).pack()).encode()
        await gateway.publish(to_host(ANSWER, host.id, gateway.id), presence)
        await until(lambda: gate.gateways == 1)
        # What takes most room: half of a surrogate pair has no UTF-8, so that all is escaped.
        arguments = {"text": "\ud83d" * ((MOST_ASKED - len('{"text": ""}')) // 6)}
        schema = {"properties": {"text": {"type": "string"}}}
        listing = Listing("write", "Write", "Writes.", schema, toolset="files")
        call = ToolCall("write", listing, arguments, Caller("http", "tests", "ci"), "left")
        waiting = asyncio.create_task(gate.ask(call))
        await until(lambda: bool(told))
        assert told[0].shown["arguments"] == arguments
        for task in (waiting, running):
            task.cancel()
        await asyncio.gather(waiting, running, return_exceptions=True)
        asking.close()


def _question(number: int, **changed: Any) -> dict[str, Any]:
    texts = ("tool", "title", "phone", "app", "screen", "client", "door", "token", "rule")
    return {"id": number, **dict.fromkeys(texts, "x"), "arguments": {"x": 5}, **changed}


def test_a_question_is_shown_in_words() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    head: dict[str, Any] = {"run": "r", "left": 9.5}
    long = AskedQuestion.read({**head, "question": _question(1, client="c" * 5000)})
    assert long.shown["client"] == "c" * 1000 + "… (4000 more characters are not shown)"
    assert long.shown["arguments"] == {"x": "5"}
    assert long.shown["subject"] == ""  # a host of an earlier version
    told = AskedQuestion.read({**head, "question": _question(1, subject="Messages: Ada")})
    assert told.shown["subject"] == "Messages: Ada"
    for wrong in (
        {"question": None},
        {"question": _question(1), "left": -1},
        {"question": _question(1), "left": "soon"},
        {"question": _question(1, tool=None)},
        {"question": _question(1, subject=5)},
        {"question": _question(-1)},
        {"question": _question(1, arguments=[])},
        {"question": _question(1, arguments={"x": deep})},
        {"question": _question(1), "run": None},
    ):
        with pytest.raises(BadFleetMessage):
            AskedQuestion.read({**head, **wrong})


@pytest.mark.parametrize(
    ("kind", "head"),
    [
        (EndedQuestion, {"run": "r", "ended": "1", "state": "denied", "who": "", "by": ""}),
        (EndedQuestion, {"run": "r", "ended": 1, "state": None, "who": "", "by": ""}),
        (Presence, {"open": 1, "shown": []}),
        (Presence, {"open": True}),
        (Presence, {"open": True, "shown": [1]}),
        (Presence, {"open": True, "shown": [["r", 1]] * 1001}),
        (GivenAnswer, {"run": "r", "question": 1, "seen": "s", "allow": 1, "who": "w"}),
        (GivenAnswer, {"run": "r", "question": 1, "seen": None, "allow": True, "who": "w"}),
    ],
)
def test_messages_about_questions_have_their_form(kind: Any, head: dict[str, Any]) -> None:
    with pytest.raises(BadFleetMessage):
        kind.read(head)
