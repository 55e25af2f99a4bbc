"""What Android lists of app functions, in its form."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fixtures
from handheld.app_formats.app_functions import BadFunctions, TypeKind, read_functions
from handheld.app_formats.app_functions.metadata import DEEPEST, LONGEST_DESCRIPTION, read_type

PACKAGE = "org.example.notes"
CREATE = f"{PACKAGE}.NoteFunctions#createNote"
LISTED = fixtures.text("app_functions/list-api36.txt")


def test_functions_are_read_with_their_parameters_types_and_states() -> None:
    found = read_functions(LISTED)[PACKAGE]
    create, remove, legacy = found.functions
    assert (create.id, create.short_name, create.enabled) == (CREATE, "createNote", True)
    assert [(one.name, one.required) for one in create.parameters] == [
        ("title", True),
        ("attachment", False),
    ]
    assert create.parameters[1].type.kind is TypeKind.REFERENCE
    assert create.returns is not None
    assert create.returns.kind is TypeKind.REFERENCE
    assert found.types["org.example.notes.Note"].required == {"title"}
    assert not remove.enabled  # switched off at run time
    assert remove.deprecated == "Use archiveNote."
    assert legacy.returns is None


def test_the_state_is_read_whether_or_not_it_is_nested_once_more() -> None:
    listed = json.loads(LISTED)
    for result in listed[PACKAGE]:
        for kind in [one for one in result if "Runtime" in one]:
            result[kind] = result[kind][kind]
    flat = read_functions(json.dumps(listed))[PACKAGE]
    assert [one.enabled for one in flat.functions] == [
        one.enabled for one in read_functions(LISTED)[PACKAGE].functions
    ]


def test_what_is_pinned_does_not_depend_on_states_and_order() -> None:
    listed = json.loads(LISTED)
    listed[PACKAGE].reverse()
    for result in listed[PACKAGE]:
        for kind in [one for one in result if "Runtime" in one]:
            result[kind][kind]["enabled"] = [1]
    again = read_functions(json.dumps(listed))[PACKAGE]
    assert again.declared == read_functions(LISTED)[PACKAGE].declared


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("[]", "is not a JSON object"),
        ('{"a": 5}', "does not list an array for 'a'"),
    ],
)
def test_what_is_no_list_is_refused(text: str, problem: str) -> None:
    with pytest.raises(BadFunctions, match=problem):
        read_functions(text)


def test_a_function_that_cannot_be_read_leaves_the_others() -> None:
    listed = json.loads(LISTED)
    listed[PACKAGE][0][f"AppFunctionStaticMetadata-{PACKAGE}"]["parameters"][0]["name"] = []
    found = read_functions(json.dumps(listed))[PACKAGE]
    assert len(found.functions) == 2
    assert found.problems == (
        f"{PACKAGE}: the function '{CREATE}' has a parameter without a name.",
    )


def test_an_app_has_so_many_functions_at_most() -> None:
    kind = f"AppFunctionStaticMetadata-{PACKAGE}"
    many = [{kind: {"functionId": [f"c#f{number}"]}} for number in range(201)]
    found = read_functions(json.dumps({PACKAGE: many}))[PACKAGE]
    assert len(found.functions) == 200
    assert found.problems == (f"{PACKAGE} declares over 200 functions.",)


def test_of_a_description_only_the_beginning_is_read() -> None:
    read = read_type({"type": [8], "description": ["x" * 1_000_000]})
    assert read.description == "x" * LONGEST_DESCRIPTION


def test_types_may_not_be_too_deep() -> None:
    type: Any = {"type": [8]}
    for _ in range(DEEPEST):
        type = {"type": [10], "itemType": [type]}
    assert read_type(type).kind is TypeKind.ARRAY
    with pytest.raises(BadFunctions, match="deep"):
        read_type({"type": [10], "itemType": [type]})


@pytest.mark.parametrize("levels", [300, 900])
def test_what_is_too_deep_for_a_digest_leaves_the_rest(levels: int) -> None:
    listed = json.loads(LISTED)
    deep: Any = 1
    for _ in range(levels):
        deep = {"a": deep}
    listed[PACKAGE].append({"Other": deep})
    found = read_functions(json.dumps(listed))[PACKAGE]
    assert found.problems == (f"{PACKAGE} declares something over 200 levels deep.",)
    plain = read_functions(LISTED)[PACKAGE]
    assert (found.functions, found.declared) == (plain.functions, plain.declared)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "AppFunctionStaticMetadata",
                    "AppFunctionRuntimeMetadata-a",
                    "functionId",
                    "parameters",
                    "response",
                    "valueType",
                    "type",
                    "name",
                    "dataTypeMetadata",
                    "dataTypes",
                    "properties",
                    "itemType",
                    "enabled",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(st.dictionaries(st.text(max_size=3), st.lists(VALUES, max_size=3), max_size=2))
def test_any_json_is_read_or_refused(value: dict[str, Any]) -> None:
    for package, declared in read_functions(json.dumps(value)).items():
        assert package in value
        assert all(one.id for one in declared.functions)
