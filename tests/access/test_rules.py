"""How rules are read, and which of them counts."""

import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handheld.settings.rules import Decision, Rule, RuleError, Rules, Subject, Verdict, find_fault

ALLOW, ASK, DENY = Verdict.ALLOW, Verdict.ASK, Verdict.DENY


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("send_sms", Rule("send_sms")),
        ("app_*", Rule("app_*")),
        ("*", Rule("*")),
        ("toolset:files", Rule(toolset="files")),
        ("app:com.bank.*", Rule(app="com.bank.*")),
        ("token:family-2.x", Rule(token="family-2.x")),
        (
            " token:a + app:com.Bank + tap +toolset:touch",
            Rule("tap", "touch", "com.Bank", "a"),
        ),
    ],
)
def test_a_rule_is_read(text: str, rule: Rule) -> None:
    assert Rule.read(text) == rule


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "'' is not a tool's name without prefix, or *"),
        ("tap+", "'' is not a tool's name without prefix, or *"),
        ("Tap", "'Tap' is not a tool's name without prefix, or *"),
        ("tap swipe", "'tap swipe' is not a tool's name without prefix, or *"),
        ("app:", "'' is not a package such as com.bank.*"),
        (
            "app:com.bank+app:com.shop",
            "it has two conditions of one kind (app), which no call meets",
        ),
        ("tap+swipe", "it has two conditions of one kind (tool), which no call meets"),
        ("phone:a", "a condition begins with toolset:, app: or token:, or names a tool"),
        ("tool:tap", "a condition begins with toolset:, app: or token:, or names a tool"),
        ("TOKEN:x", "a condition begins with toolset:, app: or token:, or names a tool"),
        ("toolset:fil*", "'fil*' is not a toolset's name"),
        ("a" * 301, "a rule has at most 300 characters"),
    ],
)
def test_what_is_no_rule_is_refused(text: str, fault: str) -> None:
    assert find_fault(text) == fault


PARTS = st.fixed_dictionaries(
    {},
    optional={
        "tool": st.from_regex(r"[a-z0-9_*]{1,64}", fullmatch=True),
        "toolset": st.from_regex(r"[a-z0-9_]{1,20}", fullmatch=True),
        "app": st.from_regex(r"[A-Za-z0-9_.*]{1,60}", fullmatch=True),
        "token": st.from_regex(r"[a-z0-9_.*-]{1,32}", fullmatch=True),
    },
).filter(bool)


@given(PARTS)
def test_a_rule_is_read_as_it_is_written(parts: dict[str, str]) -> None:
    rule = Rule(**parts)
    assert Rule.read(str(rule)) == rule
    assert rule.within(rule)


@given(st.text(max_size=60))
def test_any_text_is_a_rule_or_has_a_fault(text: str) -> None:
    fault = find_fault(text)
    if fault:
        with pytest.raises(RuleError, match=re.escape(fault)):
            Rule.read(text)
    else:
        rule = Rule.read(text)
        assert Rule.read(str(rule)) == rule


@given(st.text("ab*", min_size=1, max_size=12), st.text("ab", max_size=12))
def test_a_star_stands_for_any_characters(pattern: str, name: str) -> None:
    expected = re.fullmatch(pattern.replace("*", ".*"), name) is not None
    assert Rule(pattern).matches(Subject((name,))) == expected


@given(
    st.text("ab*", min_size=1, max_size=8),
    st.text("ab*", min_size=1, max_size=8),
    st.text("ab", max_size=10),
)
def test_a_general_rule_matches_all_that_a_specific_one_does(
    narrow: str, wide: str, name: str
) -> None:
    call = Subject((name,))
    if Rule(narrow).within(Rule(wide)) and Rule(narrow).matches(call):
        assert Rule(wide).matches(call)


CALL = Subject(("tap",), "touch", "com.bank.app", "family")


@pytest.mark.parametrize(
    ("allow", "ask", "deny", "decision"),
    [
        # What no rule matches is allowed.
        ("", "", "", (ALLOW, "")),
        ("", "swipe app:org.* token:x toolset:files", "tap+token:x", (ALLOW, "")),
        # Each condition by itself.
        ("", "tap", "", (ASK, "tap")),
        ("", "t*p", "", (ASK, "t*p")),
        ("", "", "toolset:touch", (DENY, "toolset:touch")),
        ("", "", "app:com.bank.*", (DENY, "app:com.bank.*")),
        ("", "", "token:fam*", (DENY, "token:fam*")),
        # All of a rule's conditions must hold.
        ("", "", "tap+app:com.bank.*+token:family", (DENY, "tap+app:com.bank.*+token:family")),
        ("", "", "tap+app:com.bank", (ALLOW, "")),
        # Of rules on different things deny counts before ask, and ask before allow.
        ("tap", "app:com.bank.*", "", (ASK, "app:com.bank.*")),
        ("tap", "app:com.bank.*", "token:family", (DENY, "token:family")),
        ("app:com.*", "tap", "", (ASK, "tap")),
        # A narrower rule counts, whatever the wider one says.
        ("tap", "*", "", (ALLOW, "tap")),
        ("tap", "toolset:touch", "", (ALLOW, "tap")),
        ("tap+token:family", "tap", "", (ALLOW, "tap+token:family")),
        ("tap+token:family", "", "tap", (ALLOW, "tap+token:family")),
        ("", "tap+token:family", "tap", (ASK, "tap+token:family")),
        ("app:com.bank.app", "", "app:com.bank.*", (ALLOW, "app:com.bank.app")),
        ("tap+app:com.bank.*", "", "app:com.bank.*", (ALLOW, "tap+app:com.bank.*")),
        ("", "", "tap+app:com.bank.*", (DENY, "tap+app:com.bank.*")),
        # One that is narrower in one thing and wider in another does not.
        ("tap+token:*", "tap+app:com.*", "", (ASK, "tap+app:com.*")),
        ("t*+token:family", "tap", "", (ASK, "tap")),
        # A pattern that is wider than the toolset is not within it.
        ("t*", "toolset:touch", "", (ASK, "toolset:touch")),
        # A narrower rule that does not match has no say.
        ("tap+token:other", "tap", "", (ASK, "tap")),
        # Narrower than narrower.
        ("tap", "tap+token:family", "toolset:touch", (ASK, "tap+token:family")),
    ],
)
def test_the_most_specific_rule_wins_and_else_the_strictest(
    allow: str, ask: str, deny: str, decision: tuple[Verdict, str]
) -> None:
    rules = Rules(allow=allow.split(), ask=ask.split(), deny=deny.split())
    verdict, text = decision
    assert rules.decide(CALL) == Decision(verdict, Rule.read(text) if text else None)


@pytest.mark.parametrize(
    ("allow", "ask", "deny", "verdict"),
    [
        ("", "", "app:com.bank.*", DENY),
        ("", "app:com.bank.*", "", ASK),
        ("tap+app:com.notes", "tap", "", ASK),
        ("", "tap+app:com.notes", "tap", DENY),
        ("", "", "app:com.bank.*+swipe", ALLOW),
    ],
)
def test_an_unknown_app_may_be_the_denied_one(
    allow: str, ask: str, deny: str, verdict: Verdict
) -> None:
    rules = Rules(allow=allow.split(), ask=ask.split(), deny=deny.split())
    assert rules.decide(Subject(("tap",), "touch")).verdict is verdict


def test_a_rule_for_a_tool_also_applies_to_its_predecessors() -> None:
    rules = Rules(deny=["get_screen_state"])
    call = Subject(("get_accessibility_tree", "get_screen_state"), "screen")
    assert rules.decide(call) == Decision(DENY, Rule("get_screen_state"))


@pytest.mark.parametrize(
    ("rules", "wanted"),
    [
        ("tap", False),
        ("swipe+app:com.bank.*", False),
        ("token:x+app:com.bank.*", False),
        ("app:com.bank.*", True),
        ("tap+app:com.bank.*", True),
        ("toolset:touch+token:family+app:*", True),
    ],
)
def test_the_app_is_wanted_only_where_a_rule_turns_on_it(rules: str, wanted: bool) -> None:
    call = Subject(("tap",), "touch", None, "family")
    assert Rules(deny=[rules]).wants_app(call) == wanted
    assert Rules(allow=[rules]).wants_app(call) == wanted


def rows_of_the_page() -> list[tuple[str, str]]:
    page = Path(__file__).resolve().parents[2] / "docs" / "safety.md"
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in page.read_text(encoding="utf-8").splitlines()
        if re.match(r"\| `(ask|deny|allow) = ", line)
    ]
    return [(row[0], row[1]) for row in rows]


def test_the_page_on_rules_has_examples() -> None:
    assert len(rows_of_the_page()) == 5


@pytest.mark.parametrize(("row", "outcome"), rows_of_the_page())
def test_the_examples_of_the_page_are_true(row: str, outcome: str) -> None:
    lists = tomllib.loads("\n".join(re.findall(r"`([^`]+)`", row)))
    rules = Rules(**lists)
    tool = next(
        rule.tool
        for texts in reversed(lists.values())
        for rule in map(Rule.read, texts)
        if rule.tool and "*" not in rule.tool
    )
    call = Subject((tool,), "files" if tool == "read_file" else "", "com.bank.app", "family")
    assert all(Rule.read(text).matches(call) for texts in lists.values() for text in texts)
    outcomes = {"allowed": ALLOW, "asked": ASK, "denied": DENY}
    assert rules.decide(call).verdict is outcomes[outcome]
