"""How the owner can permanently allow calls that are asked about. Only the owner learns this, never
an agent."""

import json
import shlex
from collections.abc import Sequence
from typing import NamedTuple

from ..settings.questions import APPS_RULE, DEFAULT
from ..settings.rules import Rule, Rules, Subject
from ..tools.app_offer import AppOffer


class Remedy(NamedTuple):
    setting: str = ""
    """A line for handheld.toml."""
    command: str = ""
    app: AppOffer | None = None
    """The app whose approval allows it."""

    def __str__(self) -> str:
        if not self.setting:
            return ""
        return f"To allow it: {self.setting} in handheld.toml, or: {self.command}"


NO_REMEDY = Remedy()


START = "handheld serve"


def find_remedy(
    rules: Rules,
    asking: Sequence[tuple[Rule, Subject]],
    offer: AppOffer | None,
    start: str = START,
) -> Remedy:
    """`asking` are the rules that ask, each with the subject it asks about; `start` is the command
    that started this process."""
    allowed: list[Rule] = []
    for rule, subject in asking:
        found = _allow(rule, subject, rule in rules.default)
        if found is None:
            # The rule names exactly these calls, so no other can be narrower.
            left = [text for text in rules.ask if Rule.read(text) != rule]
            return _write("ask", [*left, *([DEFAULT] if rules.default else [])], start)
        allowed.append(found)
    remedy = _write("allow", [*rules.allow, *dict.fromkeys(map(str, allowed))], start)
    if offer is not None and all(_is_of_app(rule) and rule in rules.default for rule, _ in asking):
        return Remedy(remedy.setting, f"handheld apps approve {offer.package}", offer)
    return remedy


def _allow(rule: Rule, subject: Subject, default: bool) -> Rule | None:
    """The rule by which the owner allows what this rule asks about: the same rule if it is a
    default, otherwise a narrower one."""
    if default and not _is_of_app(rule):
        return rule
    if not rule.tool or "*" in rule.tool:
        return rule._replace(tool=subject.tools[-1])
    if not rule.token or "*" in rule.token:
        return rule._replace(token=subject.token)
    return None


def _is_of_app(rule: Rule) -> bool:
    return str(rule) == APPS_RULE


def _write(key: str, texts: Sequence[str], start: str) -> Remedy:
    return Remedy(
        f"policy.{key} = {json.dumps(texts)}",
        f"{start} --policy-{key} {shlex.quote(','.join(texts))}",
    )
