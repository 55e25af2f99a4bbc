"""The example of an agent with a language model. A scripted endpoint stands in for the model."""

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from handheld.cli.cost import estimate
from handheld.tasks.agents import by_program
from handheld.tasks.book import TASKS
from handheld.tasks.playing import Result, play_task
from harness.polling import HANG

AGENT = Path(__file__).resolve().parents[2] / "examples" / "llm_agent.py"
STEPS = [
    {"tool": "open", "what": "Settings"},
    {"tool": "tap", "at": "Network & internet"},
    {"tool": "tap", "at": "Airplane mode"},
]
Answer = tuple[int, dict[str, Any]]
BUSY: Answer = (429, {"error": {"message": "later"}})


def by_anthropic(*content: dict[str, Any]) -> Answer:
    return 200, {"content": content, "usage": {"input_tokens": 1000, "output_tokens": 20}}


def by_openai(**message: Any) -> Answer:
    usage = {"prompt_tokens": 1000, "completion_tokens": 20}
    return 200, {"choices": [{"message": {"role": "assistant", **message}}], "usage": usage}


def function(id: str, name: str, arguments: str) -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


class Model:
    """Gives its answers in turn, and keeps what it was asked."""

    def __init__(self, answers: Sequence[Answer]) -> None:
        self._answers = iter(answers)
        self.heads: list[str] = []
        self.asked: list[dict[str, Any]] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        [length] = [line[16:] for line in head.splitlines() if line.startswith("Content-Length: ")]
        self.heads.append(head)
        self.asked.append(json.loads(await reader.readexactly(int(length))))
        code, body = next(self._answers)
        data = json.dumps(body).encode()
        begin = f"HTTP/1.1 {code} -\r\nRetry-After: 0\r\nContent-Length: {len(data)}\r\n\r\n"
        writer.write(begin.encode() + data)
        writer.close()


@asynccontextmanager
async def answering(*answers: Answer) -> AsyncGenerator[tuple[Model, str]]:
    model = Model(answers)
    async with await asyncio.start_server(model.serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        yield model, f"http://127.0.0.1:{port}"


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "HTTP_PROXY", "http_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LLM_MODEL", "scripted")
    monkeypatch.setenv("LLM_PRICE", "3,15")


async def played() -> Result:
    play = by_program(f"{sys.executable} {AGENT}", HANG)
    return await play_task(TASKS["airplane-mode"], 1, play, estimate, speed=None)


async def test_a_model_of_anthropic_does_a_task(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    use = {"type": "tool_use", "id": "u1", "name": "phone_do", "input": {"steps": STEPS}}
    wrong = {"type": "tool_use", "id": "u2", "name": "phone_tap", "input": {}}
    end = {"type": "text", "text": "It is on."}
    async with answering(BUSY, by_anthropic(use, wrong), by_anthropic(end)) as (model, url):
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "a-key")
        result = await played()
    assert (result.success, result.calls, result.failed_calls) == (True, 2, 1)
    assert result.answer == "It is on."
    _, first, last = model.asked
    assert "x-api-key: a-key" in model.heads[0].lower()
    assert first["messages"] == [{"role": "user", "content": "Switch airplane mode on."}]
    assert {"phone_look", "phone_do"} <= {tool["name"] for tool in first["tools"]}
    done, failed = last["messages"][-1]["content"]
    assert (done["tool_use_id"], done["is_error"]) == ("u1", False)
    assert "Airplane mode" in done["content"][0]["text"]
    assert (failed["tool_use_id"], failed["is_error"]) == ("u2", True)
    assert "2 calls, 1 of them failed; 2000 tokens in, 40 out; $0.0066" in capfd.readouterr().err


async def test_a_model_behind_the_api_of_openai_does_a_task(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    uses = [
        function("u1", "phone_do", json.dumps({"steps": STEPS})),
        function("u2", "phone_tap", '{"at": '),
        function("u3", "tap", "{}"),
    ]
    answers = (by_openai(content=None, tool_calls=uses), by_openai(content="It is\non."))
    async with answering(*answers) as (model, url):
        monkeypatch.setenv("OPENAI_BASE_URL", f"{url}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", "a-key")
        result = await played()
    assert (result.success, result.answer) == (True, "It is on.")
    assert "authorization: bearer a-key" in model.heads[0].lower()
    texts = {each["tool_call_id"]: each["content"] for each in model.asked[1]["messages"][-3:]}
    assert "Airplane mode" in texts["u1"]
    assert "The arguments are not JSON" in texts["u2"]
    assert "Unknown tool" in texts["u3"]


async def test_a_model_that_does_not_answer_fails_the_task(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    async with answering((401, {"error": {"message": "no such key"}})) as (_, url):
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        monkeypatch.setenv("OPENAI_API_KEY", "a-key")
        result = await played()
    assert not result.success
    assert "ended with exit code 1" in result.why
    assert "answers 401" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("variables", "says"),
    [
        ({"LLM_MODEL": "x"}, "ANTHROPIC_API_KEY or OPENAI_API_KEY"),
        ({"OPENAI_API_KEY": "x"}, "Set LLM_MODEL"),
        ({"OPENAI_API_KEY": "x", "LLM_MODEL": "x"}, "Say what to do"),
    ],
)
def test_what_is_missing_is_said(variables: dict[str, str], says: str) -> None:
    run = subprocess.run(
        [sys.executable, AGENT],
        env=variables,
        capture_output=True,
        encoding="utf-8",
        timeout=HANG,
        check=False,
    )
    assert (run.returncode, run.stdout) == (1, "")
    assert says in run.stderr
