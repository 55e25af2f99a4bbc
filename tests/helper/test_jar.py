"""The jar for real phones, inspected with Android's dexdump."""

import shutil
import subprocess
from pathlib import Path

import pytest

from handheld.helper.jar import bundled_jar
from handheld.helper.protocol import MAIN_CLASS
from handheld_virtual.reference_helper.commands.commands import COMMANDS

pytestmark = pytest.mark.needs_java


@pytest.fixture
def listing(tmp_path: Path) -> str:
    """dexdump's output for the jar."""
    if shutil.which("dexdump") is None:
        pytest.fail("There is no dexdump. On Debian: apt-get install dexdump")
    path = tmp_path / "helper.jar"
    path.write_bytes(bundled_jar().data)
    done = subprocess.run(["dexdump", "-d", str(path)], capture_output=True, check=True)
    # Strings are printed in modified UTF-8.
    return done.stdout.decode(errors="replace")


def test_jar_contains_only_our_classes(listing: str) -> None:
    words = [line.split("'")[1] for line in listing.splitlines() if "Class descriptor" in line]
    classes = [word.strip("L;").replace("/", ".") for word in words]
    assert MAIN_CLASS in classes
    assert {name.rpartition(".")[0] for name in classes} == {
        f"dev.handheld.helper{part}"
        for part in ("", ".commands", ".compat", ".device", ".protocol")
    }
    for command in COMMANDS:
        name = "".join(part.capitalize() for part in command.split("_"))
        assert f"dev.handheld.helper.commands.{name}" in classes


def test_jar_has_the_main_class(listing: str) -> None:
    """app_process requires exactly this method."""
    described = listing.split(f"L{MAIN_CLASS.replace('.', '/')};")
    assert any("name          : 'main'" in part for part in described)
    assert "type          : '([Ljava/lang/String;)V'" in listing


def test_jar_uses_only_what_android_has(listing: str) -> None:
    """Lambdas would need a runtime class that Android does not have."""
    assert "invoke-custom" not in listing
    assert "LambdaMetafactory" not in listing
