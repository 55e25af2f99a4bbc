"""What programs that were killed left on the phone, as the next helper finds it."""

import pytest

from handheld.helper.protocol import LEFT_LIMIT, decode_json
from handheld_virtual.system.clipboard import PASSING, SENSITIVE, SHELL, Clip

from .conftest import Stage
from .test_odd_fields import SlowToPaste, node, show, typing


async def test_a_password_in_the_clipboard_of_a_killed_helper_is_taken_away(stage: Stage) -> None:
    host, first = await stage.start()
    assert "put_back" not in decode_json(first.payload)
    stage.world.clipboard.hold(Clip("the owner's", "org.example.vault"))
    show(stage, SlowToPaste(password=True, id="field"))
    await host.call("type", typing(node(stage), "ß"), act=True)
    await host.advance(100)
    assert stage.world.clipboard.paste() == "ß"
    await host.kill()
    assert stage.world.clipboard.paste() == "ß"
    _, hello = await stage.start()
    assert decode_json(hello.payload)["put_back"] == ["clipboard"]
    assert stage.world.clipboard.paste() is None


@pytest.mark.parametrize("extras", [(), (SENSITIVE,)])
async def test_other_clips_stay(stage: Stage, extras: tuple[str, ...]) -> None:
    stage.world.clipboard.hold(Clip("the owner's", SHELL, frozenset(extras)))
    _, hello = await stage.start()
    assert "put_back" not in decode_json(hello.payload)
    assert stage.world.clipboard.paste() == "the owner's"


async def test_a_clipboard_that_cannot_be_seen_keeps_no_helper_from_starting(stage: Stage) -> None:
    stage.world.clipboard.hold(Clip("x", SHELL, frozenset((PASSING,))))
    stage.world.clipboard.refusal = "Disallowed."
    host, hello = await stage.start()
    assert "put_back" not in decode_json(hello.payload)
    await host.ping()


@pytest.mark.parametrize("text", ["0123abcd dark_mode no\n", "", "\x01ä" * LEFT_LIMIT])
async def test_what_hosts_left_is_told_as_it_is(stage: Stage, text: str) -> None:
    host, hello = await stage.start()
    assert "left" not in decode_json(hello.payload)
    stage.leave(text)
    await host.kill()
    _, hello = await stage.start()
    assert decode_json(hello.payload)["left"] == text.encode()[:LEFT_LIMIT].decode("latin-1")


UNFINISHED = [f"handheld-helper-0123456789abcdef.jar.0000000{n}.tmp" for n in range(3)]


async def test_old_unfinished_jars_are_removed_before_hello(stage: Stage) -> None:
    others = [f"{UNFINISHED[0]}.old", "handheld-helper-mine.jar.00000000.tmp", "notes.tmp"]
    for name in (UNFINISHED[0], *others):
        stage.put(name, mtime=0)
    stage.put(UNFINISHED[1], mtime=2**32)
    stage.put(UNFINISHED[2])
    await stage.start()
    assert [name for name in UNFINISHED if stage.has(name)] == [UNFINISHED[2]]
    assert all(map(stage.has, others))


async def test_a_helper_that_may_not_use_the_phone_removes_nothing(stage: Stage) -> None:
    await stage.start("one")
    stage.put(UNFINISHED[0], mtime=0)
    await stage.start("two")
    assert stage.has(UNFINISHED[0])
