"""Installing by Android's `cmd package`, to which the files are streamed.

One command on the phone does everything: it creates a session, writes each file into it from the
stream, and commits it only on command at the end. If anything fails before, the session is
abandoned, by the phone itself if the connection is lost, and nothing is installed.
"""

import asyncio
import re
from collections.abc import Sequence
from contextlib import suppress

from ...adb.link import AdbError, ByteStream, Link, LinkLost, NoAnswer
from ...clock import Timeout
from ...helper.protocol import Happened
from ...helper.session import HelperLost
from ...progress import report
from ..packages import NOTHING_INSTALLED, PACKAGE, ApkFile, InstallOptions, InstallRefused
from .commands import first_line

IDLE_SECONDS = 30.0
"""The time limit for the phone to accept further bytes."""
INSTALL_SECONDS = 300.0
"""The time limit for the installation: Android verifies and compiles the code, and may ask."""
OUTPUT_LIMIT = 64 * 1024

_CHUNK = 256 * 1024
_COMMIT = b"commit\n"
SENDING, CHECKING = "Sending the package to the phone", "Android is checking the package"
_OLD_TARGET = (
    '$([ "$(getprop ro.build.version.sdk)" -ge 34 ] && echo --bypass-low-target-sdk-block)'
)
"""Before Android 14 no target SDK is too old, and the option is unknown."""
_ONLY = '$([ "$(getprop ro.build.version.sdk)" -ge 30 ] && echo --pkg {package})'
"""Makes Android refuse files of any other package: it may parse a manifest differently than we do.
Before Android 11 not every release has the option."""
# All programs here would inherit the stream as standard input: those that must not read it get
# /dev/null.
_CREATE = """\
u=$(am get-current-user </dev/null)
r=$(cmd package install-create {options} --user "$u" -S {size} </dev/null 2>&1)
case $r in *"created install session ["*) ;; *) print -r -- "$r"; exit 1;; esac
s=${{r##*\\[}}; s=${{s%%\\]*}}
drop() {{ cmd package install-abandon "$s" </dev/null >/dev/null 2>&1; print -r -- "$1"; exit 1; }}
put() {{
  r=$(cmd package install-write -S "$2" "$s" "$1.apk" - 2>&1)
  case $r in *Success*) ;; *) drop "$r";; esac
}}
"""
_END = """\
read -r go
[ "$go" = commit ] || drop 'Failure [INSTALL_FAILED_ABORTED: the files did not arrive]'
r=$(cmd package install-commit "$s" </dev/null 2>&1)
case $r in *Success*) print -r -- "$r";; *) drop "$r";; esac
"""
_SUCCESS = re.compile(r"^Success\b", re.MULTILINE)
_FAILURE = re.compile(r"Failure \[([A-Z][A-Z0-9_]{0,99})(?:: (.*))?\]", re.DOTALL)


def read_answer(printed: str) -> InstallRefused | None:
    """Parse the output of an installation's commands; None for a success."""
    # The failure is the last output. It may contain an app's text, with brackets and line breaks.
    said = printed.rstrip()
    failure = _FAILURE.fullmatch(said, max(said.rfind("\nFailure [") + 1, 0))
    if failure is not None:
        return InstallRefused(failure[1], first_line(failure[2]) if failure[2] else "")
    if _SUCCESS.search(printed) and "Failure" not in printed:
        return None
    return InstallRefused("", first_line(printed))


async def install(link: Link, parts: Sequence[ApkFile], options: InstallOptions) -> None:
    """Install one app. A cancellation has a note if nothing was done. Raises InstallRefused,
    HelperLost, AdbError."""
    sending = _Sending(link, parts)
    try:
        printed = await sending.send(write_script(parts, options))
    except asyncio.CancelledError as stop:
        if not sending.committed:
            stop.add_note(NOTHING_INSTALLED)
        raise
    except AdbError as problem:
        if not sending.committed:
            raise
        raise HelperLost(str(problem), Happened.MAYBE) from problem
    if (refused := read_answer(printed)) is not None:
        raise refused


def write_script(parts: Sequence[ApkFile], options: InstallOptions) -> str:
    """Return the command, which reads the parts and `commit` from its standard input."""
    words = ["-r"]
    words += ["-d"] if options.downgrade else []
    words += ["-t"] if options.test else []
    words += ["-g"] if options.grant else []
    words += [_OLD_TARGET] if options.old_target else []
    if PACKAGE.fullmatch(options.package):
        words.append(_ONLY.format(package=options.package))
    size = sum(part.size for part in parts)
    puts = "".join(f"put {number} {part.size}\n" for number, part in enumerate(parts))
    return _CREATE.format(options=" ".join(words), size=size) + puts + _END


class _Sending:
    """The progress of one installation."""

    def __init__(self, link: Link, parts: Sequence[ApkFile]) -> None:
        self._link = link
        self._parts = parts
        self.committed = False
        """Whether the phone may have been told to install the files."""

    async def send(self, script: str) -> str:
        """Return the phone's output. Raises AdbError."""
        try:
            async with self._link.clock.timeout(IDLE_SECONDS) as idle:
                stream = await self._link.open(f"exec:{script}")
                try:
                    return await self._exchange(stream, idle)
                finally:
                    await stream.aclose()
        except TimeoutError:
            if not self.committed:
                raise NoAnswer(f"The phone accepted no bytes for {IDLE_SECONDS:g} s.") from None
            raise NoAnswer(
                f"The phone did not end the installation within {INSTALL_SECONDS:g} s."
            ) from None

    async def _exchange(self, stream: ByteStream, idle: Timeout) -> str:
        reading = asyncio.create_task(_read_all(stream))
        writing = asyncio.create_task(self._write(stream, idle))
        try:
            # The phone may refuse a file before it has all of it, and then stops reading.
            await asyncio.wait({reading, writing}, return_when=asyncio.FIRST_COMPLETED)
            if not reading.done():
                with suppress(LinkLost):
                    await writing
            printed = await reading
            if not printed.strip():
                raise LinkLost("The phone ended the stream without an answer.")
            return printed
        finally:
            for task in (reading, writing):
                task.cancel()
            await asyncio.gather(reading, writing, return_exceptions=True)

    async def _write(self, stream: ByteStream, idle: Timeout) -> None:
        clock = self._link.clock
        sent, total = 0, sum(part.size for part in self._parts)
        for part in self._parts:
            left = part.size
            try:
                # Not in a thread: a task cancelled while it opens the file would leave it open.
                with part.path.open("rb") as file:
                    while left:
                        report(sent, total, SENDING)
                        data = file.read(min(_CHUNK, left))
                        if not data:
                            raise AdbError("The file became shorter while it was sent.")
                        await stream.write(data)
                        left -= len(data)
                        sent += len(data)
                        idle.reschedule(clock.deadline(IDLE_SECONDS))
            except OSError as problem:
                raise AdbError(f"The file cannot be read: {problem.strerror}.") from problem
        report(0, 0, CHECKING)
        idle.reschedule(clock.deadline(INSTALL_SECONDS))
        self.committed = True
        await stream.write(_COMMIT)


async def _read_all(stream: ByteStream) -> str:
    output = bytearray()
    while data := await stream.read():
        output += data
        if len(output) > OUTPUT_LIMIT:
            raise AdbError("The phone's answer is too long.")
    return output.decode(errors="replace")
