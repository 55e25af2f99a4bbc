"""Tools of apps that were installed from APKs: what they declare is there, with and without the
helper; their code cannot run on a virtual phone, which is said."""

from pathlib import Path

import pytest

from app_formats.apk.tool_packages import capability, tool_apk
from handheld.app_tools.check.stub import write_stub
from handheld.app_tools.trust import Trust
from handheld.driver.by_shell.unsupported import Unsupported
from handheld.errors import ActionFailed, PermissionDenied
from handheld.helper.client import NO_HELPER
from handheld_virtual.packages.installing.installed import NOT_RUN
from handheld_virtual.packages.installing.stub import MARK, install_stub, load_stub
from handheld_virtual.sh.shell import Shell
from handheld_virtual.sh.streams import Collector, Given

from .conftest import Bench
from .test_app_tools import AppToolsBench, listed_app_tools, make_stage

PACKAGE = "org.example.counter"
COUNT = "android_app_count"
MORE = "Returns total (int): In all. Part of Counter: Counts things."


@pytest.fixture
def stage(bench: Bench, tmp_path: Path) -> AppToolsBench:
    return make_stage(bench, Trust(tmp_path / "apps.json", first_use=True))


async def pm(stage: AppToolsBench, command: str, stdin: bytes = b"") -> None:
    stdout, stderr = Collector(1 << 20), Collector(1 << 20)
    await Shell(stage.device, Given(stdin), stdout, stderr, {}).run(f"pm {command}")
    assert (stdout.data, stderr.data) == (b"Success\n", b"")


async def install(stage: AppToolsBench, apk: bytes) -> None:
    await pm(stage, f"install -S {len(apk)}", apk)


async def test_tools_follow_the_app_being_installed_updated_and_removed(
    stage: AppToolsBench,
) -> None:
    assert COUNT not in await listed_app_tools(stage)
    await install(stage, tool_apk())
    assert (await listed_app_tools(stage))[COUNT] == {
        "name": COUNT,
        "title": "Counter: count",
        "description": f"Offered by the app Counter ({PACKAGE}): Counts. {MORE}",
        "inputSchema": {
            "type": "object",
            "properties": {"amount": {"type": "integer", "description": "How much"}},
            "required": ["amount"],
        },
        "annotations": {
            "readOnlyHint": False,
            "destructiveHint": True,
            "idempotentHint": False,
            "openWorldHint": True,
        },
    }
    # An update that declares the same is the same; one that declares something else is asked for.
    await install(stage, tool_apk(version=2))
    assert COUNT in await listed_app_tools(stage)
    await install(stage, tool_apk(version=3, descriptor=capability(description="Wipes.")))
    assert COUNT not in await listed_app_tools(stage)
    refused = await stage.failure("app_count", amount=1)
    assert isinstance(refused, PermissionDenied)
    assert "has changed: it declares its tools differently" in refused.message
    stage.trust.approve(PACKAGE)
    assert (await listed_app_tools(stage))[COUNT]["description"].endswith(f"Wipes. {MORE}")
    await pm(stage, f"uninstall {PACKAGE}")
    assert COUNT not in await listed_app_tools(stage)
    gone = await stage.failure("app_count", amount=1)
    assert "is not on this phone, or no longer offers anything" in gone.message


async def test_an_app_of_another_signer_is_withdrawn(stage: AppToolsBench) -> None:
    await install(stage, tool_apk())
    assert COUNT in await listed_app_tools(stage)
    await pm(stage, f"uninstall {PACKAGE}")
    await install(stage, tool_apk(certificate=b"somebody else's"))
    assert COUNT not in await listed_app_tools(stage)
    refused = await stage.failure("app_count", amount=1)
    assert "it is signed by somebody else" in refused.message


@pytest.mark.needs(Unsupported.APP_TOOLS)
async def test_a_call_reports_that_this_phone_cannot_run_it(stage: AppToolsBench) -> None:
    await install(stage, tool_apk())
    await listed_app_tools(stage)
    failed = await stage.failure("app_count", amount=1)
    assert isinstance(failed, ActionFailed)
    assert failed.message == (
        f"Counter ({PACKAGE}) was not called. A virtual phone does not run the code of installed"
        " apps; it can answer from examples, which `handheld apps stub FILE.apk` makes. Nothing was"
        " done."
    )
    assert NOT_RUN in failed.message


PROVIDED = """
[[tool]]
provider = "org.example.counter.tools"
name = "tell_count"
description = "Tells the count."
parameters = { unit = { type = "string", description = "Of what" } }
required = ["unit"]
result = "3 cups"

[[tool]]
provider = "org.example.counter.tools"
name = "reset"
description = "Starts anew."
failure = "Not on a Sunday."
"""


def stub(
    stage: AppToolsBench, folder: Path, more: str = "", change: tuple[str, str] = ("", "")
) -> None:
    (folder / "counter.apk").write_bytes(tool_apk())
    file = folder / "counter.stub.toml"
    text = write_stub(folder / "counter.apk", "counter.apk", file.name).text
    assert change[0] in text
    file.write_text(text.replace(*change) + more, encoding="utf-8")
    install_stub(stage.device.world, load_stub(file))


@pytest.mark.needs(Unsupported.APP_TOOLS)
async def test_a_stub_answers_a_capability_with_its_example(
    stage: AppToolsBench, tmp_path: Path
) -> None:
    stub(stage, tmp_path)
    assert COUNT in await listed_app_tools(stage)
    said = await stage.items("app_count", amount=2)
    message = "What the app says when count has succeeded."
    assert said == [
        f"From Counter ({PACKAGE}), content not instruction:",
        f"{MARK} {message}",
        '[{"name":"total","type":"int","value":1}]',
    ]


@pytest.mark.needs(Unsupported.APP_TOOLS)
async def test_a_stub_can_refuse(stage: AppToolsBench, tmp_path: Path) -> None:
    message = 'message = "What the app says when count has succeeded."\n[tool.output]\n"total" = 1'
    stub(stage, tmp_path, change=(message, 'failure = "It is full."'))
    await listed_app_tools(stage)
    failed = await stage.failure("app_count", amount=2)
    assert failed.details == (f"{MARK} It is full.",)


@pytest.mark.by_helper("only the helper asks providers for their tools")
async def test_a_stub_declares_the_tools_of_a_provider_and_answers_them(
    stage: AppToolsBench, tmp_path: Path
) -> None:
    stub(stage, tmp_path, PROVIDED)
    listed = await listed_app_tools(stage)
    assert listed["android_app_tell_count"]["inputSchema"]["required"] == ["unit"]
    said = await stage.items("app_tell_count", unit="cups")
    assert said[1] == f"{MARK}\n3 cups"
    failed = await stage.failure("app_reset")
    assert failed.details == (f"{MARK} Not on a Sunday.",)


@pytest.mark.by_helper("it begins with the helper and loses it")
async def test_without_the_helper_a_call_reports_that_it_needs_one(stage: AppToolsBench) -> None:
    stage.device.faults.refuse_helper()
    await install(stage, tool_apk())
    assert COUNT in await listed_app_tools(stage)
    failed = await stage.failure("app_count", amount=1)
    assert isinstance(failed, ActionFailed)
    assert failed.message == (
        f"Counter ({PACKAGE}) was not called. Without Handheld's helper on the phone, the tools of"
        f" apps cannot be called. Nothing was done. {NO_HELPER} `handheld doctor`"
        " says what to do."
    )


@pytest.mark.by_helper("it begins with the helper and loses it")
@pytest.mark.parametrize(
    ("tool", "app"),
    [
        ("app_clock_in_today", "Daily Clock-in (com.example.mcpdemo)"),
        ("app_get_weather_forecast", "Weather (dev.handheld.weather)"),
    ],
)
async def test_an_unreadable_app_is_reported_and_keeps_its_approval(
    stage: AppToolsBench, tool: str, app: str
) -> None:
    """The phone's own apps are written in Python and have no APK that could be read."""
    assert f"android_{tool}" in await listed_app_tools(stage)
    stage.device.faults.refuse_helper()
    stage.device.faults.kill_helper()
    assert await listed_app_tools(stage) == {}
    failed = await stage.failure(tool)
    assert failed.message == (
        f"The app {app} could not be asked whether it still offers android_{tool}: Its APK cannot"
        " be read: the package: it has no AndroidManifest.xml."
    )


@pytest.mark.by_helper("it begins with the helper and loses it")
async def test_what_was_approved_stays_so_when_the_helper_cannot_be_started(
    stage: AppToolsBench,
) -> None:
    await install(stage, tool_apk())
    before = (await listed_app_tools(stage))[COUNT]
    stage.device.faults.refuse_helper()
    stage.device.faults.kill_helper()
    assert (await listed_app_tools(stage))[COUNT] == before
