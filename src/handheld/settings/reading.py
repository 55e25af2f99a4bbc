"""Reads the options. Flags override the environment, which overrides the file, which overrides the
defaults."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, cast, get_args, get_origin, get_type_hints

from .address import find_url_fault, split_address
from .declaration import PREFIX, Option
from .folders import PLACES, Folders, folders
from .options import Settings, options
from .questions import DEFAULT
from .rules import MOST_RULES, Rule
from .rules import find_fault as find_rule_fault
from .slug import find_fault, find_prefix_fault
from .toml_parsing import parse_toml

_YES = {"1", "true", "yes", "on"}
_NO = {"0", "false", "no", "off", ""}

_NUMBERS = re.compile(r"[+*][0-9*?]+|\*", re.ASCII)
"""A pattern of phone numbers."""
_PACKAGES = re.compile(r"[A-Za-z0-9_.*]{1,255}", re.ASCII)
_TAG = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9_.-]{0,31}", re.ASCII)
MOST_TAGS = 20
"""Of one phone."""
MOST_ISSUERS = 10


class SettingsError(Exception):
    """An option has a value that cannot be used. The message names it."""


def load(
    flags: Mapping[str, Any] | None = None, environment: Mapping[str, str] | None = None
) -> Settings:
    """Read file, environment and flags (by `Option.dest`; None means not given). Raises
    SettingsError."""
    environment = os.environ if environment is None else environment
    try:
        where = folders(environment)
    except RuntimeError:  # the user is unknown to this computer, as in containers
        raise SettingsError("There is no home folder. Set HOME, or HANDHELD_HOME.") from None
    return _merge(
        _from_file(environment.get("HANDHELD_CONFIG"), where), environment, flags or {}, where
    )


def load_text(
    text: str, file: Path, where: Folders, environment: Mapping[str, str] | None = None
) -> tuple[Settings, Mapping[str, Any]]:
    """Return the settings that a start with this text in the configuration file would give, and the
    options set in the text itself. Raises SettingsError."""
    values = _from_text(text, file)
    own = {key: value for key, value in values.items() if key not in ("slugs", "tags")}
    return _merge(values, os.environ if environment is None else environment, {}, where), own


def _merge(
    values: dict[str, Any],
    environment: Mapping[str, str],
    flags: Mapping[str, Any],
    where: Folders,
) -> Settings:
    from_environment, from_flags = _from_environment(environment), _from_flags(flags)
    known = {option.key: option for option in options()}
    values |= {**from_environment, **from_flags}
    values["sources"] = {key: _variable(known[key], environment) for key in from_environment}
    values["sources"] |= {key: known[key].flag for key in from_flags}
    settings = _build(Settings, (), _single_port(values), where)
    _check(settings)
    return settings


def _single_port(values: dict[str, Any]) -> dict[str, Any]:
    """With a single surface, `port` is its port, whichever surface it is. If both ports are given,
    a flag overrides a variable; otherwise `sms.port` wins."""
    sources: Mapping[str, str] = values["sources"]
    given, own = sources.get("port", ""), sources.get("sms.port", "")
    stronger = not own or (given.startswith("--") and not own.startswith("--"))
    if values.get("surface") == ("sms",) and given and stronger:
        return {**values, "sms.port": values["port"]}
    return values


def _variable(option: Option, environment: Mapping[str, str]) -> str:
    if option.variable in environment:
        return option.variable
    return "ANDROID_SERIAL" if option.key == "phone" else "adb's own variables"


def _build(kind: type, path: tuple[str, ...], values: Mapping[str, Any], where: Folders) -> Any:
    hints = get_type_hints(kind)
    given: dict[str, Any] = {}
    for item in fields(kind):
        below = (*path, item.name)
        if hints[item.name] is Folders:
            given[item.name] = where
        elif get_origin(hints[item.name]) is not None and "help" not in item.metadata:
            given[item.name] = values.get(item.name, {})
        elif "help" not in item.metadata:
            given[item.name] = _build(hints[item.name], below, values, where)
        elif ".".join(below) in values:
            given[item.name] = values[".".join(below)]
    return kind(**given)


def _from_file(named: str | None, where: Folders) -> dict[str, Any]:
    file = config_file(named, where)
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        if named:
            raise SettingsError(f"HANDHELD_CONFIG names {file}, which does not exist.") from None
        return {}
    except (OSError, UnicodeDecodeError) as problem:
        raise SettingsError(f"{file} cannot be read: {_reason(problem)}.") from None
    return _from_text(text, file)


def _from_text(text: str, file: Path) -> dict[str, Any]:
    try:
        tree = parse_toml(text)
    except ValueError as problem:
        raise SettingsError(f"{file} is not valid TOML: {problem}.") from None
    known = {option.key: option for option in options()}
    slugs, tags = _phone_tables(tree.pop("phones", {}), file)
    values: dict[str, Any] = {"slugs": slugs, "tags": tags}
    for key, value in _leaves(tree, (), {key.split(".")[0] for key in known if "." in key}):
        option = known.get(key)
        if option is None:
            raise SettingsError(f"{file} has an unknown key {key!r}.{_nearest(key, known)}")
        values[key] = _checked(option, _typed(option, value), value, f"{key} in {file}")
    return values


def config_file(named: str | None, where: Folders) -> Path:
    """The path of the file; `named` is the value of HANDHELD_CONFIG."""
    return Path(named).expanduser() if named else where.config / "handheld.toml"


def _phone_tables(tables: Any, file: Path) -> tuple[dict[str, str], dict[str, tuple[str, ...]]]:
    """Read the slugs and the tags in the tables `[phones.<serial>]`."""
    if not isinstance(tables, dict) or not all(
        isinstance(table, dict) for table in cast("dict[str, Any]", tables).values()
    ):
        raise SettingsError(f"phones in {file} must be a table for each phone: [phones.SERIAL].")
    slugs: dict[str, str] = {}
    tags: dict[str, tuple[str, ...]] = {}
    for phone, table in cast("dict[str, dict[str, Any]]", tables).items():
        slugs[phone] = ""
        for key, value in table.items():
            if key == "tags":
                tags[phone] = _tags(value, f"phones.{phone}.tags in {file}")
                continue
            if key != "slug":
                raise SettingsError(f"{file} has an unknown key 'phones.{phone}.{key}'.")
            if not isinstance(value, str):
                raise SettingsError(f"phones.{phone}.slug in {file} must be a text, not {value!r}.")
            slugs[phone] = value
    return slugs, tags


def _tags(value: Any, source: str) -> tuple[str, ...]:
    given = cast("list[object]", value) if isinstance(value, list) else [None]
    tags = tuple(tag for tag in given if isinstance(tag, str) and _TAG.fullmatch(tag))
    if len(tags) < len(given) or len(tags) > MOST_TAGS:
        raise SettingsError(
            f"{source} must be a list of up to {MOST_TAGS} words of a-z, 0-9, . _ and -."
        )
    return tags


def _leaves(
    tree: Mapping[str, Any], path: tuple[str, ...], groups: set[str]
) -> Iterator[tuple[str, Any]]:
    for key, value in tree.items():
        if not path and key in groups and isinstance(value, dict):
            yield from _leaves(value, (key,), groups)  # pyright: ignore[reportUnknownArgumentType]
        else:
            yield ".".join((*path, key)), value


def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    values = _from_adb_variables(environment)
    known = {option.variable: option for option in options()}
    for name, text in environment.items():
        option = known.get(name)
        if option is not None:
            values[option.key] = _checked(option, _parsed(option, text), text, name)
    return values


def unknown_variables(environment: Mapping[str, str] | None = None) -> list[str]:
    """A warning for each `HANDHELD_…` variable that is not an option. Not an error: it may belong
    to another version."""
    environment = os.environ if environment is None else environment
    known = [*(option.variable for option in options()), *PLACES]
    return [
        f"{name} is set, but there is no such option.{_nearest(name, known)}"
        for name in sorted(environment)
        if name.startswith(PREFIX) and name not in known
    ]


def _from_adb_variables(environment: Mapping[str, str]) -> dict[str, Any]:
    """Read adb's own variables."""
    values: dict[str, Any] = {}
    if serial := environment.get("ANDROID_SERIAL"):
        values["phone"] = (serial,)
    host = environment.get("ANDROID_ADB_SERVER_ADDRESS") or "127.0.0.1"
    if host != "127.0.0.1":
        values["adb.server"] = f"{host}:5037"
    if port := environment.get("ANDROID_ADB_SERVER_PORT"):
        values["adb.server"] = f"{host}:{port}"
        if split_address(values["adb.server"]) is None:
            raise SettingsError(
                f"ANDROID_ADB_SERVER_PORT must be a whole number from 1 to 65535, not {port!r}."
            )
    if socket := environment.get("ADB_SERVER_SOCKET"):
        kind, _, rest = socket.partition(":")
        address = rest if ":" in rest else f"127.0.0.1:{rest}"
        if kind != "tcp" or split_address(address) is None:
            raise SettingsError(
                f"ADB_SERVER_SOCKET must be tcp:PORT or tcp:HOST:PORT, not {socket!r}."
            )
        values["adb.server"] = address
    return values


def _from_flags(flags: Mapping[str, Any]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for option in options():
        given = flags.get(option.dest)
        if given is None:
            continue
        if option.repeats and isinstance(given, list):
            given = ",".join(cast("list[str]", given))
        value = _parsed(option, given) if isinstance(given, str) else _typed(option, given)
        values[option.key] = _checked(option, value, given, option.flag)
    return values


def _parsed(option: Option, text: str) -> Any:
    """Parse the text of a variable or flag; None if it is not valid."""
    if option.type is bool:
        word = text.strip().lower()
        return True if word in _YES else False if word in _NO else None
    if option.type is int:
        text = text.strip()
        return int(text) if text.isascii() and text.isdigit() and len(text) < 12 else None
    if option.repeats:
        parts = tuple(part for part in (part.strip() for part in text.split(",")) if part)
        return _numbers(parts) if option.item is int else parts
    return _typed(option, text)


def _numbers(parts: Sequence[str]) -> tuple[int, ...] | None:
    if all(part.isascii() and part.isdigit() and len(part) < 12 for part in parts):
        return tuple(map(int, parts))
    return None


def _typed(option: Option, value: Any) -> Any:
    """A value from TOML if it has the option's type; otherwise None."""
    if option.repeats:
        if isinstance(value, str):
            return _parsed(option, value)
        if option.item is int and type(value) is int:
            return (value,)
        if not isinstance(value, list | tuple):
            return None
        parts = cast("Sequence[object]", value)
        return tuple(parts) if all(type(part) is option.item for part in parts) else None
    if option.type in (bool, int, str):
        return value if type(value) is option.type else None
    if Path in get_args(option.type) and isinstance(value, str) and value:
        return Path(value).expanduser().absolute()
    return None


def _checked(option: Option, value: Any, given: Any, source: str) -> Any:
    bad = value is None
    if option.bounds and not bad:
        bad = not option.bounds[0] <= value <= option.bounds[1]
    if option.choices and not bad:
        bad = not {*(value if option.repeats else (value,))} <= {*option.choices}
    if bad:
        # A secret is not repeated in a message.
        got = "" if option.secret else f", not {given!r}"
        raise SettingsError(f"{source} must be {option.wanted}{got}.")
    return value


def _check(settings: Settings) -> None:
    """Check what the declarations of single options cannot express."""
    if not settings.host or any(char.isspace() for char in settings.host):
        raise SettingsError("host must be an address or a name, such as 127.0.0.1.")
    _check_phones(settings)
    if fault := find_prefix_fault(settings.tool_prefix):
        raise SettingsError(f"tool_prefix is {settings.tool_prefix[:100]!r}: {fault}.")
    if settings.token and not (settings.token.isascii() and settings.token.isprintable()):
        raise SettingsError("token must be plain ASCII: it is sent in an HTTP header.")
    if settings.token.strip() != settings.token or " " in settings.token:
        raise SettingsError("token must not contain spaces.")
    if settings.no_token and settings.token:
        raise SettingsError("no_token and token cannot be combined: leave one out.")
    if settings.no_token and not settings.loopback:
        raise SettingsError(
            f"no_token is for loopback only, and host is {settings.host}: anyone who reaches that "
            "address could use the phone. Leave out one of the two."
        )
    if (settings.tls.cert is None) != (settings.tls.key is None):
        raise SettingsError("tls.cert and tls.key belong together: give both or neither.")
    if settings.tls.cert and settings.tls.self_signed:
        raise SettingsError("tls.self_signed and tls.cert cannot be combined: leave one out.")
    _check_oauth(settings)
    if not settings.surface or len(set(settings.surface)) < len(settings.surface):
        raise SettingsError("surface must name main, sms or both, each once.")
    if {*settings.surface} == {"main", "sms"} and settings.port == settings.sms.port != 0:
        raise SettingsError("port and sms.port are the same: two surfaces need two ports.")
    for key, patterns in (("sms.allow", settings.sms.allow), ("sms.block", settings.sms.block)):
        for pattern in patterns:
            if fault := _find_number_fault(pattern):
                raise SettingsError(f"{key} has {pattern!r}: {fault}.")
    for package in settings.audit.mask_screens:
        if fault := _find_package_fault(package):
            raise SettingsError(f"audit.mask_screens has {package[:100]!r}: {fault}.")
    for package in settings.fleet.clear_data:
        if "*" in package or _find_package_fault(package):
            raise SettingsError(f"fleet.clear_data has {package[:100]!r}, which is not a package.")
    _check_rules(settings)
    if split_address(settings.adb.server) is None:
        raise SettingsError(f"adb.server must be HOST:PORT, not {settings.adb.server!r}.")


def _check_oauth(settings: Settings) -> None:
    issuers, url = settings.oauth.issuer, settings.oauth.url
    for key, address in (*(("oauth.issuer", each) for each in issuers), ("oauth.url", url)):
        if address and (fault := find_url_fault(address)):
            raise SettingsError(f"{key} is {address[:100]!r}: {fault}.")
    if url and (url.count("/") > 2 or "?" in url):
        raise SettingsError(f"oauth.url is {url[:100]!r}: leave out the path, and the / before it.")
    if bool(issuers) != bool(url):
        raise SettingsError("oauth.issuer and oauth.url belong together: give both or neither.")
    if len(issuers) > MOST_ISSUERS:
        raise SettingsError(f"oauth.issuer names more than {MOST_ISSUERS}.")
    if len({each.partition("://")[2].rstrip("/") for each in issuers}) < len(issuers):
        raise SettingsError("oauth.issuer names an issuer twice.")
    if issuers and settings.no_token:
        raise SettingsError(
            "no_token and oauth.issuer cannot be combined: without a token every client is"
            " admitted."
        )


def _check_rules(settings: Settings) -> None:
    policy, seen = settings.policy, dict[Rule, str]()
    for key, rules in (("ask", policy.own_ask), ("deny", policy.deny), ("allow", policy.allow)):
        if len(rules) > MOST_RULES:
            raise SettingsError(f"policy.{key} has more than {MOST_RULES} rules.")
        for text in rules:
            if fault := find_rule_fault(text):
                raise SettingsError(f"policy.{key} has {text[:100]!r}: {fault}.")
            if text == DEFAULT:
                raise SettingsError(
                    f"policy.{key} has {DEFAULT!r}, which only policy.ask may have."
                )
            other = seen.setdefault(Rule.read(text), key)
            if other != key:
                raise SettingsError(
                    f"policy.{other} and policy.{key} both have {text!r}: leave it in one of them."
                )


def _check_phones(settings: Settings) -> None:
    phones = settings.phones
    if any(len(name) > 256 or not name.isprintable() or "," in name for name in phones):
        raise SettingsError("phone must be a serial, HOST:PORT or `virtual`.")
    if len(set(phones)) < len(phones):
        raise SettingsError("phone lists a phone twice.")
    if settings.slug and len(phones) > 1:
        raise SettingsError(
            "slug names a single phone, but several are chosen: give each its own slug in"
            " handheld.toml, under [phones.SERIAL]."
        )
    for phone, slug in {"": settings.slug, **settings.slugs}.items():
        if fault := find_fault(slug):
            raise SettingsError(f"{f'phones.{phone}.slug' if phone else 'slug'}: {fault}.")
    taken = [name.lower() for name in phones]
    for phone in phones:
        slug = settings.slug_of(phone).lower()
        if slug and slug != phone.lower() and slug in taken:
            raise SettingsError(f"phones.{phone}.slug is the name of another phone.")
        taken.append(slug)


def _nearest(word: str, known: Mapping[str, Any] | Sequence[str]) -> str:
    import difflib

    near = difflib.get_close_matches(word, list(known), n=1)
    return f" Did you mean {near[0]}?" if near else " docs/settings.md lists the known ones."


def _reason(problem: Exception) -> str:
    return problem.strerror or str(problem) if isinstance(problem, OSError) else str(problem)


def _find_number_fault(pattern: str) -> str:
    """Why this is not a pattern of phone numbers; "" if it is."""
    if _NUMBERS.fullmatch(pattern):
        return ""
    return "a pattern begins with + or *, then has digits, * for any and ? for one, such as +3620*"


def _find_package_fault(pattern: str) -> str:
    """Why this is not a pattern of packages; "" if it is."""
    if _PACKAGES.fullmatch(pattern):
        return ""
    return "a package has a form such as com.bank.app or com.bank.*"
