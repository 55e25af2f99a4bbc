"""Stubs: TOML files with examples, from which a phone answers the tools of an app installed from an
APK, because it cannot run the app's code. `handheld apps stub` makes a stub, and a person edits
it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from handheld.app_formats.apk.archive import Archive
from handheld.app_formats.apk.binary import BadApk
from handheld.app_formats.apk.manifest import Component, ManifestKind
from handheld.app_formats.app_functions import AppFunctions
from handheld.app_formats.app_functions.file import LONGEST as LONGEST_FUNCTIONS
from handheld.app_formats.app_functions.file import FiledFunction, read_file
from handheld.app_formats.app_functions.words import FILES
from handheld.app_formats.mobile_mcp import (
    CAPABILITIES_KEY,
    BadDescriptor,
    CapabilityFailed,
    CapabilityService,
    Descriptor,
    Outcome,
    read_descriptor,
)
from handheld.app_formats.mobile_mcp.service import refusal
from handheld.app_formats.tool_provider import BadTool, ToolFailed, ToolProvider, read_tools
from handheld.settings.toml_parsing import parse_toml

from ...files.entry import ROOT
from ..provider import Bundle, Provider
from ..service import Service, Start
from .install_checks import InstallFailure, InstallOptions
from .installed import InstalledApp
from .stub_functions import MARK, offer

if TYPE_CHECKING:
    from ...world import World

LONGEST_FILE = 1024 * 1024
"""In bytes."""
LONGEST_EXAMPLE = 100_000
"""In characters of its JSON."""
MOST_TOOLS = 200
_TOP = {"apk": str, "tool": list}
_CAPABILITY = {"capability": str, "message": str, "output": dict, "failure": str}
_FUNCTION = {"function": str, "result": object, "failure": str}
_TOOL = {
    "provider": str,
    "name": str,
    "description": str,
    "parameters": dict,
    "required": list,
    "result": str,
    "failure": str,
}


class BadStub(Exception):
    """The file cannot be used; the message says what to change."""


@dataclass(frozen=True, slots=True)
class Stub:
    file: str
    """The stub's name in messages."""
    apk: Path
    capabilities: Mapping[str, Mapping[str, Any]]
    """The example of each capability, by id."""
    providers: Mapping[str, ToolProvider]
    """The tool providers by authority."""
    results: Mapping[str, Mapping[str, Any]]
    """The example of each app function, by id."""
    functions: Sequence[AppFunctions] = ()
    """The functions of the installed app."""

    def service(self, descriptor: Descriptor) -> CapabilityService:
        service = CapabilityService(descriptor)
        for capability in descriptor.capabilities:
            example = self.capabilities.get(capability.id)

            def answer(
                _: Mapping[str, Any],
                id: str = capability.id,
                example: Mapping[str, Any] | None = example,
            ) -> Outcome:
                if example is None:
                    raise CapabilityFailed(f"{MARK} {self.file} has none for {id}.")
                if "failure" in example:
                    raise CapabilityFailed(f"{MARK} {example['failure']}")
                message = f"{MARK} {example.get('message', '')}".strip()
                return Outcome(example.get("output"), message)

            service.capability(capability.id)(answer)
        return service


class StubService(Service):
    def __init__(self, app: InstalledApp, component: Component, stub: Stub) -> None:
        super().__init__(app)
        self._answering = stub.service(_descriptor(app, component))

    def start(self, start: Start) -> None:
        if start.callback is not None:
            start.callback(self._answering.answer(start.extras))


class StubProvider(Provider):
    def __init__(self, world: "World", tools: ToolProvider) -> None:
        super().__init__(world)
        self._tools = tools

    def call(self, method: str, argument: str | None, extras: Bundle) -> Bundle | None:
        return self._tools.call(method, argument, extras)


def load_stub(path: Path) -> Stub:
    """Load a stub. Raises BadStub."""
    try:
        with path.open("rb") as file:
            data = file.read(LONGEST_FILE + 1)
        if len(data) > LONGEST_FILE:
            raise BadStub(f"{path}: it is larger than {LONGEST_FILE} bytes")
        read = parse_toml(data.decode())
    except OSError as problem:
        raise BadStub(f"{path} cannot be read: {problem.strerror}") from None
    except ValueError as problem:
        raise BadStub(f"{path} is not TOML: {problem}") from None
    try:
        return _read(path, read)
    except ValueError as problem:
        raise BadStub(f"{path}: {problem}") from None


def _read(path: Path, read: dict[str, Any]) -> Stub:
    """Check the content of a stub. Raises ValueError."""
    _check_keys("", read, _TOP)
    tools = cast("list[Any]", read.get("tool", []))
    if "apk" not in read:
        raise ValueError("it has no apk, the path of the app's file")
    if len(tools) > MOST_TOOLS:
        raise ValueError(f"it has more than {MOST_TOOLS} tools")
    capabilities: dict[str, Mapping[str, Any]] = {}
    providers: dict[str, ToolProvider] = {}
    results: dict[str, Mapping[str, Any]] = {}
    for number, tool in enumerate(tools, 1):
        where = f"tool {number}: "
        if not isinstance(tool, dict):
            raise ValueError(f"{where}it is not a table")
        example = cast("dict[str, Any]", tool)
        _check_size(where, example)
        if "capability" in example:
            _check_keys(where, example, _CAPABILITY)
            if "failure" in example and example.keys() & {"message", "output"}:
                raise ValueError(f"{where}it has a failure, so it can have no message or output")
            _keep(where, capabilities, example["capability"], example)
        elif "function" in example:
            _check_keys(where, example, _FUNCTION)
            if example.keys() >= {"failure", "result"}:
                raise ValueError(f"{where}it has a failure, so it can have no result")
            _keep(where, results, example["function"], example)
        else:
            _check_keys(where, example, _TOOL)
            if missing := {"provider", "name", "description"} - example.keys():
                raise ValueError(
                    f"{where}it has no capability or function, and for a provider no {min(missing)}"
                )
            if ("result" in example) == ("failure" in example):
                raise ValueError(f"{where}it needs either a result or a failure")
            provider = providers.setdefault(example["provider"], ToolProvider())
            _declare(provider, example, where)
    return Stub(path.name, path.parent / read["apk"], capabilities, providers, results)


def _keep(
    where: str, kept: dict[str, Mapping[str, Any]], id: str, example: Mapping[str, Any]
) -> None:
    if id in kept:
        raise ValueError(f"{where}{id} already has an example")
    kept[id] = example


def _check_keys(where: str, table: Mapping[str, Any], known: Mapping[str, type]) -> None:
    for key, value in table.items():
        if key not in known:
            raise ValueError(f"{where}{key!r} is none of: {', '.join(known)}")
        if not isinstance(value, known[key]):
            raise ValueError(f"{where}{key} is not {_NAMES[known[key]]}")


_NAMES: Mapping[type, str] = {str: "a text", list: "a list", dict: "a table"}


def _check_size(where: str, example: Mapping[str, Any]) -> None:
    try:
        size = len(json.dumps(example, allow_nan=False))
    except (TypeError, ValueError):
        raise ValueError(f"{where}it has a value that JSON cannot hold") from None
    if size > LONGEST_EXAMPLE:
        raise ValueError(f"{where}it is longer than {LONGEST_EXAMPLE} characters as JSON")


def _declare(provider: ToolProvider, example: Mapping[str, Any], where: str) -> None:
    def answer(_: Mapping[str, str]) -> str:
        if "failure" in example:
            raise ToolFailed(f"{MARK} {example['failure']}")
        return _marked(example["result"])

    # The tables are parsed as a host parses the bundle.
    alone = ToolProvider()
    for one in (alone, provider):
        one.tool(
            example["name"],
            example["description"],
            example.get("parameters", {}),
            example.get("required", []),
        )(answer)
    try:
        read_tools(alone.call("get_tool_info", None, None))
    except BadTool as problem:
        raise ValueError(f"{where}it {problem}") from None


def _marked(result: str) -> str:
    """Mark a result as an example, unless programs parse it."""
    try:
        parsed = json.loads(result)
    except (ValueError, RecursionError):
        parsed = None
    return result if isinstance(parsed, dict | list) else f"{MARK}\n{result}"


def install_stub(world: "World", stub: Stub) -> None:
    """Install the app, and let the phone answer its tools. Raises BadStub."""
    try:
        # A file that exceeds the phone's storage is refused before it is read.
        session = world.installer.create(InstallOptions(), stub.apk.stat().st_size)
        with world.installer.receive(session.id, "base.apk") as incoming:
            incoming.write(stub.apk.read_bytes())
        if incoming.failure is not None:
            raise incoming.failure
        app = world.installer.commit(session.id)
    except OSError as problem:
        raise BadStub(f"{stub.file}: {stub.apk} cannot be read: {problem.strerror}") from None
    except InstallFailure as problem:
        raise BadStub(f"{stub.file}: {stub.apk} is not installed: {problem}") from None
    _check_declared(app, stub)
    try:
        functions = offer(_filed(app), stub.results, stub.file)
    except ValueError as problem:
        raise BadStub(f"{stub.file}: {problem}") from None
    world.stubs[app.package] = replace(stub, functions=functions)


def _filed(app: InstalledApp) -> list[FiledFunction]:
    """The app functions in the app's file. Raises ValueError."""
    content = app.world.files.read(app.files.paths[0], ROOT)
    with Archive(content, sdk=app.world.api) as archive:
        named = [one.properties.get(FILES[0]) for one in app.manifest.components]
        names = [f"assets/{one.value}" for one in named if one is not None]
        try:
            data = [archive.read(one, LONGEST_FUNCTIONS) for one in names if one in archive.names]
        except BadApk as problem:
            raise ValueError(f"the file of its app functions: {problem}") from None
    return [one for each in data for one in read_file(each)]


def _check_declared(app: InstalledApp, stub: Stub) -> None:
    declared = {
        capability.id: capability
        for component in app.manifest.components
        if component.kind is ManifestKind.SERVICE and CAPABILITIES_KEY in component.meta_data
        for capability in _descriptor(app, component).capabilities
    }
    for id, example in stub.capabilities.items():
        if id not in declared:
            raise BadStub(f"{stub.file}: {app.package} declares no capability {id!r}")
        if wrong := refusal(declared[id].output, example.get("output", {})):
            raise BadStub(f"{stub.file}: the output of {id}: {wrong.removesuffix('.')}")
    authorities = {name for one in app.manifest.components for name in one.authorities}
    if unknown := stub.providers.keys() - authorities:
        raise BadStub(f"{stub.file}: {app.package} has no provider {min(unknown)!r}")


def _descriptor(app: InstalledApp, component: Component) -> Descriptor:
    """The service's descriptor; empty if it cannot be read."""
    named = component.meta_data.get(CAPABILITIES_KEY)
    try:
        tree = None if named is None or named.resource is None else app.xml(named.resource)
        return Descriptor(()) if tree is None else read_descriptor(tree)
    except (BadApk, BadDescriptor):
        return Descriptor(())
