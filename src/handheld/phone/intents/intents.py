"""Sends intents for tools: checks the rules, delivers, and explains failures."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ...driver.intents import ComponentKind, Handler, Intent, NotDelivered, Sent, Undelivered
from ...errors import ActionFailed, InvalidParams, PermissionDenied
from ...screen.characters import plain
from ...screen.text import brief, cut
from ..phone import Phone
from .rules import PAGE_NAMES, SETTINGS, find_prohibition

MOST_NAMED = 8
_NOUNS: Mapping[ComponentKind, str] = {
    "activity": "activity",
    "service": "service",
    "broadcast": "receiver",
}


async def find_takers(phone: Phone, intent: Intent) -> list[str]:
    """Return the packages of the apps that would get the intent, for rules on apps."""
    found = await phone.driver.handlers(intent)
    return list(dict.fromkeys(handler.package for handler in found if handler.default))


async def deliver(phone: Phone, intent: Intent, predicate: str) -> Sent:
    """Send the intent to its handler. `predicate` completes "No app on this phone …", such as
    `opens 'foo://x'`. Raises ToolError."""
    if prohibited := find_prohibition(intent):
        raise PermissionDenied(f"{prohibited} Nothing was done.")
    if intent.kind != "activity" and not intent.package:
        raise InvalidParams(
            f"A {intent.kind} needs component or package_name: without one Android does not deliver"
            " it to apps."
        )
    try:
        if phone.judges_apps:
            intent = await _pin(phone, intent)
        return await phone.driver.send_intent(intent)
    except NotDelivered as failure:
        raise ActionFailed(_explain(failure, intent, predicate, phone)) from None


async def _pin(phone: Phone, intent: Intent) -> Intent:
    """Name the component: only the app that the rules have judged may get the intent. Raises
    PermissionDenied, NotDelivered."""
    found = await phone.driver.handlers(intent)
    takers = [each for each in found if each.default]
    for package in dict.fromkeys((*filter(None, [intent.package]), *(t.package for t in takers))):
        if phone.hides(package):
            raise PermissionDenied(
                f"The owner of the phone does not allow this with {package}, which would handle it"
                " now. Nothing was done. Do not look for a way around it; tell the user."
            )
    if not found:
        raise await _explain_nobody(phone, intent)
    if not takers:
        raise NotDelivered(Undelivered.SEVERAL, handlers=found)
    if intent.kind == "broadcast":
        return intent  # it names its package
    return replace(intent, package=takers[0].package, class_name=takers[0].class_name)


async def _explain_nobody(phone: Phone, intent: Intent) -> NotDelivered:
    if intent.package and await phone.driver.processes(intent.package) is None:
        return NotDelivered(Undelivered.NOT_INSTALLED)
    missing = Undelivered.NO_COMPONENT if intent.class_name else Undelivered.NO_HANDLER
    return NotDelivered(missing)


def _show(component: str) -> str:
    """Return the component as plain text: Android checks only the names of packages."""
    return brief(component, 500)


def name_app(handler: Handler) -> str:
    """Return a name such as `Maps (com.google.android.apps.maps)`."""
    label = cut(plain(handler.label).strip(), 60)
    return f"{label} ({handler.package})" if label else handler.package


def name_apps(handlers: Sequence[Handler]) -> str:
    names = list(dict.fromkeys(map(name_app, handlers)))
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return f"{', '.join(names[:MOST_NAMED])}{more}"


def tell_front(sent: Sent) -> str:
    """Return a sentence about the app in front if it is not the started one; else ""."""
    if not sent.front or sent.front == sent.handlers[0].package:
        return ""
    return f" The app in front is {plain(sent.front)}."


def describe_intent(intent: Intent) -> str:
    """Return the predicate for the failure message "No app on this phone …"."""
    named = " with ".join(
        filter(None, (brief(intent.action), intent.data and f"'{brief(intent.data)}'"))
    )
    return f"takes {named or 'it'}"


def _explain(failure: NotDelivered, intent: Intent, predicate: str, phone: Phone) -> str:
    noun = _NOUNS[intent.kind]
    component = _show(failure.component or Handler(intent.package, intent.class_name).component)
    match failure.problem:
        case Undelivered.NO_HANDLER if intent.package:
            return (
                f"{intent.package} has nothing that {predicate}. find_handlers shows which apps do."
            )
        case Undelivered.NO_HANDLER if intent.action.startswith(SETTINGS):
            return (
                f"This phone has no page for {intent.action}. Pages that most have: {PAGE_NAMES}."
            )
        case Undelivered.NO_HANDLER:
            return f"No app on this phone {predicate}. list_apps shows what is installed."
        case Undelivered.SEVERAL:
            return _name_several(failure.handlers, intent, phone)
        case Undelivered.NOT_INSTALLED:
            return f"{intent.package} is not installed. list_apps names those that are."
        case Undelivered.NO_COMPONENT:
            return f"The {noun} {component} does not exist, or does not take such an intent."
        case Undelivered.NOT_EXPORTED:
            return f"The {noun} {component} is not open to others (not exported)."
        case Undelivered.PERMISSION:
            return (
                f"The {noun} {component} needs the permission {failure.permission}, which adb's"
                " shell does not have."
            )
        case Undelivered.REVOKED:
            return (
                f"{intent.action} needs the permission {failure.permission}, which was taken from"
                " adb's shell on this phone (revoked)."
            )
        case Undelivered.BACKGROUND:
            return (
                f"Android does not start the service {component} while its app is in the"
                f" background. Open {intent.package} first."
            )


def _name_several(handlers: Sequence[Handler], intent: Intent, phone: Phone) -> str:
    shown = [each for each in handlers if not phone.hides(each.package)]
    apps = {handler.package for handler in handlers}
    if len(apps) > 1 or not shown:
        count = f"{len(apps)} apps" if len(shown) == len(handlers) else "Several apps"
        names = f": {name_apps(shown)}" if shown else ""
        return f"{count} can open this and none is the default{names}. Say which with package_name."
    parts = ", ".join(_show(handler.component) for handler in handlers[:MOST_NAMED])
    more = f" and {len(handlers) - MOST_NAMED} more" if len(handlers) > MOST_NAMED else ""
    return (
        f"{len(handlers)} parts of {handlers[0].package} take this: {parts}{more}. Say which with"
        " component, which send_intent takes."
    )
