"""A served task: an MCP client plays it, another command resets and checks it."""

import json
import stat
import sys
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import httpx
import pytest

from handheld.cli.cost import estimate
from handheld.tasks.agents import by_program
from handheld.tasks.book import TASKS
from handheld.tasks.playing import Result, play_all, play_task
from handheld.tasks.serving import Control, TaskServerGone, ask, serving
from handheld.tasks.task_phone import TaskPhone
from harness.polling import HANG

AGENT = Path(__file__).resolve().parents[2] / "examples" / "task_agent.py"
BAD_SCENE = """\
from handheld.tasks.task import Book, Plan

BOOK = Book("one app")
BOOK.task("bad")(lambda draw: Plan("Do it.", lambda world, answer: "", [], scene="no-such-scene"))
"""


class Served:
    def __init__(self, file: Path, phone: TaskPhone, http: httpx.AsyncClient, url: str) -> None:
        self.file, self.phone, self.url = file, phone, url
        self._http = http

    async def call(self, tool: str, **arguments: Any) -> str:
        body = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": tool, "arguments": arguments},
        }
        result = (await self._http.post(self.url, json=body)).json()["result"]
        return "\n".join(item["text"] for item in result["content"])


@pytest.fixture
async def served(tmp_path: Path) -> AsyncGenerator[Served]:
    phone, file = TaskPhone(), tmp_path / "state" / "tasks.json"
    try:
        await phone.start(TASKS["airplane-mode"], 1)
        async with (
            serving(phone) as (url, token),
            Control(phone, url, token, estimate).listening(file),
            httpx.AsyncClient(
                headers={"Authorization": f"Bearer {token}"}, trust_env=False, timeout=HANG
            ) as http,
        ):
            yield Served(file, phone, http, url)
    finally:
        await phone.aclose()


async def test_a_client_does_the_task_and_the_check_counts_its_calls(served: Served) -> None:
    before = await ask(served.file, do="check")
    assert (before["done"], before["calls"]) == (False, 0)
    steps = [
        {"tool": "open", "what": "Settings"},
        {"tool": "tap", "at": "Network & internet"},
        {"tool": "tap", "at": "Airplane mode"},
    ]
    reply = await served.call("phone_do", steps=steps)
    after = await ask(served.file, do="check")
    assert (after["done"], after["success"], after["calls"]) == (True, True, 1)
    assert after["tokens"] >= estimate(reply)


async def test_a_reset_leaves_nothing_of_the_task_before(served: Served) -> None:
    shown = await served.call("phone_open", what="Settings")
    ref = next(word for word in shown.split() if word[1:].isdigit() and word[0].isalpha())
    reply = await ask(served.file, do="start", task="note-new", seed=5)
    assert reply["sentence"] == TASKS["note-new"].draw(5).sentence
    assert reply["url"] == served.url
    assert "launcher" in await served.call("phone_look")
    gone = await served.call("phone_tap", at=ref)
    assert "Tapped" not in gone
    checked = await ask(served.file, do="check")
    assert (checked["task"], checked["seed"], checked["calls"]) == ("note-new", 5, 2)
    assert served.phone.device.world.front.app.package == "com.android.launcher3"


async def test_a_task_that_is_not_there_or_cannot_start_is_refused_and_the_running_one_stays(
    served: Served,
) -> None:
    assert "problem" in await ask(served.file, do="start", task="nonsense", seed=1)
    book = served.file.with_name("book.py")
    book.write_text(BAD_SCENE, encoding="utf-8")
    refused = await ask(served.file, do="start", task="bad", seed=1, book=str(book))
    assert "no-such-scene" in refused["problem"]
    assert (await ask(served.file, do="check"))["task"] == "airplane-mode"
    assert "launcher" in await served.call("phone_look")


async def test_the_control_file_is_private_and_the_agents_token_does_not_open_the_control(
    served: Served,
) -> None:
    known = json.loads(served.file.read_bytes())
    assert stat.S_IMODE(served.file.stat().st_mode) == 0o600
    other = served.file.with_name("other.json")
    other.write_text(json.dumps({**known, "key": "guess"}), encoding="utf-8")
    with pytest.raises(TaskServerGone):
        await ask(other, do="check")


async def test_without_a_served_task_the_message_says_how_to_start_one(tmp_path: Path) -> None:
    with pytest.raises(TaskServerGone, match="handheld tasks start"):
        await ask(tmp_path / "tasks.json", do="check")


async def played_by(command: str, name: str = "was-it-sent", seconds: float = 60) -> Result:
    play = by_program(command, seconds)
    return await play_task(TASKS[name], 1, play, estimate, speed=None)


async def test_a_program_finds_the_phone_and_the_sentence_in_its_environment() -> None:
    played = await played_by(f"{sys.executable} {AGENT}")
    assert played.answer == "I do not know."
    assert (played.calls, played.failed_calls, played.done) == (1, 0, False)
    assert "I do not know." in played.why


@pytest.mark.slow
async def test_the_example_of_an_agent_does_a_task() -> None:
    played = await played_by(f"{sys.executable} {AGENT}", "airplane-mode")
    assert (played.success, played.calls, played.answer) == (True, 2, "It is on.")


@pytest.mark.matrix
async def test_a_program_gets_the_address_of_the_surface_that_it_is_to_use() -> None:
    commands = {
        surface: by_program("sh -c 'echo $PHONE_TASK_URL'", 60, surface)
        for surface in ("agent", "main")
    }
    urls = {
        surface: (await play_task(TASKS["login"], 1, play, estimate, speed=None)).answer
        for surface, play in commands.items()
    }
    assert urls["agent"].endswith("/mcp/agent")
    assert urls["main"].endswith("/mcp")


async def test_the_last_line_that_a_program_prints_is_its_answer() -> None:
    wanted = TASKS["was-it-sent"].draw(1).answer
    played = await played_by(f"printf 'thinking\\n{wanted}\\n\\n'")
    assert (played.answer, played.done, played.success) == (wanted, True, True)


@pytest.mark.parametrize(
    ("command", "seconds", "why"),
    [
        ("sh -c 'sleep 600 & sleep 600'", 0.05, "had not ended after 0.05 s"),
        pytest.param("sh -c 'exit 3'", 60, "ended with exit code 3", marks=pytest.mark.matrix),
        pytest.param("/no/such/program", 60, "does not start", marks=pytest.mark.matrix),
    ],
)
async def test_a_program_that_fails_is_a_failed_task(
    command: str, seconds: float, why: str
) -> None:
    played = await played_by(command, seconds=seconds)
    assert not played.success
    assert why in played.why


@pytest.mark.matrix
async def test_results_are_in_order_and_no_more_phones_run_than_asked_for() -> None:
    running = most = 0

    async def play(name: str) -> Result:
        nonlocal running, most
        running += 1
        most = max(most, running)
        played = await played_by("printf no", name)
        running -= 1
        return played

    names = ["was-it-sent", "is-bluetooth-on", "is-the-file-there"]
    results = await play_all([lambda name=name: play(name) for name in names], 2)
    assert [result.task for result in results] == names
    assert most == 2
