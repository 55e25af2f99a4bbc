"""Intents as tools send them: made of arguments, held to the rules, delivered, and what is said
when that fails."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from ..driver.intents import (
    ComponentKind,
    Extra,
    ExtraType,
    Handler,
    Intent,
    NotDelivered,
    Sent,
    Undelivered,
)
from ..errors import ActionFailed, InvalidParams, PermissionDenied
from ..ui.characters import plain
from ..ui.text import brief, cut
from .intent_rules import (
    FLAGS,
    PAGE_NAMES,
    SETTINGS,
    SETTINGS_SCHEME,
    find_prohibition,
    is_plain,
    settings_page,
)
from .intent_uri import VIEW, BadIntentUri, is_intent_uri, parse_intent_uri, read_component
from .phone import Phone

BROWSABLE = "android.intent.category.BROWSABLE"
MOST_NAMED = 8
MOST_EXTRAS = 100
LONGEST_EXTRAS = 100_000
"""Characters of all extras together. Android passes them through a buffer of 1 MB."""
_WORD = re.compile(r"[\w.$:/@+-]{1,500}")
_MIME = re.compile(r"[\w.+*-]{1,100}/[\w.+*-]{1,100}", re.ASCII)
_PACKAGE = re.compile(r"[A-Za-z][\w.]{0,254}", re.ASCII)
_LINK = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:", re.ASCII)
_TYPES = ("string", "int", "long", "float", "double", "boolean")
_NOUNS: Mapping[ComponentKind, str] = {
    "activity": "activity",
    "service": "service",
    "broadcast": "receiver",
}


# Making one


def make_link(uri: str, package: str = "", mime_type: str = "") -> Intent:
    """The intent that opens a link, `settings:wifi`, or what an `intent:` URI says. Raises
    InvalidParams."""
    uri = uri.strip()
    _check_printable("uri", uri)
    if not _LINK.match(uri):
        raise InvalidParams(
            f"Parameter 'uri' must begin with a scheme, as https://example.com does,"
            f" got: '{brief(uri)}'"
        )
    scheme, _, rest = uri.partition(":")
    if is_intent_uri(uri):
        try:
            intent = parse_intent_uri(uri)
        except BadIntentUri as problem:
            raise InvalidParams(
                f"Parameter 'uri' is no {scheme.lower()}: URI that is opened: {problem}."
            ) from None
        if package and intent.package and intent.package != package:
            raise InvalidParams(f"The URI names the app {intent.package}, not {brief(package)}.")
        package = package or intent.package
    elif scheme.lower() == SETTINGS_SCHEME:
        page = settings_page(rest)
        if page is None:
            raise InvalidParams(f"'{brief(uri)}' is no page of the settings. Some: {PAGE_NAMES}.")
        intent = page
    else:
        intent = Intent(action=VIEW, data=uri)
    if intent.action == VIEW and intent.data.partition(":")[0].lower() in ("http", "https"):
        # As a browser asks for it: only what an app opens to everybody.
        intent = replace(intent, categories=tuple(dict.fromkeys((*intent.categories, BROWSABLE))))
    _check_package(package)
    return replace(intent, package=package, mime_type=_read_mime(mime_type) or intent.mime_type)


def make_intent(
    kind: ComponentKind,
    *,
    action: str = "",
    data: str = "",
    mime_type: str = "",
    package: str = "",
    component: str = "",
    categories: Sequence[str] = (),
    extras: Mapping[str, Any] | None = None,
    extras_types: Mapping[str, Any] | None = None,
    flags: Sequence[str] = (),
) -> Intent:
    """Raises InvalidParams."""
    for name, text in (("action", action), *(("categories", each) for each in categories)):
        if text and not _WORD.fullmatch(text):
            raise InvalidParams(f"Parameter '{name}' must be a name, got: '{brief(text)}'")
    _check_printable("data", data)
    if data and (not _LINK.match(data) or is_intent_uri(data)):
        raise InvalidParams(
            f"Parameter 'data' must be a URI with a scheme, and no intent: URI, which open_uri"
            f" takes. Got: '{brief(data)}'"
        )
    _check_package(package)
    class_name = ""
    if component:
        named, class_name = _read_component(component)
        if package and named != package:
            raise InvalidParams(f"The component is not of {brief(package)}.")
        package = named
    return Intent(
        kind,
        action,
        data,
        _read_mime(mime_type),
        package,
        class_name,
        tuple(categories),
        _read_flags(flags),
        _read_extras(extras or {}, extras_types or {}),
    )


def _check_printable(name: str, text: str) -> None:
    if any(ord(char) < 32 or 127 <= ord(char) < 160 for char in text):
        raise InvalidParams(f"Parameter '{name}' must not contain control characters")


def _check_package(package: str) -> None:
    if package and not _PACKAGE.fullmatch(package):
        raise InvalidParams(
            f"Parameter 'package_name' must be a package such as com.example.app,"
            f" got: '{brief(package)}'"
        )


def _read_mime(text: str) -> str:
    if text and not _MIME.fullmatch(text):
        raise InvalidParams(
            f"Parameter 'mime_type' must be a type such as image/png, got: '{brief(text)}'"
        )
    return text


def _read_component(text: str) -> tuple[str, str]:
    package, slash, name = text.partition("/")
    if not slash:
        raise InvalidParams(f"Invalid component format: '{brief(text)}'. Expected 'package/class'")
    if not package or not name:
        raise InvalidParams(
            f"Invalid component format: '{brief(text)}'. Package and class must not be empty"
        )
    try:
        return read_component(text)
    except BadIntentUri:
        raise InvalidParams(
            f"Invalid component format: '{brief(text)}'. Expected 'package/class'"
        ) from None


def _read_flags(names: Sequence[str]) -> int:
    flags = 0
    for name in names:
        if name not in FLAGS:
            raise InvalidParams(f"Unknown flag: '{brief(name)}'")
        flags |= FLAGS[name]
    return flags


def _read_extras(extras: Mapping[str, Any], types: Mapping[str, Any]) -> tuple[Extra, ...]:
    if len(extras) > MOST_EXTRAS:
        raise InvalidParams(f"An intent has at most {MOST_EXTRAS} extras, got: {len(extras)}")
    for name, type_name in types.items():
        if type_name not in _TYPES:
            raise InvalidParams(
                f"Unsupported extras_types value: '{brief(str(type_name))}'. Supported:"
                f" {', '.join(_TYPES)}"
            )
        if name not in extras:
            raise InvalidParams(f"extras_types names '{brief(name)}', which is not in extras.")
    found = tuple(_read_extra(name, value, types.get(name)) for name, value in extras.items())
    length = sum(len(extra.name) + len(str(extra.value)) for extra in found)
    if length > LONGEST_EXTRAS:
        raise InvalidParams(f"The extras have {length} characters; {LONGEST_EXTRAS} are sent.")
    return found


def _read_extra(name: str, value: Any, wanted: ExtraType | None) -> Extra:
    if not name:
        raise InvalidParams("An extra has no name.")
    _check_printable("extras", name)
    if "\0" in str(value):
        raise InvalidParams(f"extras.{brief(name)}: a text with U+0000 is not sent.")
    if isinstance(value, list):
        items = cast("list[Any]", value)
        if wanted is not None or not all(isinstance(item, str) for item in items):
            raise InvalidParams(f"extras.{brief(name)}: only lists of texts are sent.")
        return Extra(name, "strings", tuple(cast("list[str]", items)))
    if value is None or isinstance(value, dict):
        kind = "null" if value is None else "an object"
        raise InvalidParams(f"extras.{brief(name)}: {kind} is no extra that is sent.")
    return Extra(name, *_typed(name, value, wanted or _infer(value)))


def _infer(value: Any) -> ExtraType:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "int" if -(1 << 31) <= value < 1 << 31 else "long"
    return "double" if isinstance(value, float) else "string"


_BITS = {"int": 31, "long": 63}
_LARGEST = {"float": 3.4028234663852886e38, "double": 1.7976931348623157e308}


def _typed(name: str, value: Any, wanted: ExtraType) -> tuple[ExtraType, Any]:
    text = str(value).strip()
    if wanted == "string":
        return wanted, value if isinstance(value, str) else text
    if wanted == "boolean" and text.lower() in ("true", "false"):
        return wanted, text.lower() == "true"
    if wanted in _BITS and re.fullmatch(r"[-+]?\d{1,20}(\.0+)?", text, re.ASCII):
        number, most = int(text.partition(".")[0]), 1 << _BITS[wanted]
        if -most <= number < most:
            return wanted, number
    if wanted in _LARGEST and re.fullmatch(
        r"[-+]?\d{1,400}(\.\d{1,400})?([eE][-+]?\d{1,3})?", text, re.ASCII
    ):
        fraction = float(text)
        if abs(fraction) <= _LARGEST[wanted]:
            return wanted, fraction
    raise InvalidParams(f"Failed to convert extra '{brief(name)}': '{brief(text)}' is no {wanted}")


def read_texts(arguments: Mapping[str, Any], *names: str) -> list[str]:
    """Arguments as they were sent, for what is judged by them; empty for one that is absent.
    Raises InvalidParams for what is no text: a tool may take it otherwise."""
    values = ["" if arguments.get(name) is None else arguments[name] for name in names]
    for name, value in zip(names, values, strict=True):
        if not isinstance(value, str):
            raise InvalidParams(f"Parameter '{name}' must be a string")
    return values


def is_link(text: str) -> bool:
    """Whether it is a link and not the name of an app, which may have a colon, too."""
    return re.match(r"[a-z][a-z0-9+.-]*:\S", text.strip(), re.ASCII) is not None


def says_more(uri: str, package: str = "", mime_type: str = "") -> bool:
    """Whether opening it does more than a link does: an `intent:` URI may name a component. What
    cannot be opened does nothing."""
    try:
        return not is_plain(make_link(uri, package, mime_type))
    except InvalidParams:
        return False


# Sending it


async def find_takers(phone: Phone, intent: Intent) -> list[str]:
    """The packages of the apps that would get it, for rules on apps; none if none would."""
    found = await phone.driver.handlers(intent)
    return list(dict.fromkeys(handler.package for handler in found if handler.default))


async def deliver(phone: Phone, intent: Intent, deed: str) -> Sent:
    """Send it to whoever takes it. `deed` is what nobody does if nobody takes it, such as `opens
    'foo://x'`. Raises ToolError."""
    if prohibited := find_prohibition(intent):
        raise PermissionDenied(f"{prohibited} Nothing was done.")
    if intent.kind != "activity" and not intent.package:
        raise InvalidParams(
            f"A {intent.kind} needs component or package_name: without one Android does not pass it"
            " on to apps."
        )
    if phone.judges_apps:
        intent = await _pin(phone, intent)
    try:
        return await phone.driver.send_intent(intent)
    except NotDelivered as failure:
        raise ActionFailed(_explain(failure, intent, deed, phone)) from None


async def _pin(phone: Phone, intent: Intent) -> Intent:
    """Name the component, so that the app that the rules were asked about is the one that gets it.
    Raises PermissionDenied."""
    takers = [each for each in await phone.driver.handlers(intent) if each.default]
    for taker in takers:
        if phone.hides(taker.package):
            raise PermissionDenied(
                f"The owner of the phone does not allow this with {taker.package}, which would take"
                " it now. Nothing was done. Do not look for a way around it; tell the user."
            )
    if intent.kind == "broadcast" or len(takers) != 1:
        return intent
    return replace(intent, package=takers[0].package, class_name=takers[0].class_name)


def name_app(handler: Handler) -> str:
    """As `Maps (com.google.android.apps.maps)`."""
    label = cut(plain(handler.label).strip(), 60)
    return f"{label} ({handler.package})" if label else handler.package


def name_apps(handlers: Sequence[Handler]) -> str:
    names = list(dict.fromkeys(map(name_app, handlers)))
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return f"{', '.join(names[:MOST_NAMED])}{more}"


def tell_front(sent: Sent) -> str:
    """What is in front instead of the app that was started; empty if that is."""
    if not sent.front or sent.front == sent.handlers[0].package:
        return ""
    return f" In front is {plain(sent.front)}."


def describe_deed(intent: Intent) -> str:
    """What nobody does if nobody takes it."""
    named = " with ".join(
        filter(None, (brief(intent.action), intent.data and f"'{brief(intent.data)}'"))
    )
    return f"takes {named or 'it'}"


def _explain(failure: NotDelivered, intent: Intent, deed: str, phone: Phone) -> str:
    noun = _NOUNS[intent.kind]
    component = failure.component or Handler(intent.package, intent.class_name).component
    match failure.problem:
        case Undelivered.NO_HANDLER if intent.package:
            return f"{intent.package} has nothing that {deed}. find_handlers shows which apps do."
        case Undelivered.NO_HANDLER if intent.action.startswith(SETTINGS):
            return (
                f"This phone has no page for {intent.action}. Pages that most have: {PAGE_NAMES}."
            )
        case Undelivered.NO_HANDLER:
            return f"No app on this phone {deed}. list_apps shows what is installed."
        case Undelivered.SEVERAL:
            shown = [each for each in failure.handlers if not phone.hides(each.package)]
            return _name_several(shown, intent)
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


def _name_several(handlers: Sequence[Handler], intent: Intent) -> str:
    if intent.kind == "activity" and len({handler.package for handler in handlers}) > 1:
        apps = len({handler.package for handler in handlers})
        return (
            f"{apps} apps can open this and none is the default: {name_apps(handlers)}."
            " Say which with package_name."
        )
    parts = ", ".join(handler.component for handler in handlers[:MOST_NAMED])
    return (
        f"{len(handlers)} parts of {handlers[0].package if handlers else 'an app'} take this:"
        f" {parts}. Say which with component, which send_intent takes."
    )
