"""Query the permissions of adb's shell, which calls apps' services, with Android's own commands.

Unknown permissions are not an error: then a call reports Android's refusal.
"""

import re

from ...adb import shell
from ...adb.link import AdbError, Link

SECONDS = 5.0
LIMIT = 1024 * 1024
DUMP = ("dumpsys", "package", "com.android.shell")
_GRANTED = re.compile(r"^[^\S\n]+([\w.]{1,255}): granted=true", re.MULTILINE)


async def read_shell_permissions(link: Link) -> frozenset[str] | None:
    """Return the granted permissions; None if unknown."""
    try:
        result = await shell.run(link, DUMP, timeout=SECONDS, limit=LIMIT)
    except AdbError:
        return None
    return find_granted(result.stdout.decode(errors="replace")) or None


def find_granted(text: str) -> frozenset[str]:
    """Parse the output of `dumpsys package` about the shell."""
    return frozenset(_GRANTED.findall(text))
