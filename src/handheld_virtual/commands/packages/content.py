"""`content`: queries content providers of the phone and of apps."""

import re
from urllib.parse import parse_qsl

from ...apps.providers.system import MediaProvider, find_provider
from ...packages.provider import (
    Bundle,
    Cell,
    DocumentsProvider,
    Provider,
    ProviderProblem,
    Query,
    Row,
)
from ..call import CommandCall, refuse
from ..users import NoSuchUser, check_user

_USAGE = """\
usage: adb shell content [subcommand] [options]

usage: adb shell content insert --uri <URI> [--user <USER_ID>]
       --bind <BINDING> [--bind <BINDING>...]
  <URI> a content provider URI.
  <BINDING> binds a typed value to a column and is formatted:
  <COLUMN_NAME>:<TYPE>:<COLUMN_VALUE> where:
  <TYPE> specifies data type such as:
  b - boolean, s - string, i - integer, l - long, f - float, d - double, n - null

usage: adb shell content update --uri <URI> [--user <USER_ID>] [--where <WHERE>]

usage: adb shell content delete --uri <URI> [--user <USER_ID>] [--where <WHERE>]

usage: adb shell content query --uri <URI> [--user <USER_ID>] [--projection <PROJECTION>]
       [--where <WHERE>] [--sort <SORT_ORDER>]

usage: adb shell content call --uri <URI> --method <METHOD> [--arg <ARG>]
       [--extra <BINDING> ...]

usage: adb shell content read --uri <URI> [--user <USER_ID>]

"""
_OPTIONS = {
    "query": {"--projection", "--where", "--sort"},
    "insert": {"--bind"},
    "update": {"--bind", "--where"},
    "delete": {"--where"},
    "call": {"--method", "--arg", "--extra"},
    "read": set[str](),
    "gettype": set[str](),
}
_URI = re.compile(r"content://([^/?]+)(/[^?]*)?(?:\?(.*))?", re.DOTALL)


class _Wrong(Exception):
    """The arguments are wrong. The message follows [ERROR]."""


async def content(call: CommandCall) -> None:
    try:
        verb, options = _read(call.arguments)
    except _Wrong as problem:
        call.code = 1 if call.phone.world.android.content_fails else 0
        await refuse(call, f"{_USAGE}\n[ERROR] {problem}", call.code)
        return
    found = _URI.fullmatch(options["--uri"][-1])
    if found is None:
        await refuse(call, f"{_USAGE}\n[ERROR] Unsupported argument: {options['--uri'][-1]}", 1)
        return
    authority, path, arguments = found[1], (found[2] or "").strip("/"), found[3] or ""
    try:
        check_user(call, options.get("--user", ["0"])[-1])
        provider = find_provider(call.phone.world, authority)
        if provider is None:
            raise ProviderProblem(
                f"java.lang.IllegalStateException: Could not find provider: {authority}"
            )
        if not provider.exported:
            raise ProviderProblem(
                f"java.lang.SecurityException: Permission Denial: opening provider {authority}"
                " from (null) (uid=2000) that is not exported from UID 10000"
            )
        if isinstance(provider, DocumentsProvider):
            raise ProviderProblem(provider.refusal(authority))
        if verb in ("query", "update", "delete", "insert", "read") and provider.permission:
            raise ProviderProblem(
                "java.lang.SecurityException: Permission Denial: opening provider"
                f" {authority} from (null) (uid=2000) requires {provider.permission}"
            )
        query = Query(
            path,
            options.get("--where", [""])[-1],
            [name for name in options.get("--projection", [""])[-1].split(":") if name],
            dict(parse_qsl(arguments, keep_blank_values=True)),
        )
        if isinstance(provider, MediaProvider) and call.phone.world.media.hangs:
            await call.phone.clock.sleep(float("inf"))
        await _do(call, verb, provider, query, options)
    except (ProviderProblem, NoSuchUser) as problem:
        # Older releases print the error and exit with 0.
        await refuse(
            call,
            f"Error while accessing provider:{authority}\n{problem}",
            1 if call.phone.world.android.content_fails else 0,
        )


def _read(words: list[str]) -> tuple[str, dict[str, list[str]]]:
    if not words:
        raise _Wrong("Missing command")
    verb, *rest = words
    if verb not in _OPTIONS:
        raise _Wrong(f"Unsupported operation: {verb}")
    options: dict[str, list[str]] = {}
    given = iter(rest)
    for word in given:
        if word not in _OPTIONS[verb] | {"--uri", "--user"}:
            raise _Wrong(f"Unsupported argument: {word}")
        value = next(given, None)
        if value is None:
            raise _Wrong(f"Argument expected after {word}")
        options.setdefault(word, []).append(value)
    if "--uri" not in options:
        raise _Wrong("Content provider URI not specified. Did you specify --uri argument?")
    if verb == "call" and "--method" not in options:
        raise _Wrong("Content provider method not specified.")
    if verb in ("insert", "update") and "--bind" not in options:
        raise _Wrong("Bindings not specified. Did you specify --bind argument(s)?")
    return verb, options


def _bindings(texts: list[str]) -> dict[str, Cell | bool]:
    values: dict[str, Cell | bool] = {}
    for text in texts:
        found = re.fullmatch(r"([^:]+):([bsilfdn]):?(.*)", text, re.DOTALL)
        if found is None:
            raise ProviderProblem(
                f"java.lang.IllegalArgumentException: Binding not well formed: {text}"
            )
        name, kind, value = found.groups()
        try:
            match kind:
                case "b":
                    values[name] = value.lower() == "true"
                case "i" | "l":
                    values[name] = int(value)
                case "f" | "d":
                    values[name] = float(value)
                case "n":
                    values[name] = None
                case _:
                    values[name] = value
        except ValueError:
            raise ProviderProblem(
                f'java.lang.NumberFormatException: For input string: "{value}"'
            ) from None
    return values


async def _do(
    call: CommandCall, verb: str, provider: Provider, query: Query, options: dict[str, list[str]]
) -> None:
    match verb:
        case "query":
            await _write_rows(call, provider.query(query), query, options.get("--sort", [""])[-1])
        case "insert":
            provider.insert(query, _cells(options["--bind"]))
        case "update":
            provider.update(query, _cells(options["--bind"]))
        case "delete":
            provider.delete(query)
        case "read":
            await call.process.stdout.write(provider.read(query.path))
        case "gettype":
            await call.write("Result: null\n")
        case _:
            extras = _bindings(options.get("--extra", []))
            argument = options["--arg"][-1] if "--arg" in options else None
            result = provider.call(options["--method"][-1], argument, extras)
            await call.write(f"Result: {show_bundle(result)}\n")


def _cells(texts: list[str]) -> Row:
    return {
        name: int(value) if isinstance(value, bool) else value
        for name, value in _bindings(texts).items()
    }


def show_bundle(bundle: Bundle | None) -> str:
    """Format a Bundle as Android does: without quotes, which makes it impossible to parse."""
    if bundle is None:
        return "null"
    return f"Bundle[{{{', '.join(f'{name}={_shown(value)}' for name, value in bundle.items())}}}]"


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "null" if value is None else str(value)


async def _write_rows(call: CommandCall, rows: list[Row], query: Query, sort: str) -> None:
    from ...packages.where import compile_where, sort_rows

    holds = compile_where(query.where)
    rows = sort_rows([row for row in rows if holds(row)], sort)
    if not rows:
        await call.write("No result found.\n")
        return
    for number, row in enumerate(rows):
        columns = query.columns or list(row)
        for column in columns:
            if column not in row:
                raise ProviderProblem(
                    f"java.lang.IllegalArgumentException: Invalid column {column}"
                )
        cells = ", ".join(
            f"{column}={'NULL' if row[column] is None else row[column]}" for column in columns
        )
        await call.write(f"Row: {number} {cells}\n")
