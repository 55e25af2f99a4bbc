"""Make docs/demo.webp: an agent's calls on the virtual phone, beside the phone's screen.

The server, the phone, `handheld record` and the replies are the product's own; the calls are those
of STORY, because a model would make other ones every time. What the screen showed when is taken
from the recording; waits of more than MOST seconds are shown shorter.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import font_roboto
import httpx
from PIL import Image, ImageDraw, ImageFont, ImageSequence

from handheld.cli.cost import estimate

TARGET = Path(__file__).resolve().parent.parent / "docs" / "demo.webp"
ASKED = (
    "Did anybody write? Tell Ada that I will come, make a note of it, and go dark for the night."
)
STORY: tuple[tuple[str, dict[str, Any]], ...] = (
    ("phone_read", {"what": "notifications"}),
    ("phone_open", {"what": "Messages"}),
    ("phone_tap", {"at": "Ada Lovelace"}),
    ("phone_type", {"text": "Yes, see you on Friday!", "into": "Text message"}),
    ("phone_tap", {"at": "Send Message"}),
    (
        "phone_do",
        {
            "steps": [
                {"tool": "open", "what": "Notes"},
                {"tool": "tap", "at": "New note"},
                {"tool": "type", "text": "Friday", "into": "Title"},
                {"tool": "type", "text": "Ada shows her engine", "into": "Write something"},
                {"tool": "tap", "at": "Save"},
            ]
        },
    ),
    ("phone_open", {"what": "settings:display"}),
    ("phone_tap", {"at": "Dark theme"}),
)
PAUSE, MOST, LAST = 1.6, 1.8, 4.0
"""Seconds between two calls, that a picture is shown at most, and that the last one is."""
SCREEN, WIDTH, GAP = 620, 900, 20
LINE, LETTERS, REPLY_LINES = 19, 70, 5
PAPER, FRAME, CALL, REPLY, PERSON = "#15191d", "#2a3036", "#7fd1b9", "#b4bcc4", "#ffffff"
FONT = ImageFont.truetype(Path(font_roboto.font_directory) / "Roboto-Medium.ttf", 15)


@dataclass
class Call:
    began: float
    ended: float
    name: str
    arguments: dict[str, Any]
    reply: str


def play(folder: Path) -> tuple[list[Call], Path]:
    """Record the story; return its calls, in seconds from the beginning, and the recording."""
    environment = os.environ | {"HANDHELD_HOME": str(folder)}
    program = [sys.executable, "-m", "handheld"]
    serve = [*program, "serve", "--phone", "virtual", "--port", "0"]
    server = subprocess.Popen(serve, env=environment, stdout=subprocess.PIPE, encoding="utf-8")
    try:
        assert server.stdout is not None
        url = next(line.split()[-1] for line in server.stdout if "/mcp/agent" in line)
        token = subprocess.check_output(
            [*program, "token", "show"], env=environment, encoding="utf-8"
        ).strip()
        recording = folder / "screen.webp"
        record = [*program, "record", "--size", str(SCREEN), "-o", str(recording)]
        recorder = subprocess.Popen(
            record, env=environment, stderr=subprocess.PIPE, encoding="utf-8"
        )
        assert recorder.stderr is not None
        next(line for line in recorder.stderr if line.startswith("Recording for"))
        calls = list(make_calls(url, token))
        recorder.send_signal(signal.SIGINT)
        recorder.communicate()
        return calls, recording
    finally:
        server.terminate()
        server.wait()


def make_calls(url: str, token: str) -> Iterator[Call]:
    begun = time.monotonic()
    headers = {"Authorization": f"Bearer {token}"}
    for name, arguments in STORY:
        time.sleep(PAUSE)
        began = time.monotonic() - begun
        params = {"name": name, "arguments": arguments}
        request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        answer = httpx.post(url, json=request, headers=headers, timeout=60).json()["result"]
        reply = answer["content"][0]["text"]
        if answer.get("isError"):
            raise RuntimeError(f"{name}: {reply}")
        yield Call(began, time.monotonic() - begun, name, arguments, reply)
    time.sleep(PAUSE)


def read_frames(recording: Path | BytesIO) -> list[tuple[float, Image.Image]]:
    """The pictures of the recording, each with the second in which it begins."""
    frames: list[tuple[float, Image.Image]] = []
    at = 0.0
    with Image.open(recording) as opened:
        for frame in ImageSequence.Iterator(opened):
            frames.append((at, frame.convert("RGB")))
            at += frame.info["duration"] / 1000
    return frames


Line = tuple[int, str, str]
"""How far it is indented, its text and its colour."""


def describe_call(call: Call) -> list[Line]:
    steps = call.arguments.get("steps", [call.arguments])
    words = [", ".join(f"{name}: {value}" for name, value in step.items()) for step in steps]
    if len(words) == 1:
        return [(0, f"{call.name}  {words[0]}", CALL)]
    return [(0, call.name, CALL), *((20, each, CALL) for each in words)]


def describe_reply(call: Call) -> list[Line]:
    lines = [textwrap.shorten(line, LETTERS, placeholder=" …") for line in call.reply.splitlines()]
    if len(lines) > REPLY_LINES:
        lines[REPLY_LINES - 1 :] = [f"… {len(lines) - REPLY_LINES + 1} more lines"]
    return [(20, line, REPLY) for line in lines]


def write_log(calls: list[Call], now: float) -> list[Line]:
    """Return what stands beside the screen at that second: the question, and the latest calls."""
    asked = [(0, line, PERSON) for line in textwrap.wrap(f"“{ASKED}”", LETTERS)]
    parts = [
        [(0, "", CALL), *describe_call(call), *(describe_reply(call) if call.ended <= now else [])]
        for call in calls
        if call.began <= now
    ]
    if calls[-1].ended < now:
        tokens = sum(estimate(json.dumps(call.arguments) + call.reply) for call in calls)
        end = f"Done: {len(calls)} calls, about {round(tokens, -1)} tokens."
        parts.append([(0, "", PERSON), (0, end, PERSON)])
    while len(asked) + sum(map(len, parts)) > SCREEN // LINE:
        del parts[0]
    return [*asked, *(line for part in parts for line in part)]


def compose(screen: Image.Image, lines: list[Line]) -> Image.Image:
    sheet = Image.new("RGB", (WIDTH, SCREEN + 2 * GAP), PAPER)
    draw = ImageDraw.Draw(sheet)
    mask = Image.new("L", screen.size, 0)
    ImageDraw.Draw(mask).rounded_rectangle((0, 0, *screen.size), 16, fill=255)
    edge = (GAP - 3, GAP - 3, GAP + screen.width + 2, GAP + screen.height + 2)
    draw.rounded_rectangle(edge, 18, fill=FRAME)
    sheet.paste(screen, (GAP, GAP), mask)
    left = 2 * GAP + screen.width
    for row, (indent, text, colour) in enumerate(lines):
        draw.text((left + indent, GAP + row * LINE), text, fill=colour, font=FONT)
    return sheet


def shown(frames: list[tuple[float, Image.Image]]) -> list[bytes]:
    return [picture.tobytes() for _, picture in frames]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        calls, recording = play(Path(folder))
        frames = read_frames(recording)
    moments = sorted(
        {at for at, _ in frames}
        | {moment for call in calls for moment in (call.began, call.ended)}
        | {calls[-1].ended + PAUSE}
    )
    pictures: list[Image.Image] = []
    for now in moments:
        screen = [picture for at, picture in frames if at <= now][-1]
        pictures.append(compose(screen, write_log(calls, now)))
    lasts = [min(MOST, then - now) for now, then in pairwise(moments)]
    durations = [max(40, round(1000 * each)) for each in (*lasts, LAST)]
    first, *others = pictures
    file = BytesIO()
    first.save(
        file,
        "WEBP",
        save_all=True,
        append_images=others,
        duration=durations,
        loop=0,
        quality=95,
        method=6,
    )
    # How long each call took differs every time, and alone is no reason for another file.
    if TARGET.exists() and shown(read_frames(file)) == shown(read_frames(TARGET)):
        print(f"{TARGET.name} shows the same already")
        return
    TARGET.write_bytes(file.getvalue())
    length, size = sum(durations) / 1000, len(file.getvalue())
    print(f"{TARGET.name}: {length:.0f} s, {len(pictures)} pictures, {size} bytes")


if __name__ == "__main__":
    main()
