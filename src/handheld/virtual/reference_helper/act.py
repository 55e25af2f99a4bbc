"""What the reference helper does to one view, once it is known to be what was expected."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from ...helper.protocol import Code, Happened, HelperFailure, mend_text
from ...ui.model import Flag, Node
from ..world import World
from .command import Answer, bad, check_keys, check_text

if TYPE_CHECKING:
    from .helper import Helper, Job

ACTIONS = {
    "click": Flag.CLICKABLE,
    "long_click": Flag.LONG_CLICKABLE,
    "scroll_forward": Flag.SCROLLABLE,
    "scroll_backward": Flag.SCROLLABLE,
    "focus": Flag.FOCUSABLE,
}
_LOOKS = {"class", "resource_id", "description", "text"}


def check_act(arguments: dict[str, Any]) -> None:
    check_keys(arguments, "key", "action", "expect", "anchor")
    # Not the mapping itself, which could not look up a list.
    if arguments["action"] not in list(ACTIONS):
        raise bad(f"`action` is not one of {', '.join(ACTIONS)}.")
    check_target(arguments)


def check_target(arguments: dict[str, Any]) -> None:
    check_text(arguments["key"], "key")
    _check_looks(arguments["expect"], "expect", _LOOKS)
    anchor = arguments["anchor"]
    if anchor is not None:
        _check_looks(anchor, "anchor", _LOOKS | {"key"})
        check_text(anchor.get("key"), "anchor.key")


def _check_looks(value: Any, name: str, known: set[str]) -> None:
    if not isinstance(value, dict):
        raise bad(f"`{name}` is not an object.")
    looks = cast(dict[str, Any], value)
    if not looks.keys() <= known:
        raise bad(f"`{name}` has keys other than {', '.join(sorted(known))}.")
    if not all(part is None or isinstance(part, str) for part in looks.values()):
        raise bad(f"`{name}` holds something else than strings.")


async def act(helper: "Helper", job: "Job") -> Answer:
    world, arguments = helper.world, job.arguments
    key, action = arguments["key"], arguments["action"]
    node = find_target(world, arguments)
    if not node.flags & ACTIONS[action]:
        raise HelperFailure(Code.NOT_ACTIONABLE, f"The view does not offer {action}.")
    if not world.automation.perform(key, action) and not _is_done(world, key, action):
        # The false of a long click may come from a listener that was called.
        happened = Happened.MAYBE if action == "long_click" else Happened.NO
        raise HelperFailure(Code.FAILED, f"The view did not accept {action}.", happened)
    return Answer()


def _is_done(world: World, key: str, action: str) -> bool:
    """A view that has the focus answers false when it is to take it."""
    now = world.automation.node(key) if action == "focus" else None
    return now is not None and now.flags & Flag.FOCUSED != 0


def find_target(world: World, arguments: Mapping[str, Any]) -> Node:
    """The node that is meant, once it and its anchor are known to be what was expected."""
    node = _expected(world, arguments["key"], arguments["expect"])
    anchor = arguments["anchor"]
    if anchor is not None:
        _expected(world, anchor["key"], anchor)
    return node


def _expected(world: World, key: str, looks: Mapping[str, str | None]) -> Node:
    node = world.automation.node(key)
    if node is None:
        raise HelperFailure(Code.GONE, "The view is gone.")
    found = {
        "class": node.class_name,
        "resource_id": node.resource_id,
        "description": node.description,
        "text": node.text,
    }
    # Compared as it was sent: what cannot be said on the wire was replaced there.
    if any(_mended(found[name]) != wanted for name, wanted in looks.items() if name != "key"):
        raise HelperFailure(Code.CHANGED, "The view shows something else than expected.")
    return node


def _mended(text: str | None) -> str | None:
    return text and mend_text(text)
