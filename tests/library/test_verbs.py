"""The methods are the tools for models: same names, same parameters, and every one is described."""

import importlib.util
import inspect
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType, NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest

import handheld
from handheld import AsyncPhone, Phone, Screen
from handheld.access.request_scope import AGENT, RequestScope
from handheld.library.async_verbs import AsyncVerbs
from handheld.library.connections import PhoneConnection
from handheld.library.verbs import Verbs
from handheld.tools.listing import Listing

ROOT = Path(__file__).parents[2]
OFF_BY_DEFAULT = {"camera", "intent", "lease", "record", "script"}
TYPES = {str: "string", int: "integer", float: "number", bool: "boolean"}


def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("write_library", ROOT / "scripts" / "library.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def listed() -> Sequence[Listing]:
    """What a phone of the library itself lists."""

    async def tools(connection: PhoneConnection) -> Sequence[Listing]:
        return await connection.surface.tools(RequestScope(surface=AGENT, prefix=""))

    with Phone.virtual() as phone:
        return phone._session.wait(tools)


def methods(owner: type) -> list[str]:
    return [name for name in vars(owner) if not name.startswith("_")]


def test_methods_and_their_page_are_written_from_the_tools() -> None:
    writer = generator()
    listed = writer.listings()
    package = ROOT / "src" / "handheld" / "library"
    for name, waits in (("verbs.py", False), ("async_verbs.py", True)):
        written = (package / name).read_text(encoding="utf-8")
        assert written == writer.module(listed, waits=waits), "run `make docs`"
    page = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")
    assert writer.described(listed) in page, "run `make docs`"


def test_there_is_a_method_for_each_tool_that_is_on_by_default(listed: Sequence[Listing]) -> None:
    names = [each.name for each in listed]
    assert {*names, "lease"} > OFF_BY_DEFAULT
    wanted = [name for name in names if name not in OFF_BY_DEFAULT]
    assert [name for name in wanted if not name.startswith("app_")] == methods(Verbs)
    assert methods(AsyncVerbs) == methods(Verbs)


def schema_of(hint: Any) -> dict[str, Any]:
    if get_origin(hint) in (Union, UnionType):
        [hint] = [part for part in get_args(hint) if part is not NoneType]
    if get_origin(hint) is Literal:
        return {"type": "string", "enum": list(get_args(hint))}
    return {"type": TYPES.get(hint, "array")}


@pytest.mark.parametrize("owner", [Phone, AsyncPhone])
def test_methods_take_what_the_tools_take(
    listed: Sequence[Listing], owner: type[Phone] | type[AsyncPhone]
) -> None:
    for listing in listed:
        if listing.name not in methods(Verbs):
            continue
        function = getattr(owner, listing.name)
        hints = get_type_hints(function)
        assert hints.pop("return") is (Screen if listing.name == "look" else str)
        schema = listing.input_schema
        parameters: Mapping[str, inspect.Parameter] = inspect.signature(function).parameters
        assert list(hints) == list(schema["properties"]), listing.name
        required = [name for name in hints if parameters[name].default is inspect.Parameter.empty]
        assert required == list(schema.get("required", ())), listing.name
        for name, hint in hints.items():
            declared = schema["properties"][name]
            expected = {key: declared[key] for key in ("type", "enum") if key in declared}
            assert schema_of(hint) == expected, f"{listing.name}.{name}"


def public(owner: type) -> list[str]:
    return [name for name in dir(owner) if not name.startswith("_")]


@pytest.mark.parametrize("owner", [Phone, AsyncPhone, Screen, handheld.Element, handheld.Picture])
def test_everything_public_is_described(owner: type) -> None:
    assert inspect.getdoc(owner)
    for name in public(owner):
        member = inspect.getattr_static(owner, name)
        function = getattr(member, "__func__", getattr(member, "fget", member))
        if not callable(function):
            continue  # a field, described beside it
        described = inspect.getdoc(function) or ""
        assert described, name
        taken = [
            each for each in inspect.signature(function).parameters if each not in ("self", "cls")
        ]
        if owner in (Phone, AsyncPhone):
            assert re.findall(r"^    (\w+): ", described, re.MULTILINE) == taken, name


def test_the_page_names_every_method_and_every_error() -> None:
    page = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")
    for owner in (Phone, AsyncPhone, Screen, handheld.Element, handheld.Picture):
        for name in public(owner):
            assert re.search(rf"[`.]{name}\b|### {name}\(", page), f"{owner.__name__}.{name}"
    for name in handheld.__all__:
        assert name == "__version__" or f"`{name}`" in page, name
    for name in handheld.__all__:
        kind = getattr(handheld, name)
        if isinstance(kind, type) and issubclass(kind, handheld.ToolError):
            assert f"| `{name}` | {kind.code} |" in page


def test_the_package_offers_its_names_without_importing_them() -> None:
    assert dir(handheld) == handheld.__all__
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        _ = handheld.Nothing  # pyright: ignore[reportAttributeAccessIssue]
