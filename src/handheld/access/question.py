"""A question as a person is asked it, as JSON."""

import json
from collections.abc import Mapping
from typing import Any

from ..toolkit.call import Beside, ToolCall
from ..toolkit.listing import OTHER_DEVICE
from .approval import Pending

MOST = 200_000
"""Characters of the arguments as JSON in ASCII. It fits into one message of a fleet."""
_PHONES = ("device", "phone", OTHER_DEVICE)
"""Arguments that say which phone is meant, which a question tells beside them."""


def question(pending: Pending) -> dict[str, Any]:
    """The arguments are unmasked and whole: a yes is for what was shown."""
    call = pending.call
    return {
        "id": pending.id,
        "call": call.id,
        "tool": call.tool,
        "title": call.listing.title,
        "arguments": _shown(call),
        "phone": call.phone,
        "app": ", ".join(app for app in call.apps if not isinstance(app, Beside)),
        "screen": call.screen,
        "subject": call.subject,
        "client": call.caller.client,
        "door": call.caller.transport,
        "token": call.caller.token,
        "asked_at": pending.asked_at,
        "until": pending.until,
        "rule": pending.rule,
        "package": call.listing.offer.package if call.listing.offer else "",
        "allow_by": {"setting": pending.remedy.setting, "command": pending.remedy.command},
        "always": pending.remedy.app is not None,
    }


def length(call: ToolCall) -> int:
    """Of what a person would be shown of the arguments."""
    return len(json.dumps(_shown(call)))


def _shown(call: ToolCall) -> dict[str, Any]:
    """What the tool declares, in its order. A caller's own arguments do nothing and could push the
    others out of sight: it is only told that there are some."""
    declared: Mapping[str, Any] = call.listing.input_schema.get("properties", {})
    shown = {name: call.arguments[name] for name in declared if name in call.arguments}
    if more := sum(name not in declared and name not in _PHONES for name in call.arguments):
        note = "…"
        while note in shown:
            note += "…"
        shown[note] = f"{more} more that the tool does not declare, which do nothing"
    return shown
