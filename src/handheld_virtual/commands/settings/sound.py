"""Volumes: `media volume`, `cmd media_session volume` and `cmd audio`."""

import re

from ...packages.intent_arguments import BadIntent, Words
from ...system.volumes import Stream, find_stream
from ..call import WRONG, CommandCall, refuse
from ..exceptions import throw

_USAGE = """\
usage: {name} [subcommand] [options]
       {name} dispatch KEY
       {name} list-sessions
       {name} monitor <tag>
       {name} volume [options]
"""
_ADJUST = {"raise": 1, "same": 0, "lower": -1}
_NUMBER = re.compile(r"[-+]?\d{1,9}")
_ASKED = {
    "get-min-volume": "getStreamMinVolume",
    "get-max-volume": "getStreamMaxVolume",
    "get-stream-volume": "getStreamVolume",
}


async def media(call: CommandCall) -> None:
    """`media`: a Java program up to Android 10; since then its `volume` is `cmd media_session
    volume`."""
    await _run(call, call.arguments, "media")


async def media_session(call: CommandCall) -> None:
    words = call.arguments
    await _run(call, words, "media_session")


async def _run(call: CommandCall, words: list[str], name: str) -> None:
    match words:
        case ["volume", *options]:
            await _volume(call, Words(options, "volume"), name)
        case ["list-sessions", *_]:
            await call.write("Sessions:\n")
        case ["dispatch" | "monitor", *_]:
            pass
        case [] | ["help"] | ["-h"]:
            await call.write(_USAGE.format(name=name))
            call.code = 0 if words else WRONG
        case _:
            await _error(call, f"Error: unknown command '{words[0]}'", name)


async def _error(call: CommandCall, text: str, name: str) -> None:
    """Print the whole help and then the error."""
    await call.write(_USAGE.format(name=name))
    await refuse(call, text)


async def _volume(call: CommandCall, rest: Words, name: str) -> None:
    volumes = call.phone.world.volumes
    number, wanted, step, asked = 3, None, None, False
    try:
        while (option := rest.option()) is not None:
            match option:
                case "--get":
                    asked = True
                    await call.write("[v] will get volume\n")
                case "--show":
                    pass
                case "--stream":
                    number = _whole(rest.value())
                    found = find_stream(number)
                    called = "invalid stream" if found is None else found.name
                    await call.write(f"[v] will control stream={number} ({called})\n")
                case "--set":
                    wanted = _whole(rest.value())
                    await call.write(f"[v] will set volume to index={wanted}\n")
                case "--adj":
                    step = rest.value()
                    await call.write("[v] will adjust volume\n")
                case _:
                    raise BadIntent(
                        f"java.lang.IllegalArgumentException: Unknown argument {option}"
                    )
    except BadIntent as problem:
        await _error(call, str(problem), name)
        return
    if step is not None and step not in _ADJUST:
        text = f"Error: no valid volume adjustment, was {step}, expected lower|same|raise"
        await _error(call, text, name)
        call.code = 0
        return
    await call.write("[v] Connecting to AudioService\n")
    stream = find_stream(number)
    if stream is None:
        await _error(call, f"java.lang.IllegalArgumentException: Bad stream type {number}", name)
        return
    if wanted is not None and not stream.least <= wanted <= stream.most:
        text = (
            f"Error: invalid volume index {wanted} for stream {number} "
            f"(should be in [{stream.least}..{stream.most}])"
        )
        await _error(call, text, name)
        call.code = 0  # the program returns as after success
        return
    if wanted is not None:
        volumes.set(stream, wanted)
    elif step is not None:
        volumes.set(stream, volumes[stream] + _ADJUST[step])
    if asked:
        await call.write(
            f"[v] volume is {volumes[stream]} in range [{stream.least}..{stream.most}]\n"
        )


def _whole(word: str) -> int:
    if not _NUMBER.fullmatch(word):
        raise BadIntent(f'java.lang.NumberFormatException: For input string: "{word}"')
    return int(word)


async def audio(call: CommandCall) -> None:
    """`cmd audio`, which ignores unknown words and succeeds."""
    words = call.arguments
    world = call.phone.world
    if not words or words[0] in ("help", "-h"):
        await call.write("Audio manager commands:\n  help\n    Print this help text.\n")
        call.code = 0 if words else WRONG
        return
    verb, *rest = words
    if not world.android.audio_volume_command:
        return
    if verb == "set-volume" and len(rest) > 1:
        stream = await _stream(call, verb, rest[0])
        if stream is None or not _NUMBER.fullmatch(rest[1]):
            return
        text = f"calling AudioManager.setStreamVolume({stream.number}, {rest[1]}, 0)\n"
        await call.write(text)
        world.volumes.set(stream, int(rest[1]))
    elif verb in _ASKED and rest:
        stream = await _stream(call, verb, rest[0])
        if stream is None:
            return
        value = {
            "get-min-volume": stream.least,
            "get-max-volume": stream.most,
            "get-stream-volume": world.volumes[stream],
        }[verb]
        await call.write(f"AudioManager.{_ASKED[verb]}({stream.number}) -> {value}\n")


async def _stream(call: CommandCall, verb: str, word: str) -> Stream | None:
    stream = find_stream(int(word)) if _NUMBER.fullmatch(word) else None
    if stream is None:
        await throw(call, verb, f"java.lang.IllegalArgumentException: Bad stream type {word[:20]}")
    return stream
