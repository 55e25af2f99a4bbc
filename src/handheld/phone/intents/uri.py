"""Parses `intent:` and `android-app:` URIs, which hide a whole intent in a link.

This parser is stricter than Android: it refuses parts that Android would ignore, or that have two
readings. So the rules judge the intent that is sent. Android's own parser never gets such a URI.
"""

import re
from collections.abc import Callable
from urllib.parse import unquote_to_bytes

from ...driver.intents import Extra, ExtraValue, Intent

SCHEMES = ("intent", "android-app")
VIEW, MAIN = "android.intent.action.VIEW", "android.intent.action.MAIN"
LONGEST = 10_000
_MARK, _END = "#Intent;", "end"
_PACKAGE = re.compile(r"[A-Za-z]\w*(\.\w+)*", re.ASCII)
_CLASS = re.compile(r"\.?[A-Za-z_$][\w$]*(\.[\w$]+)*", re.ASCII)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*", re.ASCII)
_WHOLE = re.compile(r"[-+]?(0[xX][0-9a-fA-F]{1,16}|[0-9]{1,19})", re.ASCII)
_NUMBER = re.compile(r"[-+]?\d{1,40}(\.\d{1,40})?([eE][-+]?\d{1,3})?", re.ASCII)
_ONCE = ("action", "type", "package", "component", "scheme", "launchFlags")


class BadIntentUri(ValueError):
    """The URI is invalid or unsupported. The message is a clause that says why."""


def is_intent_uri(uri: str) -> bool:
    scheme, colon, _ = uri.partition(":")
    return bool(colon) and scheme.lower() in SCHEMES


def read_component(text: str) -> tuple[str, str]:
    """Return the package and the class of `package/class`. Raises BadIntentUri."""
    package, slash, name = text.partition("/")
    if not slash or not _PACKAGE.fullmatch(package) or not _CLASS.fullmatch(name):
        raise BadIntentUri("its component is not a package and a class")
    return package, package + name if name.startswith(".") else name


def parse_intent_uri(uri: str) -> Intent:
    """Raises BadIntentUri."""
    if len(uri) > LONGEST:
        raise BadIntentUri(f"it has more than {LONGEST} characters")
    scheme, _, rest = uri.partition(":")
    if scheme not in SCHEMES:
        raise BadIntentUri("its scheme is neither intent nor android-app")
    data, mark, fields = rest.partition(_MARK)
    if mark:
        if not fields.endswith(_END) or (fields != _END and not fields.endswith(f";{_END}")):
            raise BadIntentUri("it does not end with ;end")
        fields = fields.removesuffix(_END)
    elif scheme == "intent":
        raise BadIntentUri("it has no #Intent;")
    once, categories, extras = _read_fields(fields)
    package = _checked(once.get("package", ""), _PACKAGE.fullmatch, "package")
    if scheme == "android-app":
        package, data = _of_app(data, package, once)
    elif data and "scheme" in once:
        data = f"{_checked(once['scheme'], _SCHEME.fullmatch, 'scheme')}:{data}"
    elif "scheme" in once:
        data = f"{_checked(once['scheme'], _SCHEME.fullmatch, 'scheme')}:"
    if data and not _SCHEME.fullmatch(data.partition(":")[0] if ":" in data else ""):
        raise BadIntentUri("its data has no scheme")
    if is_intent_uri(data):
        raise BadIntentUri("it contains another one")
    class_name = ""
    if "component" in once:
        named, class_name = read_component(once["component"])
        if package and named != package:
            raise BadIntentUri("its package is not that of its component")
        package = named
    action = once.get("action", "")
    if not action:
        action = MAIN if scheme == "android-app" and not data else VIEW
    return Intent(
        "activity",
        action,
        data,
        once.get("type", ""),
        package,
        class_name,
        tuple(categories),
        _read_flags(once.get("launchFlags", "0")),
        tuple(extras),
    )


def _read_fields(text: str) -> tuple[dict[str, str], list[str], list[Extra]]:
    once: dict[str, str] = {}
    categories: list[str] = []
    extras: dict[str, Extra] = {}
    for field in filter(None, text.split(";")):
        name, equals, encoded = field.partition("=")
        if name == "SEL":
            raise BadIntentUri("it has a selector (SEL), which would choose another app")
        if not equals:
            raise BadIntentUri("one of its parts has no value")
        value = _decode(encoded)
        if name in _ONCE:
            if name in once or not value:
                raise BadIntentUri(f"its {name} is empty, or given twice")
            once[name] = value
        elif name == "category":
            categories.append(value)
        elif name[1:2] == ".":
            extra = _read_extra(name[0], _decode(name[2:]), value)
            if extra.name in extras or not extra.name:
                raise BadIntentUri("an extra has no name, or is given twice")
            extras[extra.name] = extra
        else:
            raise BadIntentUri("it has an unknown part")
    return once, categories, list(extras.values())


def _read_extra(kind: str, name: str, value: str) -> Extra:
    match kind:
        case "S":
            return Extra(name, "string", value)
        case "B" if value in ("true", "false"):
            return Extra(name, "boolean", value == "true")
        case "i" | "l":
            bits = 31 if kind == "i" else 63
            number = _whole(value)
            if not -(1 << bits) <= number < 1 << bits:
                raise BadIntentUri("an extra is out of range")
            return Extra(name, "int" if kind == "i" else "long", number)
        case "f" | "d" if _NUMBER.fullmatch(value):
            number: ExtraValue = float(value)
            if abs(number) > (3.4e38 if kind == "f" else 1.7e308):
                raise BadIntentUri("an extra is out of range")
            return Extra(name, "float" if kind == "f" else "double", number)
        case _:
            raise BadIntentUri("an extra has an unsupported type")


def _whole(text: str) -> int:
    if not _WHOLE.fullmatch(text):
        raise BadIntentUri("a number in it is invalid")
    return int(text, 16 if "x" in text.lower() else 10)


def _read_flags(text: str) -> int:
    flags = _whole(text)
    if not 0 <= flags < 1 << 31:
        raise BadIntentUri("its launchFlags are out of range")
    return flags


def _of_app(data: str, package: str, once: dict[str, str]) -> tuple[str, str]:
    """Parse `//package[/scheme[/host[/path]]]`: return the package and the data."""
    if not data.startswith("//"):
        raise BadIntentUri("it names no app")
    named, _, rest = data[2:].partition("/")
    _checked(named, _PACKAGE.fullmatch, "app")
    if not named or (package and package != named) or "scheme" in once:
        raise BadIntentUri("it names no app, or two")
    if not rest:
        return named, ""
    scheme, slash, place = rest.partition("/")
    _checked(scheme, _SCHEME.fullmatch, "scheme")
    if not slash:
        return named, f"{scheme}:"
    host, slash, path = place.partition("/")
    return named, f"{scheme}://{host}{slash}{path}"


def _checked(text: str, fits: Callable[[str], object], what: str) -> str:
    if text and not fits(text):
        raise BadIntentUri(f"its {what} is invalid")
    return text


def _decode(text: str) -> str:
    """Decode `%XX` once."""
    if re.search(r"%(?![0-9A-Fa-f]{2})", text):
        raise BadIntentUri("a % in it is not followed by a code")
    try:
        decoded = unquote_to_bytes(text).decode()
    except UnicodeDecodeError:
        raise BadIntentUri("a code in it is not UTF-8") from None
    if any(ord(char) < 32 or ord(char) == 127 for char in decoded):
        raise BadIntentUri("it has control characters")
    return decoded
