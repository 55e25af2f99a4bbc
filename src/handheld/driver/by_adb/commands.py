"""Shell commands on the phone and their outcome."""

from collections.abc import Callable

from ...adb import shell
from ...adb.link import AdbError, Link, NoAnswer
from ...adb.shell import ShellResult
from ...helper.protocol import Code, Happened, HelperFailure
from ...helper.session import HelperLost
from ...screen.characters import plain
from ...screen.text import cut
from .left_file import READ
from .vendor_hints import ask_for_touching

SECONDS = 30.0
LIMIT = 16 * 1024 * 1024
LONGEST_LINE = 60_000
"""Bytes of a command line: the adb server accepts 65,535, including the request around it."""

USER_LINE = "am get-current-user"
"""Prints the foreground user: most of Android's commands act for that user only if told to."""
_REFUSED = ("INJECT_EVENTS", "Injecting to another application requires")


class Commands:
    """The phone's shell. Failures have the helper's codes, so that a tool reports them in the same
    way."""

    def __init__(self, link: Link) -> None:
        self.link = link
        self.acts = 0
        """The number of acting commands that were started."""
        self._api = 0

    async def run(
        self,
        line: str,
        *,
        act: bool = False,
        seconds: float = SECONDS,
        limit: int = LIMIT,
        on_output: Callable[[bytes], object] | None = None,
    ) -> ShellResult:
        """Run a command line to its end; `on_output` receives its output as it arrives.

        Raises AdbError when it was not started or changes nothing, HelperLost when its outcome is
        unknown."""
        name = line.split(None, 1)[0]
        begun = False
        try:
            async with self.link.clock.timeout(seconds):
                process = await shell.spawn(self.link, line)
                begun = True
                self.acts += act
                try:
                    return await shell.finish(process, name, None, limit, on_output)
                finally:
                    await process.aclose()
        except TimeoutError:
            problem: AdbError = NoAnswer(
                f"The command {name} on the phone did not end within {seconds:g} s."
            )
            begun = True
        except AdbError as failure:
            problem = failure
        if act and (begun or problem.begun):
            raise HelperLost(str(problem), Happened.MAYBE) from problem
        raise problem

    async def ask(self, line: str, *, seconds: float = SECONDS) -> str:
        """Return a command's output regardless of its exit code: Android's are not reliable."""
        result = await self.run(line, seconds=seconds)
        return result.stdout.decode(errors="replace")

    async def do(self, line: str, *, seconds: float = SECONDS) -> None:
        """Run a command that is silent on success. Raises HelperFailure with its output."""
        await self.check(await self.run(line, act=True, seconds=seconds))

    async def check(self, result: ShellResult) -> None:
        """Raise HelperFailure if a command that is silent on success reported an error."""
        output = (result.stderr + result.stdout).decode(errors="replace").strip()
        if any(sign in output for sign in _REFUSED):
            touching = await ask_for_touching(self.link)
            raise HelperFailure(Code.INPUT_REFUSED, output, data={"touching": touching})
        if result.code or output.startswith(
            ("Error", "Exception", "Security", "Unknown command", "cmd:")
        ):
            raise HelperFailure(Code.FAILED, f"Android said: {first_line(output)}.", Happened.MAYBE)

    async def api(self) -> int:
        """Return Android's API level. Raises AdbError."""
        if not self._api:
            output = (await self.ask("getprop ro.build.version.sdk")).strip()
            if not output.isdecimal():
                raise AdbError(f"The phone does not report its Android version: {output[:80]!r}.")
            self._api = int(output)
        return self._api

    async def boot_id(self) -> tuple[str, str]:
        """Return the kernel's boot id, or "", and the content of `left_file`. Raises AdbError."""
        output = await self.ask(f"cat /proc/sys/kernel/random/boot_id; {READ}")
        boot, _, left = output.partition("\n")
        return boot.strip(), left

    async def user(self) -> int:
        """Return the foreground user. Not cached: it may change at any time. Raises AdbError."""
        return read_user(await self.ask(USER_LINE))


def read_user(printed: str) -> int:
    """Parse the output of USER_LINE. Raises AdbError."""
    word = printed.strip()
    if not (word.isascii() and word.isdigit() and len(word) < 10):
        raise AdbError(
            f"The phone did not report its current user; it printed: {first_line(word)}."
        )
    return int(word)


def first_line(text: str) -> str:
    """Return the most informative line, short enough for a sentence."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    # The line with the exception is more informative than the one before it.
    named = [line for line in lines if "Exception:" in line or line.startswith("Error:")]
    chosen = (named or lines or ["nothing"])[0]
    return cut(plain(chosen), 200).removesuffix(".")
