"""The jar that is pushed to a phone, and the names that follow from its content."""

import hashlib
import re
import secrets
import shlex
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from .protocol import JAR_FOLDER, MAIN_CLASS, Claim

_FILE = Path(__file__).parent / "handheld-helper.jar"
_NAME = re.compile(r"handheld-helper-[0-9a-f]{16}\.jar")


def is_jar(name: str) -> bool:
    """Return whether a file with that name is one of our jars, of any build."""
    return _NAME.fullmatch(name) is not None


@dataclass(frozen=True)
class Jar:
    """The helper's program as bytes."""

    data: bytes

    @cached_property
    def sha256(self) -> str:
        return hashlib.sha256(self.data).hexdigest()

    @property
    def build(self) -> str:
        """The helper's build id in HELLO."""
        return self.sha256[:16]

    @property
    def path(self) -> str:
        return f"{JAR_FOLDER}/handheld-helper-{self.build}.jar"

    def temporary(self) -> str:
        """Return a new path for the jar while it is being sent. The next helper that starts removes
        what an interrupted push leaves there."""
        return f"{self.path}.{secrets.token_hex(4)}.tmp"

    def start_command(self, *, host: str, pid: int, client: str, claim: Claim | None = None) -> str:
        """Return the shell command that runs it and names its holder."""
        words = [f"host={host}", f"pid={pid}", f"client={client}"]
        if claim is not None:
            words.append(f"claim={claim}")
        holder = " ".join(shlex.quote(word) for word in words)
        program = f"app_process / --nice-name=handheld {MAIN_CLASS}"
        return f"CLASSPATH={self.path} exec {program} {holder}"


@cache
def bundled_jar() -> Jar:
    """Return the bundled jar, which `make helper` builds from `helper/`."""
    return Jar(_FILE.read_bytes())
