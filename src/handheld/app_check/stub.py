"""A file of examples for the tools of an APK, from which a virtual phone answers them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ..apk.archive import Archive
from ..driver.apk_app_tools import find_declared
from ..driver.app_tools import DeclaringProvider, DeclaringService
from ..mobile_mcp import BadDescriptor, Capability, CapabilityParameter, read_descriptor
from ..settings.toml_text import written
from ..sources.discovered import label_of, words

_EXAMPLES: dict[str, Any] = {
    "string": "an example",
    "boolean": True,
    "integer": 1,
    "number": 1.5,
    "array": [],
    "object": {},
}
_WORDS = 200


class StubFile(NamedTuple):
    text: str
    capabilities: int
    providers: int
    """Whose tools somebody has to write."""


def write_stub(apk: Path, named: str, file: str) -> StubFile:
    """`named` is how the file of examples calls the APK, `file` its own name. Raises OSError,
    BadApk."""
    with apk.open("rb") as opened, Archive(opened, name=apk.name) as archive:
        declared = find_declared(archive, archive.manifest())
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
        *(line for one in declared.providers for line in _of_provider(one)),
    ]
    return StubFile("\n".join(lines) + "\n", len(capabilities), len(declared.providers))


def _capabilities(service: DeclaringService) -> tuple[Capability, ...]:
    if service.descriptor is None:
        return ()
    try:
        return read_descriptor(service.descriptor).capabilities
    except BadDescriptor:
        return ()


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


def _of_provider(provider: DeclaringProvider) -> Iterator[str]:
    """Commented out: what is not known of the app is not made up."""
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
