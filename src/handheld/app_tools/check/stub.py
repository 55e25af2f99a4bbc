"""Writes a file of examples for the tools of an APK, from which a virtual phone answers calls."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ...app_formats.apk.archive import Archive
from ...app_formats.apk.binary import BadApk
from ...app_formats.apk.manifest import Manifest
from ...app_formats.app_functions.declaring import Declared
from ...app_formats.app_functions.file import FiledFunction, read_file
from ...app_formats.app_functions.words import FILES, TypeKind
from ...app_formats.mobile_mcp import (
    BadDescriptor,
    Capability,
    CapabilityParameter,
    read_descriptor,
)
from ...driver.app_tools import DeclaringProvider, DeclaringService
from ...driver.by_shell.apk_app_tools import find_declared
from ...settings.toml_text import written
from ..discovered import label_of, words
from .function_files import FILE_LIMIT

_EXAMPLES: dict[str, Any] = {
    "string": "an example",
    "boolean": True,
    "integer": 1,
    "number": 1.5,
    "array": [],
    "object": {},
}
_RETURNED: dict[TypeKind, Any] = {
    TypeKind.BOOLEAN: True,
    TypeKind.DOUBLE: 1.5,
    TypeKind.FLOAT: 1.5,
    TypeKind.LONG: 1,
    TypeKind.INT: 1,
    TypeKind.STRING: "an example",
    TypeKind.ARRAY: [],
}
_WORDS = 200


class StubFile(NamedTuple):
    text: str
    examples: int
    providers: int
    """Providers whose tools the user has to write."""


def write_stub(apk: Path, named: str, file: str) -> StubFile:
    """`named` is the path of the APK in the file of examples, and `file` is the name of that file.
    Raises OSError, BadApk."""
    with apk.open("rb") as opened, Archive(opened, name=apk.name) as archive:
        manifest = archive.manifest()
        declared = find_declared(archive, manifest)
        functions = _functions(archive, manifest)
    capabilities = [one for service in declared.services for one in _capabilities(service)]
    lines = [
        f"# Examples, from which a virtual phone answers the tools of {label_of(declared.app)}",
        f"# ({words(declared.app.package, _WORDS)}), whose code does not run there:",
        "#",
        f"#     handheld virtual --stub {words(file, _WORDS)}",
        "#",
        "# Write what the app would answer; the reply says that it is an example. For a refusal",
        '# write only: failure = "Why the app refuses."',
        "",
        f"apk = {written(named)}  # from the folder of this file",
        *(line for one in capabilities for line in _of_capability(one)),
        *(line for one in functions for line in _of_function(one)),
        *(line for one in declared.providers for line in _of_provider(one)),
    ]
    examples = len(capabilities) + len(functions)
    return StubFile("\n".join(lines) + "\n", examples, len(declared.providers))


def _capabilities(service: DeclaringService) -> tuple[Capability, ...]:
    if service.descriptor is None:
        return ()
    try:
        return read_descriptor(service.descriptor).capabilities
    except BadDescriptor:
        return ()


def _functions(archive: Archive, manifest: Manifest) -> list[FiledFunction]:
    """Raises BadApk."""
    named = [one.properties.get(FILES[0]) for one in manifest.components]
    names = [f"assets/{one.value}" for one in named if one is not None]
    try:
        read = [read_file(archive.read(one, FILE_LIMIT)) for one in names if one in archive.names]
    except ValueError as problem:
        raise BadApk(f"the file of its app functions: {problem}") from None
    return [one for each in read for one in each]


def _of_capability(capability: Capability) -> Iterator[str]:
    yield ""
    yield "[[tool]]"
    yield f"# {words(capability.description, _WORDS)}"
    for one in capability.input:
        yield f"# {_describe(one)}"
    yield f"capability = {written(capability.id)}"
    yield f"message = {written(f'What the app says when {capability.id} has succeeded.')}"
    if capability.output:
        yield "[tool.output]"
    for one in capability.output:
        yield f"{written(one.name)} = {written(_EXAMPLES[one.json_type])}  # {_describe(one)}"


def _describe(parameter: CapabilityParameter) -> str:
    name, type = (words(text, 64) for text in (parameter.name, parameter.type))
    known = f"{name} ({type}, required)" if parameter.required else f"{name} ({type})"
    description = words(parameter.description, _WORDS)
    return f"{known}: {description}" if description else known


def _of_function(function: FiledFunction) -> Iterator[str]:
    yield ""
    yield "[[tool]]"
    yield f"# {words(function.description, _WORDS)}"
    for name, declared in function.parameters.items():
        kind = TypeKind(declared["type"][0]).name.lower()
        needed = "" if name in function.optional else ", required"
        told = words(str(declared.get("description", [""])[0]), _WORDS)
        yield f"# {words(name, 64)} ({kind}{needed}){f': {told}' if told else ''}"
    yield f"function = {written(function.id)}"
    example = _example(function.returns)
    if example is not None:
        yield f"result = {written(example)}"


def _example(declared: Declared) -> Any:
    kind = TypeKind(declared["type"][0])
    if kind is TypeKind.OBJECT:
        properties = {one["name"][0]: one["dataTypeMetadata"][0] for one in declared["properties"]}
        return {name: _example(one) for name, one in properties.items()}
    return _RETURNED.get(kind)


def _of_provider(provider: DeclaringProvider) -> Iterator[str]:
    """Commented out: facts about the app that are unknown are not made up."""
    yield ""
    yield "# An APK does not say which tools a provider has: its code does, in get_tool_info. Write"
    yield "# them here, one [[tool]] for each."
    yield "#"
    yield "# [[tool]]"
    yield f"# provider = {written(words(provider.authority, _WORDS))}"
    yield '# name = "get_weather"'
    yield '# description = "Tells the weather at a place."'
    yield '# parameters = { place = { type = "string", description = "City name" } }'
    yield '# required = ["place"]'
    yield '# result = "Sunny, 21 °C"'
