"""The findings of a check, one line per examined thing."""

from collections.abc import Iterator

from .finding import Finding, Severity, ok


class Findings:
    """Collects findings in order."""

    def __init__(self) -> None:
        self._all: list[Finding] = []

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._all)

    def ok(self, subject: str, sentence: str) -> None:
        self._all.append(ok(subject, sentence))

    def warn(self, subject: str, sentence: str, fix: str = "") -> None:
        self._all.append(Finding(Severity.WARNING, subject, sentence, fix))

    def fail(self, subject: str, sentence: str, fix: str = "") -> None:
        self._all.append(Finding(Severity.PROBLEM, subject, sentence, fix))

    @property
    def failed(self) -> bool:
        return any(one.verdict is Severity.PROBLEM for one in self._all)
