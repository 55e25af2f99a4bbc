"""The `act` command: performs an action on a view after checking that it is the expected one."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from handheld.helper.protocol import Code, Happened, HelperFailure, replace_lone_surrogates
from handheld.screen.model import Flag, Node, mask_password

from ...world import World
from ..protocol.command import Answer, bad, check_keys, check_text

if TYPE_CHECKING:
    from ..helper import Helper
    from ..protocol.job import Job

ACTIONS = {
    "click": Flag.CLICKABLE,
    "long_click": Flag.LONG_CLICKABLE,
    "scroll_forward": Flag.SCROLLABLE,
    "scroll_backward": Flag.SCROLLABLE,
    "focus": Flag.FOCUSABLE,
}
SIGNATURE = {"class", "resource_id", "description", "text"}


def check_act(arguments: dict[str, Any]) -> None:
    check_keys(arguments, "key", "action", "expect", "anchor")
    # Not in the mapping itself: a list from JSON is not hashable.
    if arguments["action"] not in list(ACTIONS):
        raise bad(f"`action` is not one of {', '.join(ACTIONS)}.")
    check_target(arguments)


def check_target(arguments: dict[str, Any]) -> None:
    check_text(arguments["key"], "key")
    check_signature(arguments["expect"], "expect", SIGNATURE)
    anchor = arguments["anchor"]
    if anchor is not None:
        check_signature(anchor, "anchor", SIGNATURE | {"key"})
        check_text(anchor.get("key"), "anchor.key")


def check_signature(value: Any, name: str, known: set[str]) -> None:
    if not isinstance(value, dict):
        raise bad(f"`{name}` is not an object.")
    signature = cast(dict[str, Any], value)
    if not signature.keys() <= known:
        raise bad(f"`{name}` has keys other than {', '.join(sorted(known))}.")
    if not all(part is None or isinstance(part, str) for part in signature.values()):
        raise bad(f"`{name}` holds something else than strings.")


async def act(helper: "Helper", job: "Job") -> Answer:
    world, arguments = helper.world, job.arguments
    key, action = arguments["key"], arguments["action"]
    # A good approximation: on a phone, the helper compares and acts well within a frame.
    with world.timers.one_moment():
        node = find_target(world, arguments)
        if not node.flags & ACTIONS[action]:
            raise HelperFailure(Code.NOT_ACTIONABLE, f"The view does not offer {action}.")
        accepted = world.automation.perform(key, action)
    if not accepted and not _is_done(world, key, action):
        # A long click can return false although its listener was called.
        happened = Happened.MAYBE if action == "long_click" else Happened.NO
        raise HelperFailure(Code.FAILED, f"The view did not accept {action}.", happened)
    return Answer()


def _is_done(world: World, key: str, action: str) -> bool:
    """Return whether the view already has the focus, because such a view returns false for the
    action."""
    now = world.automation.node(key) if action == "focus" else None
    return now is not None and now.flags & Flag.FOCUSED != 0


def find_target(world: World, arguments: Mapping[str, Any]) -> Node:
    """Return the target node after checking its signature and its anchor's."""
    node = _expected(world, arguments["key"], arguments["expect"])
    anchor = arguments["anchor"]
    if anchor is not None:
        _expected(world, anchor["key"], anchor)
    return node


def _expected(world: World, key: str, signature: Mapping[str, str | None]) -> Node:
    node = world.automation.node(key)
    if node is None:
        raise HelperFailure(Code.GONE, "The view is gone.")
    if not has_signature(node, signature):
        raise HelperFailure(Code.CHANGED, "The view shows something else than expected.")
    return node


def has_signature(node: Node, signature: Mapping[str, str | None]) -> bool:
    found = {
        "class": node.class_name,
        "resource_id": node.resource_id,
        "description": node.description,
        "text": mask_password(node.text, node.flags),
    }
    # Compared as sent, with the replacements of characters that the protocol cannot carry.
    return all(
        _as_sent(found[name]) == wanted for name, wanted in signature.items() if name != "key"
    )


def _as_sent(text: str | None) -> str | None:
    return text and replace_lone_surrogates(text)
