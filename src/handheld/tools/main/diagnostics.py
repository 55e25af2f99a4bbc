"""Crashes, hangs and the performance of apps."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ...phone.phone import Phone
from ...screen.characters import plain, visible
from ...screen.text import cut
from ..recording import Secret
from ..tool import Toolset, about_argument, json_text
from .params import CrashId, CrashLimit, CrashPackage, CrashSince, MeasuredPackage, TraceLines

if TYPE_CHECKING:
    from ...driver.diagnostics import Frames, ProcessUse
    from ...phone.apps.crashes import Crash

# The first call loads the implementation: most sessions do not use it.

diagnostics = Toolset("diagnostics")


async def _about_crash(phone: Phone, arguments: Mapping[str, Any]) -> Iterable[str]:
    from ...phone.apps.crashes import find_crash

    return (await find_crash(phone, str(arguments.get("crash_id")))).packages


@diagnostics.tool(
    title="List crashes",
    read_only=True,
    idempotent=True,
    open_world=True,
    secret_reply=Secret.NO,
    about=about_argument("package_id"),
)
async def list_crashes(
    phone: Phone, package_id: CrashPackage = None, since: CrashSince = None, limit: CrashLimit = 20
) -> str:
    """Lists apps that crashed (crash, native_crash), hung (anr) or were killed while in use, newest
    first. Times are on the phone's clock."""
    from ...phone.apps.crashes import list_crashes as find_crashes

    found = await find_crashes(phone, package_id or None, since, limit)
    reply: dict[str, Any] = {"crashes": [_describe(crash) for crash in found.crashes]}
    if found.more:
        reply["more"] = found.more
    if found.note:
        reply["note"] = found.note
    return json_text(reply)


@diagnostics.tool(
    title="Get crash",
    read_only=True,
    idempotent=True,
    open_world=True,
    secret_reply=Secret.NO,
    about=_about_crash,
)
async def get_crash(phone: Phone, crash_id: CrashId, max_lines: TraceLines = 200) -> str:
    """Returns one crash with its stack trace, the threads of an app that hung, or its tombstone."""
    from ...phone.apps.crashes import LONGEST_LINE, find_crash

    crash = await find_crash(phone, crash_id)
    trace = crash.trace
    shown = [visible(cut(line, LONGEST_LINE)) for line in trace[:max_lines]]
    reply = {
        **_describe(crash),
        "pid": crash.pid,
        "trace": "\n".join(shown),
        "line_count": len(shown),
        "truncated": len(trace) > len(shown),
    }
    if not trace:
        reply["note"] = "Android kept no trace of it."
    return json_text(reply)


def _describe(crash: "Crash") -> dict[str, Any]:
    from ...phone.apps.crashes import LONGEST_REASON

    return {
        "crash_id": crash.id,
        "kind": crash.kind,
        "package_id": plain(crash.package) or None,
        "process": plain(crash.process),
        "time": crash.time.isoformat(timespec="milliseconds"),
        "reason": cut(plain(crash.reason), LONGEST_REASON),
        "foreground": crash.foreground,
    }


@diagnostics.tool(
    title="Get performance",
    read_only=True,
    idempotent=True,
    open_world=True,
    secret_reply=Secret.NO,
    about=about_argument("package_id"),
)
async def get_performance(phone: Phone, package_id: MeasuredPackage) -> str:
    """Measures a running app: memory in kilobytes, drawn and janky frames since it started,
    percent of a processor core, and how long its last start took."""
    from ...phone.apps.performance import measure

    found = await measure(phone, package_id)
    used = found.used
    reply: dict[str, Any] = {
        "package_id": package_id,
        "memory_kb": found.memory,
        "cpu_percent": found.cpu,
        "cpu_from": used.cpu and used.cpu.began,
        "cpu_to": used.cpu and used.cpu.ended,
        "frames": found.frames and _describe_frames(found.frames),
        "last_start": None,
        "processes": [_describe_process(each) for each in used.processes],
        "notes": list(found.notes),
    }
    if used.start is not None:
        reply["last_start"] = {
            "activity": used.start.activity,
            "ms": used.start.ms,
            "time": used.start.time.isoformat(timespec="milliseconds"),
        }
    return json_text(reply)


def _describe_frames(frames: "Frames") -> dict[str, Any]:
    return {
        "rendered": frames.rendered,
        "janky": frames.janky,
        "janky_percent": frames.janky_percent,
        **{f"p{share}_ms": ms for share, ms in sorted(frames.percentiles.items())},
    }


def _describe_process(process: "ProcessUse") -> dict[str, Any]:
    memory = process.memory
    sizes = {} if memory is None else memory._asdict()
    return {
        "process": plain(process.name),
        "pid": process.pid,
        "memory_kb": {name: size for name, size in sizes.items() if size is not None},
        "cpu_percent": process.cpu,
    }
