"""A program that plays tasks: `handheld tasks run --agent "python examples/task_agent.py"`.

It is an MCP client in the standard library alone. It can do one task, `airplane-mode`; put a model
where it says so. What it prints last is its answer.
"""

import json
import os
import sys
import urllib.request
from typing import Any


def call(tool: str, **arguments: Any) -> str:
    """Call a tool of the phone; return the text of its reply."""
    body = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": tool, "arguments": arguments},
    }
    request = urllib.request.Request(  # noqa: S310
        os.environ["PHONE_TASK_URL"],
        json.dumps(body).encode(),
        {
            "Authorization": f"Bearer {os.environ['PHONE_TASK_TOKEN']}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        },
    )
    with urllib.request.urlopen(request) as reply:  # noqa: S310
        result = json.load(reply)["result"]
    return "\n".join(item.get("text", "") for item in result["content"])


def main() -> None:
    sentence = os.environ["PHONE_TASK"]
    screen = call("phone_look")
    sys.stderr.write(f"{sentence}\n{screen}\n")
    # A model decides here what to do: it gets the sentence and the screen, calls tools until the
    # task is done, and answers.
    answer = "I do not know."
    if sentence == "Switch airplane mode on.":
        taps = [{"tool": "tap", "at": at} for at in ("Network & internet", "Airplane mode")]
        call("phone_do", steps=[{"tool": "open", "what": "Settings"}, *taps])
        answer = "It is on."
    sys.stdout.write(f"{answer}\n")


if __name__ == "__main__":
    main()
