"""Installing and removing packages: the verbs of `pm` and `cmd package` for APKs.

`VERBS` has a function for each verb; other modules call `VERBS[word](call, rest)`.
"""

import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from ...packages.installing.install_checks import InstallFailure, InstallOptions
from ...packages.installing.installer import Incoming, NoSession, TooManySessions
from ...system.android import Android
from ..call import CommandCall, refuse
from ..exceptions import throw
from ..users import NoSuchUser, check_user

_STDIN = "-"
_FLAGS = frozenset(
    "-r -t -d -g -f --dont-kill --full --force-queryable --skip-verification".split()  # noqa: SIM905
)
_FLAGS_ADDED = {
    "-R": Android.install_replaces,
    "--bypass-low-target-sdk-block": Android.install_update_ownership,
    "--update-ownership": Android.install_update_ownership,
}
_VALUES = frozenset(
    "-i -p -S --abi --pkg --user --originating-uri --referrer --install-reason".split()  # noqa: SIM905
)
_VALUES_ADDED = {"--package-source": Android.install_package_source}
_SYSTEM_MAY_READ = "/data/local/tmp/"


class _Problem(Exception):
    """An exception that terminates one of Android's Java programs."""


class _Unknown(_Problem):
    def __init__(self, option: str, colon: str) -> None:
        super().__init__(f"java.lang.IllegalArgumentException: Unknown option{colon} {option}")
        self.option = option


def _java(kind: str, message: str) -> _Problem:
    return _Problem(f"java.lang.{kind}: {message}")


@dataclass(frozen=True, slots=True)
class _Options:
    flags: frozenset[str]
    values: dict[str, str]
    operands: list[str]

    @property
    def size(self) -> int | None:
        text = self.values.get("-S")
        return None if text is None else _number(text, 18)


async def _install(call: CommandCall, words: list[str]) -> None:
    options = _read_install(call, words)
    paths, size = options.operands, options.size
    from_stdin = not paths or paths[0] == _STDIN
    if from_stdin and size is None:
        if call.phone.world.android.install_opens_null:
            await _check_readable(call, "null")
        call.code = 1
        await call.write("Error: must either specify a package size or an APK file\n")
        return
    if from_stdin and len(paths) > 1:
        # Android accepts several files here; adb never sends them.
        await refuse(call, "Error: this phone reads one APK from stdin, not several", 1)
        return
    installer, install_options = call.phone.world.installer, _install_options(call, options)
    if from_stdin:
        sources = {"base.apk": _STDIN}
    elif len(paths) == 1:
        sources = {"base.apk": paths[0]}
    else:
        sources = {path.rpartition("/")[2]: path for path in paths}
    for path in sources.values():
        await _check_readable(call, path)
    try:
        session = installer.create(install_options, size or 0)
    except InstallFailure:
        await _take(call, None, size or 0)
        raise
    try:
        for name, path in sources.items():
            await _copy(call, session.id, name, path, size or 0)
    except BaseException:
        installer.abandon(session.id)
        raise
    installer.commit(session.id)
    await call.write("Success\n")


async def _create(call: CommandCall, words: list[str]) -> None:
    options = _read_install(call, words)
    session = call.phone.world.installer.create(_install_options(call, options), options.size or 0)
    await call.write(f"Success: created install session [{session.id}]\n")


async def _write_split(call: CommandCall, words: list[str]) -> None:
    options = _read(words, frozenset(), frozenset(("-S",)), colon=":")
    operands = options.operands
    number = _number(operands[0] if operands else None)
    name = operands[1] if len(operands) > 1 else ""
    path = operands[2] if len(operands) > 2 else _STDIN
    if path == _STDIN and options.size is None:
        await refuse(call, "Error: must specify a APK size", 1)
        return
    await _check_readable(call, path)
    size = await _copy(call, number, name, path, options.size or 0)
    await call.write(f"Success: streamed {size} bytes\n")


async def _commit(call: CommandCall, words: list[str]) -> None:
    android = call.phone.world.android
    if not android.install_commit_options and words and words[0].startswith("-"):
        # An option is either skipped or parsed as the session's number.
        words = words[1:] if android.install_commit_skips else ["--", *words]
    options = _read(words, frozenset(), frozenset(("--staged-ready-timeout",)), colon=":")
    call.phone.world.installer.commit(_number(options.operands[0] if options.operands else None))
    await call.write("Success\n")


async def _abandon(call: CommandCall, words: list[str]) -> None:
    call.phone.world.installer.abandon(_number(words[0] if words else None))
    await call.write("Success\n")


async def _uninstall(call: CommandCall, words: list[str]) -> None:
    try:
        options = _read(words, frozenset(("-k",)), frozenset(("--user", "--versionCode")))
    except _Unknown as unknown:
        call.code = 1
        await call.write(f"Error: Unknown option: {unknown.option}\n")
        return
    _check_user(call, options)
    version = options.values.get("--versionCode")
    expected = None if version is None else _number(version)
    if not options.operands:
        call.code = 1
        await call.write("Error: package name not specified\n")
        return
    package, *splits = options.operands
    world = call.phone.world
    if package not in world.apps:
        named = options.values.get("--user", "all") != "all"
        if named or not world.android.uninstall_unknown_fails:
            raise InstallFailure("not installed for 0")
        raise InstallFailure("DELETE_FAILED_INTERNAL_ERROR")
    if splits or expected not in (None, world.apps[package].version_code):
        raise InstallFailure("DELETE_FAILED_INTERNAL_ERROR")
    world.installer.uninstall(package, keep_data="-k" in options.flags)
    await call.write("Success\n")


# Parsing


def _read_install(call: CommandCall, words: list[str]) -> _Options:
    android = call.phone.world.android
    flags = _FLAGS | {name for name, change in _FLAGS_ADDED.items() if android.has(change)}
    values = _VALUES | {name for name, change in _VALUES_ADDED.items() if android.has(change)}
    options = _read(words, flags, values)
    _check_user(call, options)
    return options


def _read(
    words: list[str], flags: frozenset[str], values: frozenset[str], colon: str = ""
) -> _Options:
    """Parse the options. `colon` is the text after `Unknown option` in the command's error."""
    found: set[str] = set()
    given: dict[str, str] = {}
    rest = iter(words)
    operands: list[str] = []
    for word in rest:
        if operands or word == _STDIN or not word.startswith("-"):
            operands.append(word)
        elif word == "--":
            operands += rest
        elif word in flags:
            found.add(word)
        elif word in values:
            value = next(rest, None)
            if value is None and word == "-i":
                raise _java("IllegalArgumentException", "Missing installer package")
            if value is None and word == "-S":
                _number(None)
            if value is None:
                raise _java("IllegalArgumentException", f'Argument expected after "{word}"')
            given[word] = value
        else:
            raise _Unknown(word, colon)
    return _Options(frozenset(found), given, operands)


def _install_options(call: CommandCall, options: _Options) -> InstallOptions:
    by_default = call.phone.world.android.install_replaces
    return InstallOptions(
        replace="-R" not in options.flags if by_default else "-r" in options.flags,
        downgrade="-d" in options.flags,
        test="-t" in options.flags,
        grant="-g" in options.flags,
        any_target="--bypass-low-target-sdk-block" in options.flags,
        inherit=options.values.get("-p"),
        installer=options.values.get("-i"),
        package=options.values.get("--pkg"),
    )


def _number(text: str | None, digits: int = 10) -> int:
    if text is None:
        raise _java("NumberFormatException", "s == null")
    if not text.isascii() or not text.isdigit() or len(text) > digits:
        raise _java("NumberFormatException", f'For input string: "{text}"')
    return int(text)


def _check_user(call: CommandCall, options: _Options) -> None:
    user = options.values.get("--user", "all")
    if user != "all":
        check_user(call, user)


# Receiving files


async def _check_readable(call: CommandCall, path: str) -> None:
    """Check that the system can open a file; it may not read the shared storage."""
    if path == _STDIN:
        return
    whole = call.path(path)
    with contextlib.suppress(OSError):
        if call.files.real_path(whole).startswith(_SYSTEM_MAY_READ):
            call.files.open(whole).close()
            return
    message = f"Error: Unable to open file: {path}\n"
    if not whole.startswith(_SYSTEM_MAY_READ):
        message += f"Consider using a file under {_SYSTEM_MAY_READ}\n"
    await refuse(call, f"{message}Error: Can't open file: {path}")
    raise _java("IllegalArgumentException", f"Error: Can't open file: {path}")


async def _copy(call: CommandCall, session: int, name: str, path: str, size: int) -> int:
    """Write a file into a session; return its size."""
    try:
        incoming = call.phone.world.installer.receive(session, name)
    except ValueError as wrong:
        raise _java("IllegalArgumentException", str(wrong)) from None
    with incoming:
        if path == _STDIN:
            await _take(call, incoming, size)
        else:
            with call.files.open(call.path(path)) as source:
                while data := source.read():
                    incoming.write(data)
    if incoming.failure is not None:
        raise incoming.failure
    return incoming.size


async def _take(call: CommandCall, incoming: Incoming | None, size: int) -> None:
    """Read all input even after an error, because the sender only listens at the end."""
    while size > 0 and (data := await call.process.stdin.read(min(size, 65536))):
        size -= len(data)
        if incoming is not None:
            incoming.write(data)


# Outcomes

Verb = Callable[[CommandCall, list[str]], Awaitable[None]]


def _verb(name: str, body: Verb) -> Verb:
    async def run(call: CommandCall, words: list[str]) -> None:
        try:
            await body(call, words)
        except InstallFailure as failure:
            call.code = 1
            await call.write(f"{failure}\n")
        except TooManySessions as problem:
            await throw(call, name, f"java.lang.IllegalStateException: {problem}")
        except NoSession as problem:
            await throw(call, name, f"java.lang.SecurityException: {problem}")
        except (_Problem, NoSuchUser) as problem:
            await throw(call, name, str(problem))

    return run


VERBS: dict[str, Verb] = {
    name: _verb(name, body)
    for name, body in {
        "install": _install,
        "install-create": _create,
        "install-write": _write_split,
        "install-commit": _commit,
        "install-abandon": _abandon,
        "uninstall": _uninstall,
    }.items()
}
