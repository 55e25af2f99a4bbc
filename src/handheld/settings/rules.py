"""Rules of the owner on calls: which are allowed, asked about, denied.

A rule is a text of conditions with + between: a tool's name or a pattern of it (`app_*`),
`toolset:files`, `app:com.bank.*` (the app in front), `token:NAME`. It matches where all of them do.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

LONGEST_RULE = 300
MOST_RULES = 200
"""In one list."""

_FORMS = {
    "tool": (re.compile(r"[a-z0-9_*]{1,64}", re.ASCII), "a tool's name without prefix, or *"),
    "toolset": (re.compile(r"[a-z0-9_]{1,64}", re.ASCII), "a toolset's name"),
    "app": (re.compile(r"[A-Za-z0-9_.*]{1,255}", re.ASCII), "a package such as com.bank.*"),
    "token": (re.compile(r"[a-z0-9_.*-]{1,32}", re.ASCII), "a token's name"),
}
"""What each kind of condition may hold, in its order of writing."""


class RuleError(ValueError):
    """It is no rule. The message says why, without a full stop."""


class Verdict(IntEnum):
    """The greater one wins where two rules are of one weight."""

    ALLOW = 0
    ASK = 1
    DENY = 2


_KEPT = 1000
"""Decisions that are remembered."""


class Subject(NamedTuple):
    """What rules are about: one call."""

    tools: tuple[str, ...]
    """The tool's name, and those of today's tools that do the same."""
    toolset: str = ""
    app: str | None = None
    """None where it is not known."""
    token: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """Its conditions; an empty one is none."""

    tool: str = ""
    toolset: str = ""
    app: str = ""
    token: str = ""

    @classmethod
    def read(cls, text: str) -> "Rule":
        """Raises RuleError."""
        if len(text) > LONGEST_RULE:
            raise RuleError(f"a rule has at most {LONGEST_RULE} characters")
        said: dict[str, str] = {}
        for part in text.split("+"):
            name, colon, value = part.strip().partition(":")
            kind, value = (name, value) if colon else ("tool", name)
            if kind not in _FORMS or (kind == "tool" and colon):
                raise RuleError("a condition begins with toolset:, app: or token:, or names a tool")
            form, wanted = _FORMS[kind]
            if not form.fullmatch(value):
                raise RuleError(f"{value!r} is not {wanted}")
            if kind in said:
                raise RuleError(f"it names two of one kind ({kind}), which no call can be")
            said[kind] = value
        return cls(**said)

    def __str__(self) -> str:
        named = ((kind, getattr(self, kind)) for kind in _FORMS)
        return "+".join(
            value if kind == "tool" else f"{kind}:{value}" for kind, value in named if value
        )

    def matches(self, call: Subject, *, in_doubt: bool = False, any_app: bool = False) -> bool:
        """`in_doubt`: whether it does where it names an app and nobody knows which is in front.
        `any_app`: leave the app out of it."""
        if self.tool and not any(fits(self.tool, name) for name in call.tools):
            return False
        if self.toolset and self.toolset != call.toolset:
            return False
        if self.token and not fits(self.token, call.token):
            return False
        if not self.app or any_app:
            return True
        return in_doubt if call.app is None else fits(self.app, call.app)

    def within(self, wider: "Rule") -> bool:
        """Whether this says all that the other does, at least as narrowly. Of two that match the
        same call, one that names its tool is within one that names its toolset."""
        named = bool(self.tool) and "*" not in self.tool
        return (
            (not wider.tool or (bool(self.tool) and fits(wider.tool, self.tool)))
            and (not wider.toolset or self.toolset == wider.toolset or named)
            and (not wider.app or (bool(self.app) and fits(wider.app, self.app)))
            and (not wider.token or (bool(self.token) and fits(wider.token, self.token)))
        )


@dataclass(frozen=True, slots=True)
class Decision:
    verdict: Verdict
    rule: Rule | None = None
    """By which rule; None where there is none on this."""


class Rules:
    """All of the owner's. A rule gives way to a narrower one that matches too; of those left, deny
    counts before ask and ask before allow. What no rule matches is allowed."""

    def __init__(
        self, *, allow: Iterable[str] = (), ask: Iterable[str] = (), deny: Iterable[str] = ()
    ) -> None:
        """Raises RuleError."""
        self._rules = [
            *((Verdict.DENY, Rule.read(text)) for text in deny),
            *((Verdict.ASK, Rule.read(text)) for text in ask),
            *((Verdict.ALLOW, Rule.read(text)) for text in allow),
        ]
        # Rules stay as they are and calls are alike: most are decided once.
        self.wants_app = lru_cache(_KEPT)(self._wants_app)
        self.decide = lru_cache(_KEPT)(self._decide)

    def _wants_app(self, call: Subject) -> bool:
        """Whether the app in front makes a difference."""
        return any(rule.app and rule.matches(call, any_app=True) for _, rule in self._rules)

    def _decide(self, call: Subject) -> Decision:
        """Where the app is not known, rules that forbid or ask match, and rules that allow do not;
        none of them gives another its way then."""
        matching = [
            (verdict, rule)
            for verdict, rule in self._rules
            if rule.matches(call, in_doubt=verdict is not Verdict.ALLOW)
        ]
        sure = [rule for _, rule in matching if rule.matches(call)]
        left = [
            Decision(verdict, rule)
            for verdict, rule in matching
            if not any(one.within(rule) and not rule.within(one) for one in sure)
        ]
        return max(left, key=lambda one: one.verdict, default=Decision(Verdict.ALLOW))


def find_fault(text: str) -> str:
    """Why this is no rule; "" where it is one."""
    try:
        Rule.read(text)
    except RuleError as fault:
        return str(fault)
    return ""


def fits(pattern: str, text: str) -> bool:
    """* stands for any characters. In one pass, whatever the pattern."""
    first, *rest = pattern.split("*")
    if not rest:
        return text == pattern
    *middle, last = rest
    end = len(text) - len(last)
    if end < len(first) or not text.startswith(first) or not text.endswith(last):
        return False
    at = len(first)
    for part in middle:
        found = text.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return True
