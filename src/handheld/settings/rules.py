"""The owner's policy rules: which calls are allowed, need approval or are denied.

A rule consists of conditions separated by +: a tool's name or pattern (`app_*`), `toolset:files`,
`app:com.bank.*` (the foreground app), `token:NAME`. It matches if all of its conditions match.
"""

import re
from collections.abc import Iterable
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

AGENT_PREFIX = "phone_"
"""The prefix of the tools for models, which rules may name."""
LONGEST_RULE = 300
MOST_RULES = 200
"""Rules in one list."""

_FORMS = {
    "tool": (re.compile(r"[a-z0-9_*]{1,64}", re.ASCII), "a tool's name without prefix, or *"),
    "toolset": (re.compile(r"[a-z0-9_]{1,64}", re.ASCII), "a toolset's name"),
    "app": (re.compile(r"[A-Za-z0-9_.*]{1,255}", re.ASCII), "a package such as com.bank.*"),
    "token": (re.compile(r"[A-Za-z0-9_.*:@|/~=%-]{1,200}", re.ASCII), "a token's name"),
}
"""The format of each kind of condition, in the order in which they are written."""


class RuleError(ValueError):
    """The text is not a rule. The message gives the reason, without a full stop."""


class Verdict(IntEnum):
    """Of two equally specific rules, the greater verdict wins."""

    ALLOW = 0
    ASK = 1
    DENY = 2


_KEPT = 1000
"""Decisions that are cached."""


class Subject(NamedTuple):
    """The properties of a call that rules check."""

    tools: tuple[str, ...]
    """The tool's name and, last, the name of the documented tool under whose rules it falls."""
    toolset: str = ""
    app: str | None = None
    """The foreground app; None if it is unknown."""
    token: str = ""


class Rule(NamedTuple):
    """The conditions of a rule; an empty one is not checked."""

    tool: str = ""
    toolset: str = ""
    app: str = ""
    token: str = ""

    @classmethod
    def read(cls, text: str) -> "Rule":
        """Raises RuleError."""
        if len(text) > LONGEST_RULE:
            raise RuleError(f"a rule has at most {LONGEST_RULE} characters")
        conditions: dict[str, str] = {}
        for part in text.split("+"):
            name, colon, value = part.strip().partition(":")
            kind, value = (name, value) if colon else ("tool", name)
            if kind not in _FORMS or (kind == "tool" and colon):
                raise RuleError("a condition begins with toolset:, app: or token:, or names a tool")
            form, wanted = _FORMS[kind]
            if not form.fullmatch(value):
                raise RuleError(f"{value!r} is not {wanted}")
            if kind in conditions:
                raise RuleError(f"it has two conditions of one kind ({kind}), which no call meets")
            conditions[kind] = value
        return cls(**conditions)

    def __str__(self) -> str:
        named = ((kind, getattr(self, kind)) for kind in _FORMS)
        return "+".join(
            value if kind == "tool" else f"{kind}:{value}" for kind, value in named if value
        )

    def matches(self, call: Subject, *, in_doubt: bool = False, any_app: bool = False) -> bool:
        """Whether the rule matches. `in_doubt` is the result if the rule names an app and the
        foreground app is unknown. With `any_app`, the app is ignored."""
        if self.tool and not any(fits(self.tool, name) for name in call.tools):
            return False
        if self.toolset and self.toolset != call.toolset:
            return False
        if self.token and not fits(self.token, call.token):
            return False
        if not self.app or any_app:
            return True
        return in_doubt if call.app is None else fits(self.app, call.app)

    def covers(self, call: Subject) -> bool:
        """Whether it matches clearly enough to relax another rule. A pattern such as `set_*` was
        written for documented tools, and not for a tool of another surface that happens to
        match."""
        if "*" in self.tool and not self.tool.startswith(AGENT_PREFIX):
            call = call._replace(tools=call.tools[-1:])
        return self.matches(call)

    def within(self, wider: "Rule") -> bool:
        """Whether this rule has all conditions of the other, at least as specific. Of two rules
        that match the same call, one that names its tool is within one that names its toolset."""
        named = bool(self.tool) and "*" not in self.tool
        return (
            (not wider.tool or (bool(self.tool) and fits(wider.tool, self.tool)))
            and (not wider.toolset or self.toolset == wider.toolset or named)
            and (not wider.app or (bool(self.app) and fits(wider.app, self.app)))
            and (not wider.token or (bool(self.token) and fits(wider.token, self.token)))
        )


class Decision(NamedTuple):
    verdict: Verdict
    rule: Rule | None = None
    """The rule that decided; None if no rule matches."""


def _strictness(decision: Decision) -> tuple[Verdict, bool]:
    """Of rules that ask, one that names an app is the stricter: its yes is only for that app."""
    named = decision.rule is not None and bool(decision.rule.app)
    return decision.verdict, named and decision.verdict is Verdict.ASK


class Rules:
    """All rules of the owner. A more specific matching rule overrides a wider one; among the
    others, deny wins over ask and ask over allow. Calls that no rule matches are allowed."""

    def __init__(
        self,
        *,
        allow: Iterable[str] = (),
        ask: Iterable[str] = (),
        deny: Iterable[str] = (),
        default: Iterable[str] = (),
    ) -> None:
        """`default` are rules that ask and that the owner did not write: they override none of the
        owner's rules. Raises RuleError."""
        self.ask, self.allow = tuple(ask), tuple(allow)
        self.default = frozenset(map(Rule.read, default))
        # The first rule that asks counts: the owner's own is at least as strict.
        self._rules = [
            *((Verdict.DENY, Rule.read(text)) for text in deny),
            *((Verdict.ASK, Rule.read(text)) for text in self.ask),
            *((Verdict.ASK, rule) for rule in self.default),
            *((Verdict.ALLOW, Rule.read(text)) for text in self.allow),
        ]
        # Rules do not change and most calls repeat, so decisions are cached.
        self.wants_app = lru_cache(_KEPT)(self._wants_app)
        self.decide = lru_cache(_KEPT)(self._decide)

    def _wants_app(self, call: Subject) -> bool:
        """Whether the decision depends on the foreground app."""
        return any(rule.app and rule.matches(call, any_app=True) for _, rule in self._rules)

    def _decide(self, call: Subject) -> Decision:
        """If the app is unknown, rules with an app match if they deny or ask, but not if they
        allow, and they override no others."""
        matching = [
            (verdict, rule)
            for verdict, rule in self._rules
            if (
                rule.covers(call) if verdict is Verdict.ALLOW else rule.matches(call, in_doubt=True)
            )
        ]
        sure = [rule for _, rule in matching if rule not in self.default and rule.covers(call)]
        left = [
            Decision(verdict, rule)
            for verdict, rule in matching
            if not any(narrower.within(rule) and not rule.within(narrower) for narrower in sure)
        ]
        return max(left, key=_strictness, default=Decision(Verdict.ALLOW))


def find_fault(text: str) -> str:
    """Why this is not a rule; "" if it is."""
    try:
        Rule.read(text)
    except RuleError as fault:
        return str(fault)
    return ""


def fits(pattern: str, text: str) -> bool:
    """Whether `text` matches; * stands for any characters. Linear in time for every pattern."""
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
