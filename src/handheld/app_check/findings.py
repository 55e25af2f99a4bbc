"""What a check comes to: a line for each thing that was looked at."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum


class Verdict(Enum):
    OK = "ok"
    WARNING = "warning"
    """It works, and other agents may do worse with it."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Finding:
    verdict: Verdict
    subject: str
    sentence: str
    mend: str = ""
    """What to do."""

    def as_json(self) -> dict[str, str]:
        return {
            "verdict": self.verdict.value,
            "subject": self.subject,
            "sentence": self.sentence,
            "mend": self.mend,
        }


class Findings:
    """Collects what is found, one thing after the other."""

    def __init__(self) -> None:
        self._all: list[Finding] = []

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._all)

    def ok(self, subject: str, sentence: str) -> None:
        self._all.append(Finding(Verdict.OK, subject, sentence))

    def warn(self, subject: str, sentence: str, mend: str = "") -> None:
        self._all.append(Finding(Verdict.WARNING, subject, sentence, mend))

    def fail(self, subject: str, sentence: str, mend: str = "") -> None:
        self._all.append(Finding(Verdict.FAILED, subject, sentence, mend))

    @property
    def failed(self) -> bool:
        return any(one.verdict is Verdict.FAILED for one in self._all)
