"""The virtual phone as a library, in a thread, and as a pytest fixture."""

import asyncio
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import handheld_virtual
from handheld.adb import shell
from handheld.adb.direct import DirectLink
from handheld_virtual import PhoneThread, SceneError, VirtualPhone
from harness.polling import HANG
from harness.work import lines

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[3]


def talk(address: str, *words: str) -> bytes:
    """The output of a command, run from this thread's own loop."""

    async def ask() -> bytes:
        host, _, port = address.rpartition(":")
        link = await DirectLink.connect(host, int(port))
        try:
            return bytes((await shell.run(link, words)).stdout)
        finally:
            await link.aclose()

    return asyncio.run(ask())


def test_every_exported_name_exists() -> None:
    found = {name: getattr(handheld_virtual, name) for name in handheld_virtual.__all__}
    assert all(thing.__name__ == name for name, thing in found.items() if isinstance(thing, type))
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        _ = handheld_virtual.Nothing  # pyright: ignore[reportAttributeAccessIssue]


@pytest.mark.slow
def test_package_imports_nothing_before_first_use() -> None:
    code = (
        "import sys, handheld_virtual, handheld.pytest_plugin\n"
        "print(sorted(n for n in sys.modules if n.startswith(('handheld', 'PIL', 'asyncio'))))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, timeout=HANG
    )
    loaded = done.stdout.decode()
    plugin = "'handheld.pytest_plugin', 'handheld.pytest_plugin.options', 'handheld_virtual'"
    assert plugin in loaded
    assert "PIL" not in loaded
    assert "handheld_virtual.world" not in loaded


async def test_a_further_phone_starts_with_little_work() -> None:
    """The loading by the first phone is part of the time in `make bench`."""
    async with VirtualPhone.from_scene("office") as phone:
        assert phone.address == f"127.0.0.1:{phone.port}"
    with lines(200_000):
        async with VirtualPhone.from_scene("office"):
            pass


def test_a_phone_in_a_thread_is_used_held_and_run() -> None:
    with PhoneThread("office") as used:
        assert talk(used.address, "getprop", "ro.product.model") == b"Handheld Office\n"
        with used.hold() as phone, used.hold() as same:
            assert phone is same
            phone.world.launch("com.android.settings")
        assert used.run(lambda: used.phone.world.front.app.package) == "com.android.settings"

        async def later() -> str:
            await asyncio.sleep(0)
            return used.phone.latency

        assert used.run(later) == "none"
        with pytest.raises(ZeroDivisionError):
            used.run(lambda: 1 // 0)
    used.close()
    with pytest.raises(RuntimeError, match="is not running"):
        used.run(later)


def test_unknown_scene_is_reported_before_anything_starts() -> None:
    with pytest.raises(SceneError, match="No scene is called 'none'"):
        PhoneThread("none")


def test_the_plugin_is_declared_for_pytest() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"handheld": "handheld.pytest_plugin"}


PLAIN = """
import socket
import pytest

def test_plain(virtual_phone):
    host, _, port = virtual_phone.address.rpartition(":")
    socket.create_connection((host, int(port)), 10).close()
    with virtual_phone.hold() as phone:
        assert phone.world.front.app.package == "com.android.launcher3"

@pytest.mark.scene("old", api=30)
def test_marked(virtual_phone):
    with virtual_phone.hold() as phone:
        assert (phone.world.api, phone.world.width) == (30, 720)

@pytest.mark.scene("beside.toml")
def test_beside(virtual_phone):
    assert virtual_phone.phone.model == "Beside"

@pytest.mark.scene("none")
def test_wrong(virtual_phone):
    pass

@pytest.mark.anyio
async def test_asynchronous(virtual_phone):
    import asyncio
    host, _, port = virtual_phone.address.rpartition(":")
    _, writer = await asyncio.open_connection(host, int(port))
    writer.close()
    await writer.wait_closed()
    virtual_phone.run(virtual_phone.phone.faults.drop_link)

@pytest.fixture
def anyio_backend():
    return "asyncio"
"""


@pytest.mark.matrix
def test_the_fixture_serves_plain_and_asynchronous_tests(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makepyfile(PLAIN)
    (pytester.path / "beside.toml").write_text('[phone]\nmodel = "Beside"\n', encoding="utf-8")
    options = ("-p", "handheld.pytest_plugin", "-p", "anyio", "-W", "error")
    result = pytester.runpytest_subprocess(*options, "--strict-markers", timeout=HANG)
    result.assert_outcomes(passed=4, errors=1)
    result.stdout.fnmatch_lines(["*No scene is called 'none'*"])


@pytest.mark.matrix
@pytest.mark.parametrize(("options", "there"), [((), True), (("-p", "no:handheld"), False)])
def test_the_plugin_comes_with_the_package_and_can_be_left_out(
    pytester: pytest.Pytester, options: tuple[str, ...], there: bool
) -> None:
    result = pytester.runpytest_subprocess("--markers", *options, timeout=HANG)
    assert ("@pytest.mark.scene(name" in result.stdout.str()) is there
