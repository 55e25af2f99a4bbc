"""Changing members of JSON with comments: everything else stays as it was written."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handheld.cli.clients.jsonc import DEEPEST, JsonError, parse, put, remove

PATH = ("servers", "a")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '{\n  "servers": {\n    "a": 1\n  }\n}\n'),
        ("// mine\n", '// mine\n{\n  "servers": {\n    "a": 1\n  }\n}\n'),
        ("{}", '{\n  "servers": {\n    "a": 1\n  }\n}'),
        ("{ }\n", '{\n  "servers": {\n    "a": 1\n  }\n}\n'),
        ('{"servers":{}}', '{"servers":{\n  "a": 1\n}}'),
        ('{"servers": {"b": 2}}', '{"servers": {"b": 2, "a": 1}}'),
        ('{"servers": {"b": 2,},}', '{"servers": {"b": 2, "a": 1,},}'),
        (
            '{\n\t"servers": {\n\t\t"b": 2 // two\n\t}\n}',
            '{\n\t"servers": {\n\t\t"b": 2, // two\n\t\t"a": 1\n\t}\n}',
        ),
        (
            '{\n  "servers": { // none\n  }\n}',
            '{\n  "servers": { // none\n    "a": 1\n  }\n}',
        ),
        (
            '{\r\n    "x": [1, /* , */ 2],\r\n    "y": "}//"\r\n}\r\n',
            '{\r\n    "x": [1, /* , */ 2],\r\n    "y": "}//",\r\n    "servers": {\r\n'
            '        "a": 1\r\n    }\r\n}\r\n',
        ),
        ('{\n  "servers": {"a": 2 /* two */}\n}', '{\n  "servers": {"a": 1 /* two */}\n}'),
    ],
)
def test_a_member_is_put_where_a_person_would_write_it(before: str, after: str) -> None:
    assert put(before, PATH, 1) == after
    assert put(after, PATH, 1) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"servers": {"a": 1}}', '{"servers": {}}'),
        ('{"servers": {"a": 1, "b": 2}}', '{"servers": {"b": 2}}'),
        ('{"servers": {"b": 2, "a": 1}}', '{"servers": {"b": 2}}'),
        ('{"servers": {"b": 2, "a": 1,}}', '{"servers": {"b": 2,}}'),
        ('{"servers": {"a": 1, /* b */ "b": 2}}', '{"servers": {/* b */ "b": 2}}'),
        (
            '{\n  "servers": {\n    "b": 2, // two\n    "a": 1 // one\n    // end\n  }\n}\n',
            '{\n  "servers": {\n    "b": 2 // two\n    // end\n  }\n}\n',
        ),
        (
            '{\n  "servers": {\n    // one\n    "a": 1,\n    "b": 2\n  }\n}\n',
            '{\n  "servers": {\n    // one\n    "b": 2\n  }\n}\n',
        ),
        ('{\r\n  "servers": {\r\n    "a": 1\r\n  }\r\n}\r\n', '{\r\n  "servers": {}\r\n}\r\n'),
        ('{"servers": 1}', '{"servers": 1}'),
        ("{}", "{}"),
    ],
)
def test_a_removed_member_takes_its_line_and_its_comma_with_it(before: str, after: str) -> None:
    assert remove(before, PATH) == after


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[]", "line 1, column 1: it does not begin with {"),
        ("{} {}", "line 1, column 4: there is something after the last }"),
        ('{"a": 1\n "b": 2}', "line 2, column 2: a comma or } is missing"),
        ('{\n  "a": }', "line 2, column 8: a value is missing"),
        ('{"a" 1}', "line 1, column 6: : is missing"),
        ("{'a': 1}", "line 1, column 2: a name in quotes, or }, is missing"),
        ('{"a": "b\n"}', "line 1, column 7: a text has no end"),
        ('{"a": "\\q"}', "line 1, column 11: a value is not JSON"),
        ('{"a": [1 2]}', "line 1, column 10: a comma or ] is missing"),
        ('{"a": 1 /* }', "line 1, column 9: a comma or } is missing"),
        ('{"a": 1', "line 1, column 8: a comma or } is missing"),
        ('{"a": 1, "a": 2}', "line 1, column 13: a is there twice"),
        ('{"servers": []}', "servers is not an object"),
        ('{"a":' * (DEEPEST + 1), "line 1, column 501: it is nested too deeply"),
        ('{"a": ' + "9" * 5000 + "}", "line 1, column 5007: a value is not JSON"),
    ],
)
def test_a_broken_text_is_refused_with_the_place(text: str, reason: str) -> None:
    with pytest.raises(JsonError) as caught:
        put(text, PATH, 1)
    assert str(caught.value) == reason


names = st.sampled_from(["a", "b", "c", "servers", "x y", "ü"])
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=8,
)
gaps = st.sampled_from(["", " ", "\n", "\r\n  ", " // c\n", "/* d */", "\n\t/* e\n*/ // f\n"])


@st.composite
def texts(draw: st.DrawFn, value: Any = None) -> str:
    """JSON as somebody may have written it."""
    value = draw(st.dictionaries(names, values, max_size=4)) if value is None else value
    gap = lambda: draw(gaps)  # noqa: E731
    if isinstance(value, dict):
        parts = [
            f"{gap()}{json.dumps(k)}{gap()}:{gap()}{draw(written(v))}" for k, v in value.items()
        ]
        last = draw(st.sampled_from(["", f"{gap()},"])) if parts else ""
        return f"{{{f'{gap()},'.join(parts)}{last}{gap()}}}"
    if isinstance(value, list):
        return f"[{gap()}{','.join(draw(written(each)) for each in value)}{gap()}]"
    return json.dumps(value, ensure_ascii=False)


def written(value: Any) -> st.SearchStrategy[str]:
    return st.just("null") if value is None else texts(value)


def comments(text: str) -> list[str]:
    found = re.findall(r'"(?:[^"\\]|\\.)*"|(//[^\r\n]*|/\*.*?\*/)', text, re.DOTALL)
    return sorted(filter(None, found))


@given(texts(), names, values)
def test_only_the_member_changes_whatever_the_text(text: str, name: str, value: Any) -> None:
    before = parse(text)
    after = put(text, (name,), value)
    assert parse(after) == {**before, name: value}
    if name not in before:
        assert comments(after) == comments(text)
    assert put(after, (name,), value) == after
    without = remove(after, (name,))
    assert parse(without) == {key: each for key, each in before.items() if key != name}
    assert set(comments(without)) <= set(comments(text))
