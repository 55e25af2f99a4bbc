"""Links and other URIs: opening them, and finding the apps that can."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from ...errors import InvalidParams
from ...phone.phone import Phone
from ...screen.characters import plain
from ...screen.text import brief, cut
from ..recording import ReplayMode, Secret
from ..tool import Action, Listing, Reply, Toolset, json_text
from .intent_params import IntentAction, IntentData, IntentType, MimeType, OpeningPackage, Uri

# The first call loads the implementation: most sessions do not use it.

links = Toolset("links")

MOST_LISTED = 200
INTENT_TOOL = "send_intent"


def _texts(arguments: Mapping[str, Any]) -> list[str]:
    """Raises InvalidParams."""
    from ...phone.intents.arguments import read_texts

    return read_texts(arguments, "uri", "package_name", "mime_type")


def _choose(arguments: Mapping[str, Any]) -> str:
    from ...phone.intents.arguments import says_more

    try:
        return "intent" if says_more(*_texts(arguments)) else "link"
    except InvalidParams:
        return "intent"


def _link_actions(listing: Listing) -> Action:
    actions = {
        "link": replace(listing, abilities=(listing.name,)),
        "intent": replace(listing, abilities=(listing.name, INTENT_TOOL)),
    }
    return Action(actions, _choose)


async def _apps_of_link(phone: Phone, arguments: Mapping[str, Any]) -> Iterable[str]:
    from ...phone.intents.arguments import make_link
    from ...phone.intents.intents import find_takers

    try:
        intent = make_link(*_texts(arguments))
    except InvalidParams:
        return ()  # the call fails for the same reason
    return await find_takers(phone, intent)


@links.tool(
    title="Open URI",
    open_world=True,
    secret_reply=Secret.NO,
    replay=ReplayMode.NEEDS_WEB,
    actions=_link_actions,
    about=_apps_of_link,
)
async def open_uri(
    phone: Phone, uri: Uri, package_name: OpeningPackage = None, mime_type: MimeType = None
) -> Reply:
    """Opens a link or another URI with the app that handles it, or a page of the settings
    (settings:wifi). The reply names that app. If several apps could open it and none is the
    default, nothing is opened and they are listed."""
    from ...phone.intents.arguments import make_link
    from ...phone.intents.intents import deliver, name_apps, tell_front

    intent = make_link(uri, package_name or "", mime_type or "")
    sent = await deliver(phone, intent, f"opens '{brief(uri.strip())}'")
    opened = f"Opened by {name_apps(sent.handlers)}."
    return [
        f"URI opened successfully: {brief(uri.strip())}",
        opened + tell_front(sent),
    ]


@links.tool(title="Find handlers", read_only=True, idempotent=True, secret_reply=Secret.NO)
async def find_handlers(
    phone: Phone,
    type: IntentType = "activity",
    action: IntentAction = None,
    data: IntentData = None,
    mime_type: MimeType = None,
) -> str:
    """Lists the apps that would take an intent, without sending it: for a link, give it as data.
    The default is the one that Android starts without asking."""
    from ...phone.intents.arguments import make_intent, make_link
    from ...phone.intents.uri import VIEW

    if not (action or data or mime_type):
        raise InvalidParams(
            "Give action, data or mime_type: an empty intent matches too many apps."
        )
    if data and not action:
        intent = replace(make_link(data, "", mime_type or ""), kind=type)
    else:
        chosen = action or (VIEW if type == "activity" else "")
        intent = make_intent(type, action=chosen, data=data or "", mime_type=mime_type or "")
    found = [each for each in await phone.driver.handlers(intent) if not phone.hides(each.package)]
    listed: dict[str, Any] = {
        "handlers": [
            {
                "package_id": handler.package,
                "class": handler.class_name,
                "label": cut(plain(handler.label), 100) or None,
                "default": handler.default,
            }
            for handler in found[:MOST_LISTED]
        ]
    }
    if len(found) > MOST_LISTED:
        listed["left_out"] = len(found) - MOST_LISTED
    return json_text(listed)
