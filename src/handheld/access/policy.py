"""The owner's policy from the settings: disabled tools, and rules on calls."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from ..clock import SYSTEM_CLOCK, Clock
from ..settings import Settings, SettingsError
from ..settings.groups import PolicySettings
from ..settings.questions import (
    APPS_RULE,
    DEFAULT,
    DEFAULT_ASK,
    OUTCOMES,
    Kind,
    Present,
    RuleOutcome,
)
from ..tools.listing import APP_PREFIX, APP_TOOLSET, OPTIONAL_TOOLSETS, STEPS_TOOL
from .request_scope import RequestScope

if TYPE_CHECKING:
    from ..tools.tool import Toolset
    from .approval import ApprovalGate


ALL_TOOLSETS = "all"
"""In `toolsets.on`, stands for every toolset."""


def make_policy(settings: Settings, catalog: "Sequence[Toolset]") -> RequestScope:
    """Raises SettingsError for an unknown tool or toolset."""
    tools = {tool.name for toolset in catalog for tool in toolset.tools}
    # The apps on the phones are not known yet.
    named = [name for name in settings.tools.off if not name.startswith(APP_PREFIX)]
    toolsets = {toolset.name: toolset for toolset in catalog}
    _check_tools("tools.off", named, tools)
    _check("toolsets.off", "toolset", settings.toolsets.off, sorted(toolsets))
    on = settings.toolsets.on
    if on and toolsets:
        _check("toolsets.on", "toolset", on, sorted((*toolsets, ALL_TOOLSETS)))
    whole = (tool.name for name in settings.toolsets.off for tool in toolsets[name].tools)
    return RequestScope(
        read_only=settings.read_only,
        off=frozenset((*settings.tools.off, *whole)),
        on=OPTIONAL_TOOLSETS if ALL_TOOLSETS in on else OPTIONAL_TOOLSETS.intersection(on),
        strict=settings.main.strict,
    )


def describe_unasked(policy: PolicySettings) -> str:
    """Describe which calls run without a question while nobody is there."""
    told = [_describe_nobody(policy)] if policy.ask else []
    if DEFAULT not in policy.ask:
        told.append(
            f"policy.ask leaves out the {DEFAULT} rules: calls that your own rules do not name"
            " run without a question."
        )
    return " ".join(told)


def _describe_nobody(policy: PolicySettings) -> str:
    column = Present.NOBODY_REQUIRED if policy.require_console else Present.NOBODY
    unasked = [
        rule
        for rule in policy.default_ask
        if OUTCOMES[DEFAULT_ASK[rule]][column] is RuleOutcome.ALLOWED
    ]
    if APPS_RULE in policy.default_ask and OUTCOMES[Kind.FOUND_APP][column] is RuleOutcome.ALLOWED:
        unasked.append("and tools of apps that were present at the first look at the phone")
    if not unasked:
        return "While nobody is there to be asked, calls that need approval are denied."
    return (
        f"While nobody is there to be asked, {', '.join(unasked)} are allowed without a question"
        " (--policy-require-console changes that); other calls that need approval are denied."
    )


def make_gate(
    settings: Settings,
    catalog: "Sequence[Toolset]",
    clock: Clock = SYSTEM_CLOCK,
    start: str = "",
) -> "ApprovalGate":
    """Make the approval gate. `start` is the command that started this process. Raises
    SettingsError for an unknown tool or toolset."""
    from ..settings.rules import Rule, Rules
    from .allowance import Allowance
    from .approval import ApprovalGate
    from .remedy import START

    policy = settings.policy
    tools = {tool.name for toolset in catalog for tool in toolset.tools}
    toolsets = sorted((*(toolset.name for toolset in catalog), APP_TOOLSET))
    for key, texts in (("ask", policy.own_ask), ("deny", policy.deny), ("allow", policy.allow)):
        for rule in map(Rule.read, texts):
            if rule.tool and "*" not in rule.tool and not rule.tool.startswith(APP_PREFIX):
                _check_tools(f"policy.{key}", [rule.tool], tools)
                if rule.tool == STEPS_TOOL:
                    raise SettingsError(
                        f"policy.{key} names {STEPS_TOOL}, which only calls other tools: rules on"
                        " those tools apply to its steps. tools.off can switch it off."
                    )
            if rule.toolset:
                _check(f"policy.{key}", "toolset", [rule.toolset], toolsets)
    rules = Rules(
        ask=policy.own_ask, deny=policy.deny, allow=policy.allow, default=policy.default_ask
    )
    return ApprovalGate(
        rules,
        wait_seconds=policy.wait_seconds,
        require_console=policy.require_console,
        allowance=Allowance(
            settings.folders.unasked_messages, settings.sms.unasked_per_hour, clock
        ),
        clock=clock,
        start=start or START,
    )


def _check_tools(key: str, names: Sequence[str], main: Collection[str]) -> None:
    """Raises SettingsError for a name that neither surface has."""
    if all(name in main for name in names):
        return
    from ..tools.agent.catalog import AGENT_CATALOG, OPTIONAL_AGENT_CATALOG

    every = (*AGENT_CATALOG, *OPTIONAL_AGENT_CATALOG)
    agent = (tool.name for toolset in every for tool in toolset.tools)
    _check(key, "tool", names, sorted((*main, *agent, STEPS_TOOL)))


def _check(key: str, what: str, names: Sequence[str], known: Sequence[str]) -> None:
    for name in names:
        if name not in known:
            import difflib

            near = difflib.get_close_matches(name, known, n=3, cutoff=0.4)
            hint = f"Near it: {', '.join(near)}." if near else f"Known: {', '.join(known)}."
            raise SettingsError(f"{key} names no {what} {name!r}. {hint}")
