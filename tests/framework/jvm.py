"""A phone made of Android's own code: its framework classes on a JVM, and our helper among them.

The helper is the program that phones run, with its own calls into Android. The app shows the
framework's own widgets. adb, files and packages around it are the virtual phone's.
"""

import asyncio
import json
import os
import shutil
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from handheld.helper.jar import bundled_jar
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.sh.process import Process
from harness.polling import HANG

ROOT = Path(__file__).parent.parent.parent
BUILT = ROOT / "helper" / "robolectric" / "target"
MAIN = "dev.handheld.helper.framework.FrameworkMain"
CLASSPATH = BUILT / "classpath.txt"
SAMPLES = ROOT / "app-tools" / "samples"
JARS = {28: "9", 30: "11", 33: "13", 34: "14", 35: "15"}
"""Android's version by its level, as the names of the jars have it."""
QUICK = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto", "-Xmx1g")


def why_not() -> str | None:
    """Why it cannot run here; None when it can."""
    if shutil.which("java") is None:
        return "no java: `bash .ci/run` installs a JDK"
    return None if CLASSPATH.exists() else "not built: `make test WHAT=framework` builds it"


def _classpath(api: int) -> str:
    # One release alone: classes that only a newer one has would be found in its jar.
    [android] = (BUILT / "android").glob(f"android-all-instrumented-{JARS[api]}-robolectric-*.jar")
    own = (BUILT / "test-classes", BUILT / "classes", BUILT / "monitor" / "classes.jar", android)
    # What goes into the samples' APKs, of which the phone reads the rest.
    apps = (*SAMPLES.glob("*/target/classes"), *SAMPLES.glob("*/target/libraries/*.jar"))
    libraries = CLASSPATH.read_text(encoding="utf-8").strip()
    return os.pathsep.join([*map(str, (*own, *apps)), libraries])


class FrameworkPhone:
    """One JVM, and the virtual phone through whose adb it is reached."""

    def __init__(
        self,
        device: VirtualPhone,
        process: asyncio.subprocess.Process,
        requests: asyncio.StreamWriter,
        replies: asyncio.StreamReader,
    ) -> None:
        self.device = device
        self._process = process
        self._requests, self._replies = requests, replies
        self._used = False

    async def run(self, program: Process) -> int:
        """`app_process` of the virtual phone: the JVM, which runs already, is the helper."""
        if self._used:
            await program.stderr.write(b"This phone starts its helper once.\n")
            return 1
        self._used = True
        await self.ask("serve")
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        stdin, stdout = self._process.stdin, self._process.stdout

        async def feed() -> None:
            while data := await program.stdin.read():
                stdin.write(data)
                await stdin.drain()
            stdin.close()

        feeding = asyncio.create_task(feed())
        try:
            while data := await stdout.read(65536):
                await program.stdout.write(data)
            return await self._process.wait()
        finally:
            feeding.cancel()
            await asyncio.gather(feeding, return_exceptions=True)

    async def ask(self, do: str, *, seconds: float = HANG, **arguments: Any) -> Any:
        """What the test wants of the app, beside the helper."""
        self._requests.write(json.dumps({"do": do, **arguments}).encode() + b"\n")
        async with asyncio.timeout(seconds):
            line = await self._replies.readline()
        assert line, f"The JVM ended with {await self._process.wait()}."
        reply = json.loads(line)
        assert "error" not in reply, reply["error"]
        return reply["value"]

    async def show(self, page: str) -> None:
        """A new activity with that page, in place of the one before."""
        await self.ask("show", page=page)

    async def state(self, view: str) -> dict[str, Any]:
        """What the view itself says it is like."""
        return await self.ask("state", view=view)

    async def elapse(self, ms: int) -> None:
        """Let the phone's time pass."""
        await self.ask("elapse", ms=ms)

    async def linger(self) -> None:
        """Let the app meet the question after the next one before it is done with the next."""
        await self.ask("linger")

    async def log(self) -> list[str]:
        """What the app's listeners noticed, since last asked."""
        return await self.ask("log")

    async def run_trial(self, trial: dict[str, Any]) -> list[dict[str, Any]]:
        """What the widget answers, and what it is like at first and after each step."""
        return await self.ask("trial", **trial)

    async def events(self) -> list[dict[str, Any]]:
        """The accessibility events that the framework sent, since last asked."""
        return await self.ask("events")


async def _open_pipes(into: int, out_of: int) -> tuple[asyncio.StreamWriter, asyncio.StreamReader]:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(1 << 24)
    protocol = asyncio.StreamReaderProtocol(reader)
    await loop.connect_read_pipe(lambda: protocol, os.fdopen(out_of, "rb", 0))
    transport, _ = await loop.connect_write_pipe(
        lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader()), os.fdopen(into, "wb", 0)
    )
    return asyncio.StreamWriter(transport, protocol, None, loop), reader


@asynccontextmanager
async def open_phone(api: int) -> AsyncGenerator[FrameworkPhone]:
    jar = bundled_jar()
    from_here, into = os.pipe()
    out_of, to_here = os.pipe()
    with tempfile.TemporaryDirectory(prefix="handheld-framework-") as folder:
        process = await asyncio.create_subprocess_exec(
            *("java", *QUICK, "-Drobolectric.offline=true"),
            *(f"-Drobolectric.dependency.dir={BUILT / 'android'}", "-cp", _classpath(api), MAIN),
            *(str(api), f"/proc/self/fd/{from_here}", f"/proc/self/fd/{to_here}"),
            *(str(folder), jar.build, "host=here", "pid=7", "client=framework"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            pass_fds=(from_here, to_here),
        )
        os.close(from_here)
        os.close(to_here)
        requests, replies = await _open_pipes(into, out_of)
        try:
            async with VirtualPhone(api=api, width=1080, height=2400, density=480) as device:
                phone = FrameworkPhone(device, process, requests, replies)
                device.programs["app_process"] = phone.run
                device.files.write(jar.path, jar.data, 0o444)
                await phone.ask("show", page="fields", seconds=HANG)
                yield phone
        finally:
            with suppress(ProcessLookupError):
                process.kill()
            if process.stdin is not None:
                process.stdin.close()
            assert process.stdout is not None
            while await process.stdout.read(65536):
                pass  # asyncio does not count a process as gone before its output is read
            await process.wait()
            requests.close()
