"""The fixtures and markers, in test runs of their own."""

from pathlib import Path
from typing import Any

import pytest

from handheld.pytest_plugin.markers import read_levels
from handheld_virtual import PhoneThread
from harness.passing_clock import PassingClock

pytest_plugins = ["pytester"]

TESTS = """
import pytest
from handheld import AsyncPhone, Phone

def test_settings(phone: Phone):
    phone.open("Settings")
    phone.tap("Network & internet")
    phone.set("clipboard", "left behind")
    assert "Roaming" in phone.look()

def test_the_next_phone_is_new(phone):
    assert phone.look().app == "com.android.launcher3"
    assert phone.read("clipboard") != '"left behind"'
    assert phone.virtual_phone is not None

@pytest.mark.scene("old")
def test_scene(phone, virtual_phone):
    assert phone.virtual_phone is virtual_phone
    with virtual_phone.hold() as device:
        assert device.world.width == 720
        device.world.launch("com.android.settings")
    phone.expect("Network & internet")

@pytest.mark.scene("beside.toml")
@pytest.mark.api(30)
def test_beside(phone):
    assert '"Handheld Beside" Android 11, API 30' in phone.read("device")

def test_scene_of_the_project(phone):
    assert phone.virtual_phone.phone.model == "Project"

@pytest.mark.api(26, 36)
def test_each_level(phone, phone_api):
    level = phone_api or 36
    assert f"API {level}," in phone.read("device")

@pytest.mark.api(min=35)
def test_least_level(phone):
    assert "API 35," in phone.read("device") or not phone.virtual_phone

@pytest.mark.api(max=36)
def test_default_level(virtual_phone):
    assert virtual_phone.phone.world.api == 34

@pytest.mark.anyio
async def test_asynchronous(async_phone: AsyncPhone, phone: Phone):
    await async_phone.open("Clock")
    assert "Timer" in await async_phone.look()
    assert "Timer" in phone.look()

@pytest.fixture
def anyio_backend():
    return "asyncio"
"""
MODEL = '[phone]\nmodel = "{}"\n'


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A project with a scene of its own, and no settings or adb of the developer's."""
    monkeypatch.setenv("HANDHELD_HOME", str(pytester.path / "home"))
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", "1")
    pytester.makepyfile(test_phones=TESTS)
    (pytester.path / "beside.toml").write_text(MODEL.format("Beside"), encoding="utf-8")
    (pytester.path / "scenes").mkdir()
    (pytester.path / "scenes" / "mine.toml").write_text(MODEL.format("Project"), encoding="utf-8")
    pytester.makeini("[pytest]\nphone_scene = scenes/mine.toml\n")
    return pytester


def run(project: pytest.Pytester, *options: str) -> pytest.RunResult:
    return project.runpytest_inprocess("-p", "no:cacheprovider", "--strict-markers", *options)


def test_each_test_has_a_virtual_phone_of_its_own(project: pytest.Pytester) -> None:
    result = run(project, "-v", "-W", "error")
    result.assert_outcomes(passed=10)
    result.stdout.fnmatch_lines(["*test_each_level?api26?*", "*test_each_level?api36?*"])
    result.stdout.fnmatch_lines(["*test_least_level?api35?*"])
    assert not (project.path / "test-results").exists()


@pytest.mark.matrix
def test_the_same_tests_run_on_a_phone_that_is_named(project: pytest.Pytester) -> None:
    with PhoneThread("office", api=36, clock=PassingClock()) as phone:
        chosen = ("not the_next and not scene_of and not asynchronous",)
        result = run(project, "-rs", f"--phone={phone.address}", "-k", *chosen)
        with phone.hold() as device:
            assert "perform" in [event.kind for event in device.world.events]
    result.assert_outcomes(passed=4, skipped=2)
    result.stdout.fnmatch_lines(
        [f"phones: {phone.address}", "SKIPPED*: Its scene exists on virtual phones only."]
    )


LEVELS = """
import pytest

@pytest.mark.api(26, 30)
def test_other_levels(phone): ...

@pytest.mark.api(min=26, max=33)
def test_older(phone): ...

def test_staged(phone, virtual_phone): ...

def test_changed(phone):
    assert phone.set("dark_mode", "on")

def test_put_back(phone):
    assert "dark_mode off" in phone.read("device")
    assert phone.look().app == "com.android.launcher3"
"""


@pytest.mark.matrix
def test_on_a_named_phone_tests_for_others_are_skipped_and_settings_put_back(
    project: pytest.Pytester,
) -> None:
    (project.path / "test_phones.py").unlink()
    project.makepyfile(test_levels=LEVELS)
    with PhoneThread(clock=PassingClock()) as phone:
        result = run(project, "-rs", f"--phone={phone.address}")
    result.assert_outcomes(passed=2, skipped=3)
    result.stdout.fnmatch_lines_random(
        [
            "SKIPPED*: It is for API level 26 or 30, but this phone has 34.",
            "SKIPPED*: It is for API level 26 to 33, but this phone has 34.",
            "SKIPPED*: It uses virtual_phone, which --phone does not replace.",
        ]
    )


UNRESTORED = """
import os
from pathlib import Path

def test_kept_value_is_broken(phone):
    phone.set("dark_mode", "on")
    [kept] = Path(os.environ["HANDHELD_HOME"]).rglob("originals.json")
    text = kept.read_text("utf-8")
    assert text.count('"no"') == 1
    kept.write_text(text.replace('"no"', '"purple"'), "utf-8")

def test_phone_is_closed(phone):
    phone.close()
"""


@pytest.mark.matrix
def test_settings_that_could_not_be_put_back_are_a_warning(project: pytest.Pytester) -> None:
    (project.path / "test_phones.py").unlink()
    project.makepyfile(test_unrestored=UNRESTORED)
    with PhoneThread(clock=PassingClock()) as phone:
        result = run(project, f"--phone={phone.address}", "-W", "default")
    result.assert_outcomes(passed=2, warnings=2)
    told = "*UserWarning: The phone's settings were not restored: "
    result.stdout.fnmatch_lines(
        [f"{told}Dark mode stays: purple is not a valid value.", f"{told}The phone * is closed: *"]
    )


@pytest.mark.matrix
def test_a_phone_that_is_not_there_fails_its_tests_with_the_reason(
    project: pytest.Pytester,
) -> None:
    result = run(project, "--phone=127.0.0.1:1", "-k", "settings")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["E*ActionFailed: *127.0.0.1:1*"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "says"),
    [
        (
            ("--phone=a", "--phone=b", "-n3"),
            "3 workers of pytest-xdist need a phone each*use -n 2*",
        ),
        (("--phone=a,b", "--phone=a"), "--phone names a phone twice."),
        (("--phone-traces=x", "--phone-traces=y"), "--phone-traces takes one folder*"),
        (("--phone-traces=always", "--phone-traces=off"), "--phone-traces takes one folder*"),
    ],
)
def test_options_that_cannot_be_followed_are_refused(
    project: pytest.Pytester, options: tuple[str, ...], says: str
) -> None:
    result = run(project, *options)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {says}"])


IN_PARALLEL = """
import pytest

@pytest.mark.parametrize("number", range(6))
def test_parallel(phone, number, worker_id, tmp_path_factory):
    phone.expect("Settings")
    phone.set("clipboard", worker_id)
    serial = phone._session.name
    mine = tmp_path_factory.getbasetemp().parent / f"{worker_id}.txt"
    assert not mine.exists() or mine.read_text("utf-8") == serial
    mine.write_text(serial, "utf-8")
    if number == 3:
        import os
        os._exit(9)  # a worker dies, and another takes its phone
"""


@pytest.mark.matrix
def test_each_worker_has_a_phone_of_its_own(project: pytest.Pytester) -> None:
    (project.path / "test_phones.py").unlink()
    project.makepyfile(IN_PARALLEL)
    with PhoneThread(clock=PassingClock()) as one, PhoneThread(clock=PassingClock()) as other:
        phones = f"--phone={one.address},{other.address}"
        result = project.runpytest_subprocess("-n", "auto", phones, "-p", "no:cacheprovider")
        serials = {
            path.name: path.read_text(encoding="utf-8") for path in project.path.rglob("gw*.txt")
        }
    result.assert_outcomes(passed=5, failed=1)
    result.stdout.fnmatch_lines(["*2 workers*", "*worker 'gw*' crashed*"])
    assert set(serials.values()) <= {one.address, other.address}


def mark(*levels: Any, **bounds: Any) -> pytest.Mark:
    return pytest.mark.api(*levels, **bounds).mark


@pytest.mark.parametrize(
    ("marker", "run", "fits", "shown"),
    [
        (mark(26, 30, 26), [26, 30], [26, 30], "26 or 30"),
        (mark(min=35), [35], [35, 36, 37], "35 to 37"),
        (mark(max=28), [28], [26, 27, 28], "26 to 28"),
        (mark(min=28, max=36), [34], [*range(28, 37)], "28 to 36"),
    ],
)
def test_levels_say_where_a_test_runs(
    marker: pytest.Mark, run: list[int], fits: list[int], shown: str
) -> None:
    levels = read_levels(marker)
    assert levels.to_run() == run
    assert [level for level in range(26, 38) if levels.fits(level)] == fits
    assert str(levels) == shown


@pytest.mark.parametrize(
    ("marker", "says"),
    [
        (mark(), "takes levels, as in api"),
        (mark(30, min=26), "takes levels, as in api"),
        (mark(level=30), "takes levels, as in api"),
        (mark(25), "levels from 26 to 37, got: 25"),
        (mark("30"), "levels from 26 to 37, got: '30'"),
        (mark(True), "levels from 26 to 37, got: True"),
        (mark(min=36, max=30), "min 36 over max 30"),
    ],
)
def test_levels_that_cannot_be_are_refused(marker: pytest.Mark, says: str) -> None:
    with pytest.raises(pytest.UsageError, match=says):
        read_levels(marker)


WRONG = """
import pytest

@pytest.mark.scene("none")
def test_unknown(phone): ...

@pytest.mark.scene("old", api=25)
def test_level(phone): ...

@pytest.mark.scene("old", api=30)
@pytest.mark.api(31)
def test_both(phone): ...

@pytest.mark.scene("old", "office")
def test_two(virtual_phone): ...
"""


@pytest.mark.slow
def test_markers_that_cannot_be_followed_are_refused(project: pytest.Pytester) -> None:
    (project.path / "test_phones.py").unlink()
    project.makepyfile(WRONG)
    result = run(project)
    result.assert_outcomes(errors=4)
    result.stdout.fnmatch_lines_random(
        [
            "*No scene is called 'none'*",
            "*API level 25 is not known*",
            "*The API level is given by the markers scene and api: use one.",
            "*The marker scene takes one name, and api and authorize.",
        ]
    )


def test_the_plugin_can_be_left_out(project: pytest.Pytester) -> None:
    result = run(project, "-p", "no:handheld", "-k", "settings")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*fixture 'phone' not found"])


def test_the_extra_brings_pytest() -> None:
    import tomllib

    file = Path(__file__).parents[2] / "pyproject.toml"
    project = tomllib.loads(file.read_text(encoding="utf-8"))["project"]
    [needed] = project["optional-dependencies"]["test"]
    assert needed.startswith("pytest>=")
    assert project["entry-points"]["pytest11"] == {"handheld": "handheld.pytest_plugin"}
