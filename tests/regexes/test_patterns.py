"""No pattern of the product takes more than linear work: a text of a client, an app, a phone or a
file could stop the server with one that does."""

import re
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from .automaton import Automaton, Unjudged, Use
from .growth import find_attack
from .sources import Pattern, patterns

ONE_TRY = {
    ("cli/clients/jsonc.py", "_GAP"): "what comes next is no comment: the file is refused",
    ("cli/clients/jsonc.py", "_STRING"): "a text without an end: the file is refused",
    ("cli/clients/jsonc.py", "_COMMENT_BESIDE"): "each goes on where the last one ended",
    ("cli/clients/jsonc.py", "_LINE_END"): "once for each change",
    ("handheld_virtual/commands/text/awk.py", "_PIECE"): "the program is refused",
    ("handheld_virtual/packages/where.py", "_PIECE"): "the condition is refused",
    ("handheld_virtual/sh/arithmetic.py", "_PIECE"): "the sum is refused",
    ("handheld_virtual/sh/syntax.py", "_ASSIGNMENT"): "it is read as a word then, once",
    ("handheld_virtual/sh/syntax.py", "_FUNCTION"): "it is read as a word then, once",
}
"""Matched from a place in the text, but not from each: what follows where it does not match."""

BOUNDED = {
    ("driver/by_shell/probes.py", "_FIX"): "its last repeat ends after 400 characters, and none but"
    " that one is tried again",
    ("driver/by_adb/measurement.py", "_SIZE"): "it reads the first 200 characters of a line",
}
"""What bounds the work."""

MATCHES_BEFORE = {
    (
        "cli/doctor/private_words.py",
        r"'(?<!\\w)\\+?\\d(?:[ ()/-]{0,2}\\d){6,}(?!\\w)'",
    ): "an earlier digit ends the number",
    ("tasks/policies.py", "_ORDER"): "the words before it are an order",
}
"""Where a repeat fails, a shorter match is one, and the next try begins after that."""


class Made(NamedTuple):
    """A pattern that is made at run time."""

    example: str
    use: Use


MADE: dict[tuple[str, str], Made | str] = {
    ("cli/completion/tree.py", "pattern"): "it reads our own help",
    ("cli/doctor/private_words.py", "joined"): Made(r"(?i)R58M123ABC|(?<!\w)Anna(?!\w)", "search"),
    ("driver/reading/content_rows.py", "row"): Made(
        r"Row: \d{1,9} _id=(-?\d{1,19}|NULL), type=(-?\d{1,19}|NULL)", "fullmatch"
    ),
    (
        "driver/reading/content_rows.py",
        r"f'^Row: (\\d{{1,9}}) {cells}, {re.escape(column)}='",
    ): Made(r"(?m)^Row: (\d{1,9}) _id=(-?\d{1,19}), type=(-?\d{1,19}), body=", "search"),
    ("driver/reading/exit_records.py", r"f'(?<!\\w){name}=(\\d{{1,9}})(?!\\d)'"): Made(
        r"(?<!\w)pid=(\d{1,9})(?!\d)", "search"
    ),
    ("driver/reading/notification_dump.py", r"f'^{indent}\\}}$'"): Made(
        r"(?m)^      \}$", "search"
    ),
    ("driver/reading/notification_dump.py", r"f'^{indent}    ([A-Za-z][\\w.]*)='"): Made(
        r"(?m)^          ([A-Za-z][\w.]*)=", "search"
    ),
    ("driver/reading/notification_dump.py", r"f'^{indent}      \\[\\d{{1,4}}\\] '"): Made(
        r"(?m)^            \[\d{1,4}\] ", "search"
    ),
    ("driver/reading/notification_dump.py", r"f'^{indent}actions=\\{{\\n'"): Made(
        r"(?m)^      actions=\{\n", "search"
    ),
    ("driver/reading/notification_dump.py", r"f'^{indent}  \\}}$'"): Made(
        r"(?m)^        \}$", "search"
    ),
    ("driver/reading/notification_dump.py", "f'^{indent}    \\\\[(\\\\d{{1,3}})\\\\] \"'"): Made(
        r'(?m)^          \[(\d{1,3})\] "', "search"
    ),
    ("driver/by_adb/batch.py", "ends"): Made(r"\nmark (\d{1,4}) (\d{1,4})(?:\n|\Z)", "search"),
    ("calls/agent_names.py", "_mentions"): Made(
        r"""(?s)"(?:[^"\\]|\\(?:.|\Z))*"?|rule '[^']*'|\bphone_(?=(?:tap|look)\b|<tool>)""",
        "search",
    ),
    ("tasks/book/parts.py", r"f'(?<!\\w){re.escape(_folded(wanted))}(?!\\w)'"): Made(
        r"(?<!\w)two words(?!\w)", "search"
    ),
    ("tasks/players.py", "stage.note"): "it reads a screen of a task of ours",
    ("tasks/players.py", "pattern"): "it reads a screen of a task of ours",
    (
        "handheld_virtual/commands/text/expressions.py",
        "_pattern",
    ): "lines are refused that are too long for it",
    (
        "handheld_virtual/packages/where.py",
        "pattern",
    ): "each of its pieces is taken where it first fits",
    ("handheld_virtual/sh/expansion.py", "f'[{blanks}]+'"): Made("[ \t]+", "search"),
    ("handheld_virtual/sh/expansion.py", "f'[{others}]'"): Made("[:,]", "search"),
    (
        "handheld_virtual/sh/expansion.py",
        "f'[{blanks}]*[{others}][{blanks}]*|[{blanks}]+'",
    ): "blanks without another separator are one",
    ("handheld_virtual/sh/patterns.py", "fnmatch.translate(pattern)"): "texts of 4096 characters",
    ("handheld_virtual/sh/patterns.py", "fnmatch.translate(name)"): "names of files",
}
"""An example, which is judged, or what bounds the work."""


def key_of(pattern: Pattern) -> tuple[str, str]:
    return pattern.file, pattern.name


def is_refused(pattern: Pattern, use: Use) -> bool:
    assert pattern.pattern is not None
    return find_attack(pattern.pattern, pattern.flags, use) is not None


def test_every_pattern_of_the_product_takes_linear_work() -> None:
    refused: set[tuple[str, str]] = set()
    for pattern in patterns():
        key = key_of(pattern)
        for use in pattern.uses if pattern.pattern is not None else ():
            try:
                bad = is_refused(pattern, use)
            except Unjudged as problem:
                pytest.fail(f"{pattern.place}: {pattern.name} has {problem}")
            if bad and key in ONE_TRY:
                assert not is_refused(pattern, "match"), pattern
            if bad:
                refused.add(key)
    # Those that are listed for nothing are found, too.
    assert refused == {*ONE_TRY, *BOUNDED, *MATCHES_BEFORE}


def test_every_pattern_that_is_made_at_run_time_is_listed() -> None:
    assert {key_of(each) for each in patterns() if each.pattern is None} == {*MADE}
    for key, made in MADE.items():
        if isinstance(made, Made):
            assert find_attack(made.example, 0, made.use) is None, key


def test_the_search_finds_the_patterns_of_all_kinds() -> None:
    """Several that are written in different ways, and how many there are at least."""
    found = {key_of(each): each for each in patterns()}
    assert len(patterns()) > 500
    assert found["tools/agent/elements/targets.py", "POINT"].uses == {"fullmatch"}  # an f-string
    assert found["server/connection.py", "_UPGRADE"].flags == re.IGNORECASE
    assert found["driver/by_shell/intents.py", "_COMPONENT"].uses == {"fullmatch"}  # by map
    assert found["fleet/nats/names.py", "NAME"].uses == {"fullmatch"}  # in other modules
    assert found["cli/clients/jsonc.py", "_GAP"].uses == {"search"}  # match, from a place
    assert found["phone/files/text_file.py", "_LINE_ENDS"].pattern == b"\r\n|[\r\n]"


def steps_for_all_matches(pattern: str, text: str) -> int:
    automaton, steps, at = Automaton(pattern, 0, "search"), 0, 0
    while at <= len(text):
        steps += automaton.count_steps(text[at:])[1]
        found = re.compile(pattern).search(text, at)
        at = len(text) + 1 if found is None else max(found.end(), at + 1)
    return steps


@pytest.mark.parametrize("key", MATCHES_BEFORE)
def test_a_shorter_match_makes_the_work_linear(key: tuple[str, str]) -> None:
    [pattern] = [each for each in patterns() if key_of(each) == key]
    assert isinstance(pattern.pattern, str)
    attack = find_attack(pattern.pattern, pattern.flags, "search")
    assert attack is not None
    once, twice = (steps_for_all_matches(pattern.pattern, attack.text(n)) for n in (40, 80))
    assert twice < 2.2 * once


REFUSED: list[tuple[str, Use]] = [
    (r"(a*)*b", "match"),
    (r"(?:a+)+b", "match"),
    (r"(?:a|a?b?)*c", "match"),
    (r"(?:\w+ ?)*x", "fullmatch"),
    (r"(?:[^\"\\]|\\?.)*\"", "match"),
    (r"\s*,?\s*x", "match"),
    (r"\s*[,; ]\s*x", "fullmatch"),
    (r"\d+\d*x", "match"),
    (r"\d{0,5000}\d{0,5000}x", "match"),
    (r".*a.*b", "match"),
    (r"[^\"\n]*.*", "fullmatch"),
    (r"[ \t]+$", "search"),
    (r"\w+=", "search"),
    (r"<[^>]*>", "search"),
    (r"\"(?:[^\"\\]|\\.)*\"", "search"),
    (r"(?m)^\s+x", "search"),
    (r"\bab-[\w-]+\.", "search"),
    (r"(?i)a+A+b", "match"),
    (r"x(?:y*z?)?y*w", "match"),
]
ACCEPTED: list[tuple[str, Use]] = [
    (r"\w+", "search"),
    (r"\s*+,?\s*+x", "match"),
    (r"[^\S ]*+(?: \s*+[,;]?|[,;])\s*+x", "fullmatch"),
    (r"(?<!\w)\w+=", "search"),
    (r"\"[^\"]*\"", "search"),
    (r"\"(?:[^\"\\]|\\.)*\"", "match"),
    (r"[ \t]+$", "match"),
    (r"x(?:y*z)?y*w", "match"),
    (r"a*b*c*d", "match"),
    (r"(?:a|b)*c", "match"),
    (r"(?:ab)*(?:ac)*d", "match"),
    (r".*", "fullmatch"),
    (r"(?s).*a.*", "fullmatch"),
    (r".*a", "fullmatch"),
    (r"(?m)^(.*)$", "search"),
    (r"(?m)^ +x", "search"),
    (r"\d{1,9}\d{1,9}x", "match"),
    (r"(a|a)*", "match"),
    (r"[A-Z]+[a-z]*(?:-[0-9]+)*", "fullmatch"),
]


@pytest.mark.parametrize(("pattern", "use"), REFUSED)
def test_what_is_refused_takes_more_than_linear_work(pattern: str, use: Use) -> None:
    attack = find_attack(pattern, 0, use)
    assert attack is not None
    automaton = Automaton(pattern, 0, use)

    def steps(times: int) -> int:
        matched, steps = automaton.count_steps(attack.text(times))
        assert not matched
        return steps

    if attack.exponential:
        assert steps(6) > 1.7 * steps(5) > 1.7 * 1.7 * steps(4)
    else:
        assert steps(80) > 3.3 * steps(40)


@pytest.mark.parametrize(("pattern", "use"), ACCEPTED)
def test_what_is_accepted_takes_linear_work(pattern: str, use: Use) -> None:
    assert find_attack(pattern, 0, use) is None
    automaton = Automaton(pattern, 0, use)
    for first in automaton.alphabet:
        for second in automaton.alphabet:
            for end in ("", *automaton.alphabet):
                once, twice = (
                    automaton.count_steps((first + second) * n + end)[1] for n in (20, 40)
                )
                assert twice < 2.5 * once + 20


@pytest.mark.parametrize("pattern", [r"(a)\1+", r"(?i:a)b", r"a(?=b*)", r"(?<!ab)c"])
def test_what_cannot_be_judged_is_refused_or_counted_as_passed(pattern: str) -> None:
    if pattern.startswith("(?<!"):
        assert find_attack(pattern, 0, "search") is None
    else:
        with pytest.raises(Unjudged):
            find_attack(pattern, 0, "search")


@pytest.mark.parametrize(("pattern", "use"), [*REFUSED, *ACCEPTED])
@given(data=st.data())
def test_an_automaton_matches_what_the_pattern_does(
    pattern: str, use: Use, data: st.DataObject
) -> None:
    automaton = Automaton(pattern, 0, use)
    text = data.draw(st.text(st.sampled_from(automaton.alphabet), max_size=7))
    expected = getattr(re.compile(pattern), use)(text) is not None
    # `$` is also passed before a line end that is not the last character.
    assert automaton.count_steps(text)[0] == expected or ("$" in pattern and "\n" in text[:-1])
