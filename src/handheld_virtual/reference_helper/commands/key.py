"""The `key` command: presses a key in the focused field."""

from typing import TYPE_CHECKING, Any

from handheld.helper.protocol import Code, Happened, HelperFailure
from handheld.screen.model import Flag

from ..protocol.command import Answer, bad, check_keys, check_whole
from .field import CHARACTERS, NodeField, content_of
from .touch import need_injection

if TYPE_CHECKING:
    from ..helper import Helper
    from ..protocol.job import Job

LAST_CODE = 1023
LAST_META = 0xFFFFFF
KEYS = ("enter", "del", "tab", "space")
_ENTER = 66


def check_key(arguments: dict[str, Any]) -> None:
    check_keys(arguments, "key")
    if arguments["key"] not in KEYS:
        raise bad(f"`key` is not one of {', '.join(KEYS)}.")


def check_keycode(arguments: dict[str, Any]) -> None:
    check_keys(arguments, "code", "meta")
    check_whole(arguments["code"], "code", LAST_CODE)
    check_whole(arguments["meta"], "meta", LAST_META)


async def press_keycode(helper: "Helper", job: "Job") -> Answer:
    """Press and release a key in the focused view, with these modifiers held."""
    need_injection(helper.world)
    helper.world.key(job.arguments["code"], job.arguments["meta"], display=0)
    return Answer()


async def press_key(helper: "Helper", job: "Job") -> Answer:
    """Press the key at the cursor of the focused field."""
    world, key = helper.world, job.arguments["key"]
    if others := world.automation.focused_displays:
        message = f"The focus is on display {others[0]}."
        raise HelperFailure(Code.NO_FIELD, message, data={"displays": others})
    focused = next(
        (
            node
            for window in world.automation.read_windows()
            if window.focused
            for node in window.nodes
            if node.flags & Flag.FOCUSED and node.flags & Flag.EDITABLE
        ),
        None,
    )
    if focused is None:
        raise HelperFailure(Code.NO_FIELD, "No field has the focus.")
    field = NodeField(world, job, focused)
    held = content_of(focused)
    if key == "enter":
        await _enter(field, held)
        return Answer()
    expected = field.expected(key)
    accepted = await (field.delete() if key == "del" else field.put(CHARACTERS[key]))
    shown = field.read()
    if shown is None and accepted:
        return Answer()
    changed = shown is not None and not field.is_same(held, shown)
    if shown is None or not (changed if expected is None else field.is_same(expected, shown)):
        # In a password field, the key may have an effect that cannot be seen.
        unseen = Happened.MAYBE if field.password else Happened.NO
        job.happened = Happened.PARTLY if changed else unseen
        raise HelperFailure(Code.FAILED, "The field did not take the key.")
    return Answer()


async def _enter(field: NodeField, held: str) -> None:
    """Inject the key; if injection is refused, use the accessibility action."""
    job = field.job
    lines = field.world.automation.multi_line(field.key)
    unseen = Happened.MAYBE
    try:
        need_injection(field.world)
        field.world.key(_ENTER, display=0)
    except HelperFailure:
        if not (await field.put("\n") if lines else field.perform("ime_enter")):
            job.happened = Happened.NO
            raise
        unseen = Happened.NO
    job.happened = Happened.MAYBE
    # In single-line fields nothing shows whether Enter had an effect.
    if lines and field.is_same(held, await field.read_changed(held)) and field.focused:
        job.happened = unseen
        raise HelperFailure(Code.FAILED, "The field has no new line.")
