"""The result of checking one thing."""

from dataclasses import dataclass
from enum import Enum


class Severity(Enum):
    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True)
class Finding:
    verdict: Severity
    subject: str
    sentence: str
    fix: str = ""
    """A command or an instruction that fixes it."""

    def as_json(self) -> dict[str, str]:
        return {
            "verdict": self.verdict.value,
            "subject": self.subject,
            "sentence": self.sentence,
            "mend": self.fix,
        }


def ok(subject: str, sentence: str) -> Finding:
    return Finding(Severity.OK, subject, sentence)
