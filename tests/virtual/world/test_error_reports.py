"""The stack trace of an app in Python has the frames of the app only, not those of the phone."""

from collections.abc import Callable
from pathlib import Path

import pytest

import handheld_virtual
from handheld_virtual.packages.error_reports import describe_exception

PHONE = Path(str(handheld_virtual.__file__)).parent
CODE = """
def tap():
    raise ValueError("x")
"""


def failing(file: Path) -> Callable[[], None]:
    """A function from a file that raises an exception."""
    space: dict[str, Callable[[], None]] = {}
    exec(compile(CODE, str(file), "exec"), space)
    return space["tap"]


@pytest.mark.parametrize(
    ("file", "shown"),
    [
        (PHONE / "apps" / "calculator.py", True),
        (PHONE / "views" / "view.py", False),
        (PHONE / "packages" / "app.py", False),
        (PHONE.parent / "handheld" / "tasks" / "apps.py", True),
        (Path("/home/ada/hello.py"), True),
    ],
)
def test_only_frames_of_apps_are_shown(file: Path, shown: bool) -> None:
    with pytest.raises(ValueError, match="x") as raised:
        failing(file)()
    title, *frames = describe_exception(raised.value, "org.example.hello")
    assert title == "java.lang.RuntimeException: x"
    own = f"\tat org.example.hello.tap({file.name}:3)"
    assert (own in frames) == shown
