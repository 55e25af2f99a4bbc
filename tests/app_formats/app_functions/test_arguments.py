"""Arguments and results: what is sent is what the app gets, what it returns is what the caller
gets, through Android's own reading of JSON as the virtual phone has it."""

import json
import math
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from handheld.app_formats.app_functions import (
    AppFunctions,
    BadArgument,
    DataType,
    Document,
    FunctionParameter,
    Impossible,
    SchemaWriter,
    TypeKind,
    Types,
    encode,
    encode_arguments,
    read_result,
)
from handheld.app_formats.app_functions.arguments import write
from handheld.app_formats.app_functions.declaring import (
    BOOLEAN,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    STRING,
    URI_TYPE,
    Declared,
    array_of,
    nullable,
    object_of,
    one_value_of,
    refer,
)
from handheld.app_formats.app_functions.metadata import read_type
from handheld.app_formats.app_functions.words import RETURN_VALUE
from handheld_virtual.commands.packages.generic_document import print_json, read_parameters, to_json

NO_TYPES = Types({})


def through(type: Declared, value: Any) -> tuple[Any, Any]:
    """What an app gets, and what comes back of it."""
    functions = AppFunctions("a.B")
    got: list[Any] = []

    def keep(arguments: Mapping[str, Any]) -> Any:
        got.append(arguments["it"])
        return arguments["it"]

    functions.function("keep", "", {"it": type}, returns=type)(keep)
    declared = read_type(type)
    sent = encode_arguments([FunctionParameter("it", declared, True)], NO_TYPES, {"it": value})
    assert sent.isascii()
    result = functions.execute("a.B#keep", read_parameters(sent))
    assert isinstance(result, Document)
    printed = json.loads(print_json(to_json(result)))
    return got[0], read_result(printed, declared, NO_TYPES)


WHOLE = st.integers(-(1 << 63), (1 << 63) - 1)
BROKEN = st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def typed(draw: st.DrawFn, deep: int = 2) -> tuple[Declared, Any]:
    """A type and a value of it."""
    kinds = ["text", "truth", "int", "long", "double", "float", "uri", "choice"]
    match draw(st.sampled_from([*kinds, "array", "object"] if deep else kinds)):
        case "text":
            return STRING, draw(st.text())
        case "truth":
            return BOOLEAN, draw(st.booleans())
        case "int":
            return INT, draw(st.integers(-(1 << 31), (1 << 31) - 1))
        case "long":
            return LONG, draw(WHOLE)
        case "double":
            return DOUBLE, draw(BROKEN)
        case "float":
            return FLOAT, draw(BROKEN)
        case "uri":
            return URI_TYPE, draw(st.text())
        case "choice":
            return one_value_of(INT, 1, 5), draw(st.sampled_from([1, 5]))
        case "array":
            item, first = draw(typed(deep=0))
            if item["type"] == [int(TypeKind.STRING)]:
                return array_of(item), [first, *draw(st.lists(st.text(), max_size=2))]
            return array_of(item), [first] * draw(st.integers(1, 3))
        case _:
            names = draw(st.lists(st.sampled_from("abc"), unique=True, max_size=3))
            made = {name: draw(typed(deep=deep - 1)) for name in names}
            type = object_of("a.Object", {name: one for name, (one, _) in made.items()})
            return type, {name: value for name, (_, value) in made.items()}


def loses(value: Any, nested: bool = False) -> bool:
    """Whether a whole double is inside an object, which the command cannot pass on."""
    if isinstance(value, dict):
        return any(loses(one, True) for one in value.values())
    if isinstance(value, list):
        return any(loses(one, nested) for one in value)
    return isinstance(value, float) and nested and value.is_integer() and abs(value) <= 2.0**63


@given(typed())
@example((DOUBLE, 5.0))
@example((DOUBLE, -0.0))
@example((object_of("a.O", {"a": DOUBLE}), {"a": 2.0**63}))
@example((object_of("a.O", {"a": DOUBLE}), {"a": 1e300}))
@example((object_of("a.O", {"id": STRING, "schemaType": STRING}), {"id": "x", "schemaType": "y"}))
def test_what_is_sent_arrives_as_it_is_or_is_refused(made: tuple[Declared, Any]) -> None:
    type, value = made
    try:
        got, returned = through(type, value)
    except BadArgument:
        assert loses(value)
        return
    assert got == value
    assert repr(returned) == repr(got) or returned == got
    assert not isinstance(value, float) or isinstance(got, float)


@given(typed())
def test_every_type_has_a_schema_that_names_its_json_type(made: tuple[Declared, Any]) -> None:
    type, value = made
    writer = SchemaWriter(NO_TYPES, str, lambda name: True, lambda name: True)
    names = {str: "string", bool: "boolean", int: "integer", float: "number", list: "array"}
    assert writer.write(read_type(type))["type"] == names.get(value.__class__, "object")


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | BROKEN | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=6,
    ),
    typed(),
)
def test_any_value_is_encoded_or_refused(value: Any, made: tuple[Declared, Any]) -> None:
    with suppress(BadArgument):
        json.loads(write(encode(value, read_type(made[0]), NO_TYPES)))


@given(BROKEN)
def test_doubles_are_always_written_with_a_point(number: float) -> None:
    text = write(number)
    assert "." in text
    assert math.copysign(1, float(text)) == math.copysign(1, number)
    assert float(text) == number


def test_null_is_left_out_where_a_type_allows_it() -> None:
    type = read_type(object_of("a.O", {"a": nullable(STRING), "b": STRING}))
    assert encode({"a": None, "b": "x"}, type, NO_TYPES) == {"b": "x"}
    with pytest.raises(BadArgument, match="must have the key 'b'"):
        encode({"a": "x"}, type, NO_TYPES)


def test_a_nullable_type_lists_null() -> None:
    writer = SchemaWriter(NO_TYPES, str, lambda name: True, lambda name: True)
    assert writer.write(read_type(nullable(STRING))) == {"type": ["string", "null"]}
    choice = nullable(one_value_of(INT, 1, 2))
    assert writer.write(read_type(choice)) == {"type": ["integer", "null"], "enum": [1, 2, None]}


@pytest.mark.parametrize(
    ("type", "printed", "value"),
    [
        (DOUBLE, [5], 5.0),
        (STRING, ["x"], "x"),
        (array_of(STRING), [], []),
        (array_of(INT), [1, 2], [1, 2]),
        (
            object_of("a.O", {"a": array_of(INT), "b": INT}),
            [{"a": [1], "b": [2]}],
            {"a": [1], "b": 2},
        ),
        # Not as declared: as Android printed it.
        (STRING, [5], [5]),
        (STRING, ["a", "b"], ["a", "b"]),
        (object_of("a.O", {"b": INT}), [{"b": 2}], [{"b": 2}]),
    ],
)
def test_results_are_unwrapped_by_the_declared_type(
    type: Declared, printed: Any, value: Any
) -> None:
    found = read_result({RETURN_VALUE: printed}, read_type(type), NO_TYPES)
    assert found == value
    assert repr(found) == repr(value)


@given(
    st.recursive(
        st.none() | st.integers() | st.text(max_size=3),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner),
    ),
    typed(),
)
def test_any_result_is_read(printed: Any, made: tuple[Declared, Any]) -> None:
    json.dumps(read_result({RETURN_VALUE: printed}, read_type(made[0]), NO_TYPES))


def test_a_reference_in_a_circle_is_refused() -> None:
    types = Types({"A": DataType(TypeKind.REFERENCE, reference="A")})
    with pytest.raises(BadArgument, match="refers to itself"):
        encode("x", DataType(TypeKind.REFERENCE, reference="A"), types)


def test_types_that_refer_to_each_other_take_time_by_their_number() -> None:
    parts = [DataType(TypeKind.REFERENCE, reference=f"T{n}") for n in range(15)]
    types = {
        f"T{n}": DataType(TypeKind.ALL_OF, parts=(parts[n + 1],) * 200, name=f"T{n}")
        for n in range(14)
    }
    types["T14"] = read_type(object_of("T14", {"text": STRING}))
    resolved = Types(types).resolve(parts[0])
    assert (resolved.name, list(resolved.properties)) == ("T0", ["text"])


def test_a_type_that_is_all_of_itself_is_refused() -> None:
    itself = DataType(TypeKind.REFERENCE, reference="A")
    types = Types({"A": DataType(TypeKind.ALL_OF, parts=(itself,) * 200)})
    with pytest.raises(Impossible, match="refers to itself"):
        types.resolve(itself)


def test_a_type_that_refers_to_others_far_away_is_refused() -> None:
    chain = {f"T{n}": DataType(TypeKind.REFERENCE, reference=f"T{n + 1}") for n in range(100)} | {
        "T100": read_type(STRING)
    }
    with pytest.raises(Impossible, match="over 32 deep"):
        Types(chain).resolve(chain["T0"])
    assert Types(chain).resolve(chain["T90"]).kind is TypeKind.STRING


def test_types_within_types_that_refer_to_others_are_no_deeper() -> None:
    types: dict[str, DataType] = {}
    for n in range(30):
        nested = DataType(TypeKind.REFERENCE, reference=f"T{n + 1}")
        for _ in range(30):
            nested = DataType(TypeKind.ALL_OF, parts=(nested,))
        types[f"T{n}"] = nested
    with pytest.raises(Impossible, match="over 32 deep"):
        Types(types).resolve(types["T0"])


def test_choices_are_listed_as_far_as_a_schema_goes() -> None:
    few, many = (read_type(one_value_of(STRING, *map(str, range(n)))) for n in (300, 600))
    writer = SchemaWriter(NO_TYPES, str, bool, bool)
    assert len(writer.write(few)["enum"]) == 300
    assert writer.write(many) == {"type": "string"}
    # Those of the first count, too.
    assert writer.write(few) == {"type": "string"}
    with pytest.raises(BadArgument, match="must be one of"):
        encode("600", many, NO_TYPES)


def test_a_schema_has_so_many_parts_at_most() -> None:
    types = {
        name: read_type(object_of(name, {f"p{number}": refer(inner) for number in range(30)}))
        for name, inner in (("A", "B"), ("B", "C"))
    }
    types["C"] = read_type(object_of("C", {"text": STRING}))
    writer = SchemaWriter(Types(types), str, bool, bool)
    with pytest.raises(Impossible, match="over 500 parts"):
        writer.write(DataType(TypeKind.REFERENCE, reference="A"))


def test_a_type_that_is_all_of_many_has_a_limit() -> None:
    wide = [
        read_type(object_of(f"O{n}", {f"p{n}-{m}": STRING for m in range(150)})) for n in range(2)
    ]
    with pytest.raises(Impossible, match="over 200 parts"):
        Types({}).resolve(DataType(TypeKind.ALL_OF, parts=tuple(wide)))
