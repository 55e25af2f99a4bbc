"""Shell commands on the phone, and what became of them."""

from collections.abc import Callable

from ..adb import shell
from ..adb.link import AdbError, Link, NoAnswer
from ..adb.shell import ShellResult
from ..helper.protocol import Code, Happened, HelperFailure
from ..helper.session import HelperLost
from ..ui.text import cut, plain
from .makers import ask_for_touching

SECONDS = 30.0
LIMIT = 16 * 1024 * 1024

_REFUSED = ("INJECT_EVENTS", "Injecting to another application requires")


class Commands:
    """The phone's shell. Failures have the helper's own codes, so that a tool says the same of them
    whoever did its work."""

    def __init__(self, link: Link) -> None:
        self.link = link
        self._api = 0

    async def run(
        self,
        line: str,
        *,
        act: bool = False,
        seconds: float = SECONDS,
        limit: int = LIMIT,
        heard: Callable[[bytes], object] | None = None,
    ) -> ShellResult:
        """Run a command line to its end; `heard` is given what it prints as it comes.

        Raises AdbError when it was not begun or changes nothing, HelperLost when nobody knows what
        became of it."""
        name = line.split(None, 1)[0]
        begun = False
        try:
            async with self.link.clock.timeout(seconds):
                process = await shell.spawn(self.link, line)
                begun = True
                try:
                    return await shell.finish(process, name, None, limit, heard)
                finally:
                    await process.aclose()
        except TimeoutError:
            problem: AdbError = NoAnswer(
                f"The command {name} on the phone did not end within {seconds:g} s."
            )
        except AdbError as failure:
            problem = failure
        if act and begun:
            raise HelperLost(str(problem), Happened.MAYBE) from problem
        raise problem

    async def ask(self, line: str, *, seconds: float = SECONDS) -> str:
        """What a command prints, whatever its exit code says: Android's are of little meaning."""
        result = await self.run(line, seconds=seconds)
        return result.stdout.decode(errors="replace")

    async def do(self, line: str, *, seconds: float = SECONDS) -> None:
        """A command that is silent when it succeeds. Raises HelperFailure with its own words."""
        await self.check(await self.run(line, act=True, seconds=seconds))

    async def check(self, result: ShellResult) -> None:
        """Raises HelperFailure where a command that is silent when it succeeds said something."""
        said = (result.stderr + result.stdout).decode(errors="replace").strip()
        if any(sign in said for sign in _REFUSED):
            touching = await ask_for_touching(self.link)
            raise HelperFailure(Code.INPUT_REFUSED, said, data={"touching": touching})
        if result.code or said.startswith(
            ("Error", "Exception", "Security", "Unknown command", "cmd:")
        ):
            raise HelperFailure(Code.FAILED, f"Android said: {first_line(said)}.", Happened.MAYBE)

    async def api(self) -> int:
        """Android's level. Raises AdbError."""
        if not self._api:
            said = (await self.ask("getprop ro.build.version.sdk")).strip()
            if not said.isdecimal():
                raise AdbError(f"The phone does not say which Android it runs: {said[:80]!r}.")
            self._api = int(said)
        return self._api

    async def boot_id(self) -> str:
        """What the kernel drew at its start, or "". Raises AdbError."""
        said = await self.ask("cat /proc/sys/kernel/random/boot_id")
        return said.strip()

    async def user(self) -> int:
        """The user in front. Asked each time: phones change hands. Raises AdbError."""
        said = (await self.ask("am get-current-user")).strip()
        if not said.isdecimal():
            raise AdbError(f"The phone does not say which user is in front: {said[:80]!r}.")
        return int(said)


def first_line(said: str) -> str:
    """What was said, short enough for a sentence."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    # An exception's own line says more than that there was one.
    named = [line for line in lines if "Exception:" in line or line.startswith("Error:")]
    chosen = (named or lines or ["nothing"])[0]
    return cut(plain(chosen), 200).removesuffix(".")
