"""The trace of one test, and the page written from it if the test fails."""

import hashlib
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from ..errors import ToolError
from ..library.handle import ask
from ..library.masks import mask_call
from ..library.phone import Phone
from ..library.screen import read_screen
from ..library.tracing import Trace
from .options import TraceOptions
from .trace_page import Section, write_page

_SECONDS = 5.0
"""For each question to the phone."""
_LOG_LINES = 60
_LONGEST_NAME = 100
_UNUSABLE = re.compile(r"[^\w.\[\]-]+")


class TracedTest:
    def __init__(self, item: pytest.Item, options: TraceOptions) -> None:
        self._item = item
        self._options = options
        self.trace = None if options.off else Trace()
        self.phone: Phone | None = None
        """The phone that the test uses, once it does."""
        self._failed = False

    def report(self, report: pytest.TestReport) -> None:
        """Receive the report of a finished phase of the test."""
        if self.trace is None:
            return
        file = self._options.folder / page_name(self._item.nodeid)
        self._failed = self._failed or report.failed
        if report.failed or (self._options.always and report.when == "call"):
            report.sections.append(("phone trace", self._write(file, self.trace, report)))
        elif report.when == "teardown" and not self._failed and not self._options.always:
            # Delete the page of an earlier run in which the test failed.
            with suppress(OSError):
                file.unlink(missing_ok=True)

    def _write(self, file: Path, trace: Trace, report: pytest.TestReport) -> str:
        """Return the path of the page, or why there is none."""
        about, sections = self._ask(trace)
        sections += [Section(title, trace.clean(text)) for title, text in report.sections]
        failure = trace.clean(report.longreprtext)
        page = write_page(self._item.nodeid, report.outcome, about, failure, trace, sections)
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            # A failure may contain characters that are not valid text, such as bytes of a file
            # name.
            file.write_text(page, encoding="utf-8", errors="backslashreplace")
        except OSError as problem:
            return f"It cannot be written to {file}: {problem.strerror}."
        folder = self._item.config.invocation_params.dir
        return str(file.relative_to(folder) if file.is_relative_to(folder) else file)

    def _ask(self, trace: Trace) -> tuple[str, list[Section]]:
        """Return which phone it is, and its current state."""
        about = self._shown(trace, "read", {"what": "device"}).partition("\n")[0]
        screen = self._shown(trace, "look", {})
        sections = [Section("Screen", screen)] if screen else []
        if app := read_screen(screen).app:
            log = self._shown(trace, "read", {"what": "log", "of": app, "limit": _LOG_LINES})
            sections += [Section(f"Log of {app}", log)] if log else []
        return about, sections

    def _shown(self, trace: Trace, verb: str, arguments: dict[str, Any]) -> str:
        """The reply in the form that may be shown; empty if there is none."""
        if self.phone is None:
            return ""
        try:
            texts = ask(self.phone, verb, arguments, _SECONDS)
        except (ToolError, TimeoutError, RuntimeError):
            return ""
        [shown] = mask_call(verb, arguments, texts, failed=False)
        return trace.clean("\n".join(shown.reply))


def page_name(nodeid: str) -> str:
    """A file name for a test; different tests have different names."""
    plain = _UNUSABLE.sub("-", nodeid.replace("::", "-")).strip("-")
    if plain == nodeid and len(plain) <= _LONGEST_NAME:
        return f"{plain}.html"
    digest = hashlib.sha256(nodeid.encode("utf-8", "replace")).hexdigest()[:8]
    return f"{plain[:_LONGEST_NAME]}-{digest}.html"
