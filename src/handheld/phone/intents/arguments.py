"""Builds intents and links from the arguments of tools."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from ...driver.intents import ComponentKind, Extra, ExtraType, Intent
from ...errors import InvalidParams
from ...screen.text import brief
from ..apps.package_names import check_package
from .rules import FLAGS, PAGE_NAMES, SETTINGS_SCHEME, is_plain, settings_page
from .uri import VIEW, BadIntentUri, is_intent_uri, parse_intent_uri, read_component

BROWSABLE = "android.intent.category.BROWSABLE"
MOST_EXTRAS = 100
LONGEST_EXTRAS = 100_000
"""The maximum length of all extras together. Android passes them through a buffer of 1 MB."""
_WORD = re.compile(r"[\w.$:/@+-]{1,500}")
_MIME = re.compile(r"[\w.+*-]{1,100}/[\w.+*-]{1,100}", re.ASCII)
_LINK = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:", re.ASCII)
_ODD = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_UNSENT = re.compile(r"[\x00\ud800-\udfff]")
_TYPES = ("string", "int", "long", "float", "double", "boolean")


def make_link(uri: str, package: str = "", mime_type: str = "") -> Intent:
    """Return the intent for a link, `settings:wifi`, or an `intent:` URI. Raises InvalidParams."""
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
                f"Parameter 'uri' is not a supported {scheme.lower()}: URI: {problem}."
            ) from None
        if package and intent.package and intent.package != package:
            raise InvalidParams(f"The URI names the app {intent.package}, not {brief(package)}.")
        package = package or intent.package
    elif scheme.lower() == SETTINGS_SCHEME:
        page = settings_page(rest)
        if page is None:
            raise InvalidParams(
                f"'{brief(uri)}' is not a page of the settings. Some: {PAGE_NAMES}."
            )
        intent = page
    else:
        intent = Intent(action=VIEW, data=uri)
    if intent.action == VIEW and intent.data.partition(":")[0].lower() in ("http", "https"):
        # Like a browser's intent: only activities that an app opens to everybody.
        intent = replace(intent, categories=tuple(dict.fromkeys((*intent.categories, BROWSABLE))))
    if package:
        check_package(package, "package_name")
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
            f"Parameter 'data' must be a URI with a scheme other than intent:, which open_uri"
            f" opens. Got: '{brief(data)}'"
        )
    if package:
        check_package(package, "package_name")
    class_name = ""
    if component:
        named, class_name = _read_component(component)
        if package and named != package:
            raise InvalidParams(f"The component does not belong to {brief(package)}.")
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
    if _ODD.search(text):
        raise InvalidParams(f"Parameter '{name}' must not contain control characters")


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
        raise InvalidParams(f"The extras have {length} characters; at most {LONGEST_EXTRAS} fit.")
    return found


def _read_extra(name: str, value: Any, wanted: ExtraType | None) -> Extra:
    if not name:
        raise InvalidParams("An extra has no name.")
    _check_printable("extras", name)
    texts = cast("list[Any]", value) if isinstance(value, list) else [value]
    if any(_UNSENT.search(str(text)) for text in texts):
        raise InvalidParams(
            f"extras.{brief(name)}: a text must not contain U+0000 or half a character."
        )
    if isinstance(value, list):
        items = cast("list[Any]", value)
        if wanted is not None or not all(isinstance(item, str) for item in items):
            raise InvalidParams(f"extras.{brief(name)}: only lists of texts are supported.")
        return Extra(name, "strings", tuple(cast("list[str]", items)))
    if value is None or isinstance(value, dict):
        kind = "null" if value is None else "an object"
        raise InvalidParams(f"extras.{brief(name)}: {kind} is not supported.")
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
    """Return raw arguments that rules judge; "" for an absent one. Raises InvalidParams if one is
    not a text: a tool may interpret it differently."""
    values = ["" if arguments.get(name) is None else arguments[name] for name in names]
    for name, value in zip(names, values, strict=True):
        if not isinstance(value, str):
            raise InvalidParams(f"Parameter '{name}' must be a string")
    return values


def is_link(text: str) -> bool:
    """Return whether the text is a link, not the name of an app, which may have a colon, too."""
    return re.match(r"[a-z][a-z0-9+.-]*:\S", text.strip(), re.ASCII) is not None


def says_more(uri: str, package: str = "", mime_type: str = "") -> bool:
    """Return whether opening the URI does more than a link: an `intent:` URI may name a component.
    False for one that cannot be opened."""
    try:
        return not is_plain(make_link(uri, package, mime_type))
    except InvalidParams:
        return False
