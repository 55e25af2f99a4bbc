"""The first minutes of a new user: from `git clone`, `pip install` or `uvx` to the first tool call.

Each way is taken twice. The first time every cache is empty; the second time pip and uv have what
they fetched and built, and uv the whole environment. The clone is taken from this disk both times,
and its figure has the end of the demo in it.
"""

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from .figures import Figure, show
from .installing import (
    Sandbox,
    Spent,
    ask_demo,
    call_first_tool,
    install_with_pip,
    measured,
    uvx_command,
)

ROOT = Path(__file__).resolve().parent.parent
UV = ROOT / "build/tools/bin/uv"


def main() -> int:
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory() as folder:
        files = Path(folder) / "dist"
        build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(files)]
        subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
        (wheel,) = files.glob("*.whl")

        def take_pip(sandbox: Sandbox) -> None:
            command = install_with_pip(sandbox, sys.executable, wheel)
            call_first_tool(sandbox, command)

        def take_uvx(sandbox: Sandbox) -> None:
            call_first_tool(sandbox, uvx_command(UV, sys.executable, files))

        def take_clone(sandbox: Sandbox) -> None:
            clone = Path(tempfile.mkdtemp(dir=sandbox.folder))
            sandbox.run("git", "clone", "--quiet", f"file://{ROOT}", clone)
            ask_demo(sandbox, ["make", f"PYTHON={sys.executable}"], cwd=clone)

        ways = {"pip install": take_pip, "uvx": take_uvx, "git clone and make demo": take_clone}
        for name, take in ways.items():
            print(f"Measuring {name} …", file=sys.stderr)
            figures += _measure(name, take, Path(folder) / name.replace(" ", "-"))
    print(show(figures))
    return 0


def _measure(name: str, take: Callable[[Sandbox], None], folder: Path) -> Iterator[Figure]:
    sandbox = Sandbox(folder)
    sandbox.folder.mkdir()
    cold, warm = _time(take, sandbox), _time(take, sandbox)
    yield Figure(f"{name} to the first tool call", cold.seconds, "s")
    yield Figure("  processor time of it", cold.processor_seconds, "s")
    yield Figure("  again, with its caches", warm.seconds, "s")


def _time(take: Callable[[Sandbox], None], sandbox: Sandbox) -> Spent:
    with measured() as spent:
        take(sandbox)
    return spent


if __name__ == "__main__":
    sys.exit(main())
