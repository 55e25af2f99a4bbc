"""Check of one phone: what it is, whether the helper starts, and what else uses UiAutomation."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from ...adb import shell
from ...adb.link import AdbError, Link
from ...app_tools.check.finding import Finding, Severity, ok
from ...driver.by_adb.left_file import read_left
from ...driver.by_adb.vendor_hints import switches_of
from ...driver.by_helper.driver import HelperDriver
from ...driver.by_helper.uiautomation_conflicts import describe_conflicts, find_conflicts
from ...errors import ToolError
from ...helper.client import HelperClient, HelperNotStarted
from ...helper.protocol import LEFT_FILE, LEFT_LIMIT
from ...phone.device.settable import label_of
from ...screen.characters import plain
from ...screen.text import cut

ANSWER_SECONDS = 20.0
LEAST_FREE_MB = 100
SHELL_FALLBACK = (
    "Until it does, the phone is controlled through the adb shell only, which can do less. In a"
    " fleet it must be connected to one host only: without the helper nothing keeps others away."
)
_OLDEST_API = 26
_TAIL_LINES = 20
_HELPER_FIX = (
    "handheld doctor --stderr shows what it printed; docs/phones.md describes what works without it"
)


@dataclass(slots=True)
class Facts:
    """What was found out about a phone, without anything that identifies its owner."""

    manufacturer: str = ""
    brand: str = ""
    model: str = ""
    android: str = ""
    api: int | None = None
    patch: str = ""
    build: str = ""
    """The build id of the system."""
    user: str = ""
    free_mb: int | None = None
    apps: tuple[int, int] | None = None
    """How many system apps and how many others the current user has."""
    helper_build: str = ""
    helper_ms: int | None = None
    helper_problem: str = ""
    features: int = 0
    stderr: list[str] = field(default_factory=list[str])
    """The last lines of the helper's stderr."""
    left: list[str] = field(default_factory=list[str])
    """What processes changed on it and have not put back, as people call it."""
    conflicts: str = ""
    """Other programs that use or may take UiAutomation."""
    problem: str = ""
    """Why the phone could not be checked."""


async def examine_phone(link: Link) -> Facts:
    """Check a phone. Nothing changes on it, except that the helper is copied there and started."""
    facts = Facts()
    try:
        async with link.clock.timeout(ANSWER_SECONDS):
            await _read_shell(link, facts)
            facts.conflicts = describe_conflicts(await find_conflicts(link))
    except AdbError as problem:
        facts.problem = str(problem)
        return facts
    except TimeoutError:
        facts.problem = f"It did not answer within {ANSWER_SECONDS:g} s."
        return facts
    await _try_helper(link, facts)
    return facts


async def _read_shell(link: Link, facts: Facts) -> None:
    properties = parse_properties(await _ask(link, "getprop"))

    def known(name: str) -> str:
        return cut(plain(properties.get(name, "")))

    facts.manufacturer = known("ro.product.manufacturer")
    facts.brand = known("ro.product.brand")
    facts.model = known("ro.product.model")
    facts.android = known("ro.build.version.release")
    facts.patch = known("ro.build.version.security_patch")
    facts.build = known("ro.build.display.id")
    api = known("ro.build.version.sdk")
    facts.api = int(api) if re.fullmatch("[0-9]{1,4}", api) else None
    user = (await _ask(link, "am", "get-current-user")).strip()
    facts.user = user if re.fullmatch("[0-9]{1,6}", user) else ""
    facts.free_mb = parse_free_mb(await _ask(link, "df", "-k", "/data/local/tmp"))
    # Without --user the command fails on phones that have a work profile.
    chosen = ("--user", facts.user or "0")
    counts = [
        (await _ask(link, "pm", "list", "packages", kind, *chosen)).count("package:")
        for kind in ("-s", "-3")
    ]
    noted = await _ask(link, "head", "-c", str(LEFT_LIMIT), LEFT_FILE)
    facts.left = sorted({label_of(each.name) for each in read_left(noted)})
    facts.apps = (counts[0], counts[1]) if any(counts) else None


async def _ask(link: Link, *command: str) -> str:
    return (await shell.run(link, command)).stdout.decode(errors="replace")


def parse_properties(text: str) -> Mapping[str, str]:
    """Parse the output of `getprop`."""
    return dict(re.findall(r"^\[([^\]\n]+)\]: \[(.*)\]\r?$", text, re.MULTILINE))


def parse_free_mb(text: str) -> int | None:
    """Parse the output of `df -k` for one folder."""
    lines = text.splitlines()
    # After a long device name, the figures are in the next line.
    figures = " ".join(lines[1:]).split()
    digits = [word for word in figures if word.isascii() and word.isdigit()]
    return int(digits[2]) // 1024 if len(digits) >= 3 and len(digits[2]) < 16 else None


async def _try_helper(link: Link, facts: Facts) -> None:
    client = HelperClient(link, client="handheld doctor")
    driver = HelperDriver(client)
    start = link.clock.now()
    try:
        async with link.clock.timeout(ANSWER_SECONDS):
            await driver.changed(0, 0)
        facts.helper_ms = round((link.clock.now() - start) * 1000)
    except ToolError as problem:
        facts.helper_problem = problem.message
        if isinstance(problem.__cause__, HelperNotStarted):
            facts.helper_problem += f" {SHELL_FALLBACK}"
    except TimeoutError:
        facts.helper_problem = f"No helper started within {ANSWER_SECONDS:g} s."
    finally:
        await driver.aclose()
    if client.session is not None:
        hello = client.session.hello
        facts.helper_build = str(hello.get("build", ""))
        facts.features = len(hello.get("features", ()))
        stderr = bytes(client.session.stderr).decode(errors="replace")
        facts.stderr = [cut(plain(line)) for line in stderr.splitlines()[-_TAIL_LINES:]]


def findings_of(serial: str, facts: Facts, *, stderr: bool = False) -> list[Finding]:
    """The facts as findings. `stderr`: include what the helper printed."""
    if facts.problem:
        sentence = f"{serial} is connected, but: {facts.problem}"
        return [Finding(Severity.PROBLEM, "phone", sentence, "adb reconnect")]
    found = [_helper_finding(serial, facts)]
    name = " ".join(filter(None, (facts.manufacturer, facts.model))) or "a phone"
    version = f"Android {facts.android or '?'}, API {facts.api or '?'}"
    found.append(_version_finding(f"{serial} is {name} with {version}", facts.api))
    if facts.conflicts and not facts.helper_problem:
        sentence = f"UiAutomation is free on {serial}, but may not stay so. {facts.conflicts}"
        found.append(Finding(Severity.WARNING, "phone", sentence))
    if facts.left:
        sentence = (
            f"Changed on {serial}, and noted there as not put back: {', '.join(facts.left)}. If the"
            " process that did it was killed, the next one that uses the phone puts it back."
        )
        fix = f"handheld phones restore {serial}"
        found.append(Finding(Severity.WARNING, "phone", sentence, fix))
    if facts.free_mb is not None and facts.free_mb < LEAST_FREE_MB:
        sentence = f"{serial} has {facts.free_mb} MB of storage left."
        found.append(Finding(Severity.WARNING, "phone", sentence, "Free some storage on the phone"))
    if switches := switches_of(facts.manufacturer, facts.brand):
        found.append(ok("phone", f"On phones of this maker: {switches}."))
    if stderr:
        found += [ok("helper", line) for line in facts.stderr or ["The helper printed nothing."]]
    return found


def _helper_finding(serial: str, facts: Facts) -> Finding:
    if facts.helper_problem:
        sentence = f"{serial} is connected, but: {facts.helper_problem}"
        return Finding(Severity.PROBLEM, "phone", sentence, _HELPER_FIX)
    return ok(
        "phone",
        f"{serial} is connected, and the helper starts on it (build {facts.helper_build}, "
        f"{facts.helper_ms} ms).",
    )


def _version_finding(phone: str, api: int | None) -> Finding:
    if api is not None and api < _OLDEST_API:
        return Finding(Severity.PROBLEM, "phone", f"{phone}; Handheld needs Android 8 (API 26).")
    return ok("phone", f"{phone}.")
