"""What the virtual phone logs of a blocked start, beside Android's own classes that log it."""

import re
import zipfile

import pytest

from handheld_virtual.packages.blocked_starts import Blocked, beginning_of, describe, fields_of

from .jvm import BUILT, JARS

pytestmark = pytest.mark.needs_framework
STARTER = "ActivityStarter"
CONTROLLER = "BackgroundActivityStartController"


def constants(api: int, name: str) -> list[str]:
    """The texts in a class of Android's window manager, in the order of their first use."""
    [jar] = (BUILT / "android").glob(f"android-all-instrumented-{JARS[api]}-robolectric-*.jar")
    with zipfile.ZipFile(jar) as classes:
        data = classes.read(f"com/android/server/wm/{name}.class")
    # Modified UTF-8 in the pool of constants: a tag, the length in two bytes, the text.
    texts = re.findall(rb"\x01(..)([\x20-\x7e]+)", data, re.DOTALL)
    return [text[: int.from_bytes(size, "big")].decode() for size, text in texts]


@pytest.mark.parametrize("api", [30, 33, 34, 35])
def test_a_blocked_start_is_logged_with_androids_fields(api: int) -> None:
    said = constants(api, STARTER if api < 34 else CONTROLLER)
    printed = said if api < 35 else constants(api, f"{CONTROLLER}$BalState")
    names = [found[1] for text in printed if (found := re.fullmatch(r"; (\w+): ", text))]
    own = fields_of(api)
    assert own[0] == "callingPackage"
    assert any(text.endswith("[callingPackage: ") for text in printed)
    begins = names.index(own[1])
    assert tuple(names[begins : begins + len(own) - 1]) == own[1:]
    line = describe(Blocked("org.notes", 30, 10123, 2000, "Intent { }"), api)
    begun = [text for text in said if text.startswith(beginning_of(api))]
    assert any(line.message.startswith(text) for text in begun)
    assert line.message.endswith("]")
