"""The gate: what it lets pass, whom it asks, and how a question ends."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable
from typing import Any

import pytest

from handheld.access.approval import MOST_QUESTIONS, ApprovalGate, Pending, QuestionChange
from handheld.errors import PermissionDenied
from handheld.phone.leases.shares import OWNER
from handheld.settings.rules import Rules
from handheld.tools.call import Caller, ToolCall
from handheld.tools.tool import Listing
from harness.manual_clock import ManualClock
from harness.polling import HANG

NOW = 1_800_000_000.0
AGENT = Caller("http", "agent", "family")


def a_call(
    tool: str = "send_sms", caller: Caller = AGENT, apps: tuple[str, ...] = ("com.x",)
) -> ToolCall:
    listing = Listing(tool, "Title", "Description.", {}, toolset="sms")
    return ToolCall(tool, listing, {"sms_text": "hi"}, caller, "desk", apps)


class Room:
    """A gate that asks about send_sms, with a clock that stands still."""

    def __init__(self, **options: Any) -> None:
        self.clock = ManualClock(NOW)
        rules = Rules(ask=["send_sms"], deny=["tap", "app:com.bank.*"])
        self.gate = ApprovalGate(rules, clock=self.clock, **options)
        self.gate.consoles = 1
        self.tasks: list[asyncio.Task[None]] = []

    async def ask(self, call: ToolCall | None = None) -> asyncio.Task[None]:
        """Once the question waits, or has ended already."""
        task = asyncio.ensure_future(self.gate.ask(call or a_call()))
        self.tasks.append(task)
        before = len(self.clock.waits)
        for _ in range(20):
            if task.done() or len(self.clock.waits) > before:
                break
            await asyncio.sleep(0)
        return task

    async def aclose(self) -> None:
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)


@pytest.fixture
async def room() -> AsyncGenerator[Room]:
    opened = Room()
    yield opened
    await opened.aclose()


async def sentence(asked: Awaitable[None]) -> str:
    with pytest.raises(PermissionDenied) as refused:
        async with asyncio.timeout(HANG):
            await asked
    return refused.value.message


async def test_what_no_rule_is_about_passes_without_a_question(room: Room) -> None:
    await room.gate.ask(a_call("get_screen_state"))
    assert room.gate.pending() == []


async def test_what_a_rule_denies_is_denied_with_the_rule(room: Room) -> None:
    assert await sentence(room.gate.ask(a_call("tap"))) == (
        "Not done: tap, because the rule 'tap' denies it. Do not do it another way; tell your user."
    )
    output = await sentence(room.gate.ask(a_call("swipe", apps=("com.bank.app",))))
    assert "the rule 'app:com.bank.*' denies it." in output
    output = await sentence(room.gate.ask(a_call("swipe", apps=())))
    assert "denies it. The app in front is not known." in output
    await room.gate.ask(a_call("swipe", apps=("com.notes",)))
    output = await sentence(room.gate.ask(a_call("swipe", apps=("com.notes", "com.bank.app"))))
    assert "the rule 'app:com.bank.*' denies it." in output


@pytest.mark.parametrize("token", ["owner", ""])
async def test_a_caller_without_a_required_token_is_the_owner(token: str) -> None:
    # A client on standard input and output shows none, and is the owner's own program.
    gate = ApprovalGate(Rules(deny=["token:owner"]))
    output = await sentence(gate.ask(a_call(caller=Caller("stdio", token=token))))
    assert "the rule 'token:owner' denies it" in output


async def test_a_call_runs_once_the_person_allows_it(room: Room) -> None:
    asking = await room.ask()
    [pending] = room.gate.pending()
    assert pending == Pending(1, a_call(), NOW, NOW + 45, "send_sms", pending.remedy)
    assert not asking.done()
    assert room.gate.answer(1, True, "Ann")
    await asyncio.wait_for(asking, HANG)
    assert room.gate.pending() == []
    assert room.clock.waits == []


async def test_a_denied_call_fails_with_a_sentence_for_the_model(room: Room) -> None:
    asking = await room.ask()
    assert room.gate.answer(1, False, "Ann")
    assert await sentence(asking) == (
        "The owner of the phone was asked about send_sms and said no. Nothing was done. Do not"
        " repeat it, nor look for a way around it, unless the user says so."
    )


async def test_a_question_without_an_answer_is_a_no(room: Room) -> None:
    asking = await room.ask()
    await room.clock.advance(44.999)
    assert not asking.done()
    await room.clock.advance(0.001)
    assert await sentence(asking) == (
        "Not done: send_sms needs the owner. There was no answer within 45 s. Do not do it another"
        " way; tell your user."
    )
    assert room.gate.pending() == []
    assert not room.gate.answer(1, True, "Ann")


async def test_a_console_that_is_closed_meanwhile_leaves_the_question_open(room: Room) -> None:
    asking = await room.ask()
    room.gate.consoles = 0
    assert len(room.gate.pending()) == 1
    await room.clock.advance(45)
    assert "no answer within 45 s" in await sentence(asking)


async def test_a_cancelled_call_takes_its_question_back(room: Room) -> None:
    asking, other = await room.ask(), await room.ask()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert [one.id for one in room.gate.pending()] == [2]
    assert not room.gate.answer(1, True, "Ann")
    assert room.gate.answer(2, True, "Ann")
    await asyncio.wait_for(other, HANG)


async def test_a_call_that_is_cancelled_as_it_is_allowed_does_not_run(room: Room) -> None:
    asking = await room.ask()
    assert room.gate.answer(1, True, "Ann")
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking


async def test_only_the_first_answer_counts(room: Room) -> None:
    asking = await room.ask()
    assert room.gate.answer(1, False, "Ann")
    assert not room.gate.answer(1, True, "Bob")
    assert "said no" in await sentence(asking)


@pytest.mark.parametrize("id", [0, 2, -1])
async def test_an_answer_to_nothing_counts_for_nothing(room: Room, id: int) -> None:
    asking = await room.ask()
    assert not room.gate.answer(id, True, "Ann")
    assert not asking.done()


async def test_several_questions_are_answered_each_by_itself(room: Room) -> None:
    first, second, third = [await room.ask() for _ in range(3)]
    assert [one.id for one in room.gate.pending()] == [1, 2, 3]
    room.gate.answer(2, True, "Ann")
    room.gate.answer(3, False, "Ann")
    await asyncio.wait_for(second, HANG)
    assert "said no" in await sentence(third)
    assert [one.id for one in room.gate.pending()] == [1]
    assert not first.done()


async def test_there_is_an_end_to_how_many_questions_wait(room: Room) -> None:
    call = a_call(caller=Caller("http", "agent", OWNER))
    for _ in range(MOST_QUESTIONS):
        await room.ask(call)
    assert await sentence(room.gate.ask(call)) == (
        "100 questions wait for the owner of the phone already, so send_sms was not asked"
        " about. Nothing was done."
    )
    assert len(room.gate.pending()) == MOST_QUESTIONS


async def test_while_nobody_is_there_what_the_owner_wants_to_be_asked_about_is_denied(
    room: Room,
) -> None:
    room.gate.consoles = 0
    assert await sentence(room.gate.ask(a_call())) == (
        "Not done: send_sms needs the owner. Do not do it another way; tell your user."
    )
    await room.gate.ask(a_call("get_screen_state"))
    assert "denies it" in await sentence(room.gate.ask(a_call("tap")))


@pytest.mark.parametrize("tool", ["send_sms", "tap"])
async def test_a_person_is_never_asked_about_their_own_calls(room: Room, tool: str) -> None:
    person = Caller("console", person=True)
    assert not room.gate.wants_app(a_call(tool, person))
    await room.gate.ask(a_call(tool, person))


async def test_the_surface_for_messages_may_send_them_and_deny_still_holds() -> None:
    room = Room(require_console=True)
    room.gate.consoles = 0
    await room.gate.ask(a_call("send_sms", Caller("sms")))
    assert "denies it" in await sentence(room.gate.ask(a_call("tap", Caller("sms"))))


async def test_subscribers_get_every_question_and_its_outcome(room: Room) -> None:
    with room.gate.subscribe() as watch, room.gate.subscribe() as other:
        asking = [await room.ask() for _ in range(4)]
        questions = room.gate.pending()
        room.gate.answer(1, True, "Ann")
        room.gate.answer(2, False, "Bob")
        asking[2].cancel()
        await asyncio.gather(asking[2], return_exceptions=True)
        await room.clock.advance(45)
        await asyncio.gather(*asking, return_exceptions=True)
        for each in (watch, other):
            each.close()
            each.close()
            assert [change async for change in each] == [
                *(QuestionChange(one, "asked") for one in questions),
                QuestionChange(questions[0], "allowed", "Ann"),
                QuestionChange(questions[1], "denied", "Bob"),
                QuestionChange(questions[2], "withdrawn"),
                QuestionChange(questions[3], "unanswered"),
            ]
    await room.ask()
    assert [change async for change in watch] == []


async def test_a_slow_reader_loses_the_oldest_entries(room: Room) -> None:
    watch = room.gate.subscribe()
    for _ in range(600):
        await room.ask()
        room.gate.answer(room.gate.pending()[0].id, True, "")
    watch.close()
    seen = [change.pending.id async for change in watch]
    assert (len(seen), seen[-1]) == (999, 600)
