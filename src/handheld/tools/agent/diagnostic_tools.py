"""Crashes and performance of apps for `phone_read`."""

from collections.abc import Iterable, Mapping
from typing import Any

from ...driver.diagnostics import Frames, ProcessUse
from ...errors import InvalidParams
from ...phone.apps.crash_ids import parse_id
from ...phone.apps.crashes import (
    LONGEST_LINE,
    LONGEST_REASON,
    Crash,
    find_crash,
    list_crashes,
)
from ...phone.apps.performance import measure
from ...phone.phone import Phone
from ...screen.characters import visible
from ...screen.rows.words import clean, cut
from ..tool import about_argument
from .screen.wording import tell_rest

about_package = about_argument("of")


async def about_crashes(phone: Phone, arguments: Mapping[str, Any]) -> Iterable[str]:
    of = str(arguments.get("of") or "").strip()
    if parse_id(of):
        return (await find_crash(phone, of)).packages
    return await about_package(phone, arguments)


async def read_crashes(phone: Phone, of: str, limit: int) -> str:
    """Read all crashes, those of a package, or the trace of one by its id."""
    if parse_id(of):
        crash = await find_crash(phone, of)
        trace = crash.trace
        lines = [visible(cut(line, LONGEST_LINE)) for line in trace[:limit]]
        lines += tell_rest(len(trace) - len(lines), "lines")
        return "\n".join([_row(crash), *(lines or ["Android kept no trace of it."])])
    found = await list_crashes(phone, of or None, None, limit)
    lines = [_row(crash) for crash in found.crashes]
    lines += tell_rest(found.more, "crashes")
    lines += [found.note] if found.note else []
    return "\n".join(lines)


def _row(crash: Crash) -> str:
    process = crash.process if crash.process != crash.package else ""
    words = [
        crash.id,
        crash.kind,
        *([clean(crash.package)] if crash.package else []),
        *([f"process {clean(process)}"] if process else []),
        crash.time.strftime("%Y-%m-%d %H:%M:%S"),
        *([f'"{cut(clean(crash.reason), LONGEST_REASON)}"'] if crash.reason else []),
        *(["in front"] if crash.foreground else []),
    ]
    return " ".join(words)


async def read_performance(phone: Phone, of: str, limit: int) -> str:
    if not of:
        raise InvalidParams("phone_read performance needs of: the package of a running app.")
    found = await measure(phone, of)
    lines = [_describe_process(each) for each in found.used.processes]
    if found.frames is not None:
        lines.append(_describe_frames(found.frames))
    if found.used.start is not None:
        start = found.used.start
        lines.append(f"last start {start.activity} {start.ms} ms, {start.time:%Y-%m-%d %H:%M:%S}")
    return "\n".join([*lines, *found.notes])


def _describe_process(process: ProcessUse) -> str:
    words = f"{clean(process.name)} pid {process.pid}"
    if process.memory is not None:
        sizes = process.memory._asdict()
        total = sizes.pop("total")
        parts = [f"{name.replace('_', ' ')} {size}" for name, size in sizes.items() if size]
        words += f" memory {total} kB ({', '.join(parts)})"
    if process.cpu is not None:
        words += f" processor {process.cpu:g} %"
    return words


def _describe_frames(frames: Frames) -> str:
    words = f"frames {frames.rendered}"
    if frames.janky is not None:
        words += f", janky {frames.janky} ({frames.janky_percent:g} %)"
    shares = sorted(frames.percentiles.items())
    return words + "".join(f", {share} of 100 within {ms} ms" for share, ms in shares)


DIAGNOSTIC_READERS = {"crashes": read_crashes, "performance": read_performance}
