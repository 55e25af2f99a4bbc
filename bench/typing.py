"""Typing speed: a text typed over HTTP on a virtual phone, in real time."""

import time
from pathlib import Path

from handheld.adb.direct import DirectLink
from handheld.adb.shell import run

from .client import Client
from .figures import Figure, of_rounds
from .ports import keep_port
from .programs import TOKEN, server, virtual_phone

CHARACTERS = 200
PAUSE_MS = 10
TURNS = 5


async def measure(home: Path) -> list[Figure]:
    text = ("The quick brown fox jumps over the lazy dog, 0123456789. " * 4)[:CHARACTERS]
    port = keep_port()
    lost = 0
    drifts: list[float] = []
    async with (
        virtual_phone(home) as (_, phone_port),
        server(home, f"127.0.0.1:{phone_port}", port),
        Client("127.0.0.1", port, TOKEN) as client,
    ):
        field = await _open_form(client, phone_port)
        arguments = {
            "element_id": field,
            "text": text,
            "typing_speed": PAUSE_MS,
            "typing_speed_variance": 0,
        }
        nominal = (CHARACTERS - 1) * PAUSE_MS
        for _ in range(TURNS):
            start = time.perf_counter()
            reply = await client.call("android_type_append_text", arguments)
            spent = (time.perf_counter() - start) * 1000
            drifts.append(abs(spent / nominal - 1))
            content = reply["content"][0]["text"].partition("\nField content: ")[2]
            lost += abs(CHARACTERS - len(content)) + sum(
                actual != expected for actual, expected in zip(content, text, strict=False)
            )
            await client.call("android_type_clear_text", {"element_id": field})
    name = f"typing {CHARACTERS} characters, {PAUSE_MS} ms each"
    return [
        Figure(f"{name}: lost or wrong", lost, "", 0, gates=True),
        of_rounds(f"{name}: drift", drifts, "x", 0.1, gates=True),
    ]


async def _open_form(client: Client, phone_port: int) -> str:
    """Open the contact form and return the id of a field."""
    link = await DirectLink.connect("127.0.0.1", phone_port)
    try:
        answer = await run(link, ["am", "start", "-n", "dev.handheld.form/.ContactForm"])
    finally:
        await link.aclose()
    if answer.code:
        raise RuntimeError(f"The form did not open: {answer.stderr!r}")
    screen = (await client.call("android_get_screen_state", {}))["content"][0]["text"]
    return next(line.split("\t")[0] for line in screen.split("\n") if ":id/notes\t" in line)
