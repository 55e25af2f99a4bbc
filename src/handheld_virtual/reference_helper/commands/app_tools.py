"""The commands about app tools: `offers`, `packages_changed`, `service_call`, `provider_call`."""

import asyncio
import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast
from xml.etree.ElementTree import Element

from handheld.app_formats.apk.binary import BadApk
from handheld.app_formats.apk.manifest import Component, ManifestKind
from handheld.app_formats.mobile_mcp import ACTION, CAPABILITIES_KEY, DESCRIPTION_KEY, NAME_KEY
from handheld.app_formats.mobile_mcp.message import FLAT_RESPONSE, RESPONSE
from handheld.app_formats.tool_provider import ACTION as PROVIDER_ACTION
from handheld.app_formats.tool_provider import MIME_TYPE
from handheld.helper.protocol import Code, Happened, HelperFailure, dump_json

from ...packages.app import App
from ...packages.installing.installed import NOT_RUN, InstalledApp
from ...packages.installing.stub import StubProvider, StubService
from ...packages.permissions import SHELL_PERMISSIONS
from ...packages.provider import Provider
from ...packages.service import Service, Start
from ..protocol.command import WRITER, Answer, bad, check_keys, check_text, check_whole

if TYPE_CHECKING:
    from ..helper import Helper
    from ..protocol.job import Job

DESCRIPTOR_LIMIT = 256 * 1024
DESCRIPTORS_LIMIT = 2 * 1024 * 1024
"""The limit for all apps together, in bytes."""
DEPTH_LIMIT = 32
"""The limit of nested elements. A valid descriptor has four levels."""
LABEL_LIMIT = 1000
"""The limit of a label, a name or a description, in UTF-16 units; longer ones are truncated."""
COMPONENTS_LIMIT = 10
"""How many services and how many providers of an app are reported."""
CALL_LIMIT = 512 * 1024
REPLY_LIMIT = 1024 * 1024
LOOK_MS = 200
"""The time between two checks whether a called app still runs."""
VIEW = "android.intent.action.VIEW"


# Discovery


async def discover(helper: "Helper", job: "Job") -> Answer:
    world = helper.world
    world.settle()
    services: list[dict[str, Any]] = []
    providers: list[dict[str, Any]] = []
    sequence = world.package_changes.sequence
    left = DESCRIPTORS_LIMIT
    for app in enabled_apps(helper):
        components = [component for component in app.manifest.components if component.enabled]
        for component in list(filter(is_tool_service, components))[:COMPONENTS_LIMIT]:
            service = describe_service(app, component, left)
            left -= 0 if service["descriptor"] is None else len(dump_json(service["descriptor"]))
            services.append({**describe_component(app, component), **service})
        for component in list(filter(is_tool_provider, components))[:COMPONENTS_LIMIT]:
            authority = {"authority": component.authorities[0]}
            providers.append({**describe_component(app, component), **authority})
    found = {"services": services, "providers": providers}
    return Answer({"sequence": sequence}, dump_json(found))


def enabled_apps(helper: "Helper") -> list[App]:
    world = helper.world
    return [app for app in world.apps.values() if app.package not in world.disabled_packages]


def is_tool_service(component: Component) -> bool:
    return component.kind is ManifestKind.SERVICE and _has_action(component, ACTION)


def _has_action(component: Component, action: str) -> bool:
    return any(action in filter.actions for filter in component.filters)


def is_tool_provider(component: Component) -> bool:
    if component.kind is not ManifestKind.PROVIDER or not component.authorities:
        return False
    typed = any(VIEW in f.actions and MIME_TYPE in f.mime_types for f in component.filters)
    return typed or _has_action(component, PROVIDER_ACTION)


def describe_component(app: App, component: Component) -> dict[str, Any]:
    return {
        "package": app.package,
        "label": _cut(app.label),
        "version_code": app.version_code,
        "signer": signer_of(app),
        "class": component.name,
        "exported": component.exported,
        "permission": component.permission,
    }


def signer_of(app: App) -> str:
    """Return the digest of the app's signer; without an APK, a digest of the package name."""
    if isinstance(app, InstalledApp):
        return app.signer
    return hashlib.sha256(f"signer of {app.package}".encode()).hexdigest()


def _cut(text: str) -> str:
    data = text.encode("utf-16-le", "surrogatepass")[: 2 * LABEL_LIMIT]
    return data.decode("utf-16-le", "surrogatepass" if len(data) < 2 * LABEL_LIMIT else "ignore")


def describe_service(app: App, component: Component, left: int) -> dict[str, Any]:
    values = [component.meta_data.get(key) for key in (NAME_KEY, DESCRIPTION_KEY)]
    name, description = (value and value.value for value in values)
    name, description = (value and _cut(value) for value in (name, description))
    declared = component.meta_data.get(CAPABILITIES_KEY)
    tree: Element | None = None
    problem = ""
    if declared is None or declared.resource is None:
        problem = f"It has no meta-data {CAPABILITIES_KEY} that names an XML resource."
    else:
        try:
            tree = app.xml(declared.resource)
        except BadApk as bad_file:
            problem = f"Its descriptor cannot be read: {bad_file}."
        if tree is None and not problem:
            problem = f"Its meta-data {CAPABILITIES_KEY} names no XML resource of the app."
    descriptor: list[Any] | None = None
    if tree is not None and not is_deep(tree, DEPTH_LIMIT):
        descriptor = as_lists(tree)
    elif tree is not None:
        problem = f"Its descriptor has elements more than {DEPTH_LIMIT} deep."
    size = 0 if descriptor is None else len(dump_json(descriptor))
    if size > DESCRIPTOR_LIMIT:
        descriptor, problem = None, f"Its descriptor is over {DESCRIPTOR_LIMIT} bytes."
    elif size > left:
        descriptor, problem = None, "The descriptors of all apps are too large together."
    return {
        "name": name,
        "description": description,
        "descriptor": descriptor,
        "problem": problem,
    }


def is_deep(element: Element, deepest: int) -> bool:
    return deepest == 0 or any(is_deep(child, deepest - 1) for child in element)


def as_lists(element: Element) -> list[Any]:
    return [element.tag, dict(element.attrib), [as_lists(child) for child in element]]


def check_changed(arguments: dict[str, Any]) -> None:
    check_keys(arguments, "after")
    check_whole(arguments["after"], "after", 1 << 31)


async def packages_changed(helper: "Helper", job: "Job") -> Answer:
    world, after = helper.world, job.arguments["after"]
    world.settle()
    sequence = world.package_changes.sequence
    # A sequence number from before a restart cannot be compared with this one.
    known = after <= sequence
    packages = sorted(set(world.package_changes.since(after))) if known else None
    return Answer({"sequence": sequence, "packages": packages})


# Calls


def check_service_call(arguments: dict[str, Any]) -> None:
    check_keys(arguments, "package", "class", "id", "extras")
    for name in ("package", "class", "id"):
        check_text(arguments[name], name)
    extras = arguments["extras"]
    if not isinstance(extras, dict) or not all(
        isinstance(value, str) for value in cast("dict[str, Any]", extras).values()
    ):
        raise bad("`extras` is not an object of strings.")
    _check_size(extras)


def _check_size(extras: Any) -> None:
    if len(dump_json(extras)) > CALL_LIMIT:
        raise bad(f"`extras` are over {CALL_LIMIT} bytes.")


async def service_call(helper: "Helper", job: "Job") -> Answer:
    world, arguments = helper.world, job.arguments
    app, component = find_service(helper, arguments["package"], arguments["class"])
    check_open(component)
    service = start_service(helper, app, component)
    job.happened = Happened.MAYBE
    job.data["dropped"] = 0
    answered: asyncio.Future[Mapping[str, str]] = asyncio.get_running_loop().create_future()

    def drop(what: str) -> None:
        message = f"A {what} reply of {app.package} was dropped."
        world.logs.write(WRITER, "W", "Handheld", message)

    def reply(extras: Mapping[str, str]) -> None:
        if len(dump_json(dict(extras))) > REPLY_LIMIT:
            raise OverflowError("android.os.TransactionTooLargeException")
        if answered.done():
            drop("late")
        elif not _is_for(arguments["id"], extras):
            job.data["dropped"] += 1
            drop("foreign")
        else:
            answered.set_result(extras)

    asked = world.running.pids(app.package)
    if app.package not in world.frozen_packages:
        run_in_app(helper, app, lambda: service.start(Start(arguments["extras"], reply)))
    try:
        extras = await job.wait(_answer_of(helper, app, asked, answered))
    finally:
        answered.cancel()  # later replies are too late
    return Answer({"dropped": job.data["dropped"]}, dump_json({"extras": dict(extras)}))


def check_provider_call(arguments: dict[str, Any]) -> None:
    check_keys(arguments, "authority", "method", "arg", "extras")
    for name in ("authority", "method"):
        check_text(arguments[name], name)
    arg, extras = arguments["arg"], arguments["extras"]
    if not isinstance(arg, str | None):
        raise bad("`arg` is not null or a string.")
    if extras is not None and not (
        isinstance(extras, dict)
        and all(map(fits_in_bundle, cast("dict[str, Any]", extras).values()))
    ):
        raise bad("`extras` is not null or an object that a Bundle can hold.")
    _check_size([arg, extras])


def fits_in_bundle(value: Any) -> bool:
    """Return whether a Bundle can hold the value."""
    if isinstance(value, dict):
        return all(isinstance(item, str) for item in cast("dict[str, Any]", value).values())
    if isinstance(value, list):
        return all(isinstance(item, str) for item in cast("list[Any]", value))
    if isinstance(value, float):
        return math.isfinite(value)  # JSON has no other numbers
    return isinstance(value, str) or (isinstance(value, int) and -(1 << 63) <= value < 1 << 63)


async def provider_call(helper: "Helper", job: "Job") -> Answer:
    world, arguments = helper.world, job.arguments
    authority = arguments["authority"]
    app, component = find_provider(helper, authority)
    check_open(component)
    provider = make_provider(helper, app, authority)
    world.running.ensure(app, f"content provider {{{app.package}/{component.name}}}")
    job.happened = Happened.MAYBE
    asked = world.running.pids(app.package)
    if app.package in world.frozen_packages:
        await job.wait(wait_until_dead(helper, app, asked))
    try:
        bundle = provider.call(arguments["method"], arguments["arg"], arguments["extras"] or {})
    except Exception as problem:
        raise HelperFailure(Code.APP_THREW, str(problem), Happened.MAYBE) from problem
    check_alive(helper, app, asked)
    readable = None if bundle is None else {k: v for k, v in bundle.items() if fits_in_bundle(v)}
    unreadable = sorted(set(bundle or ()) - set(readable or ()))
    data = dump_json({"bundle": readable})
    if len(data) > REPLY_LIMIT:
        message = "android.os.TransactionTooLargeException: the answer is too large for a Bundle."
        raise HelperFailure(Code.APP_THREW, message, Happened.MAYBE)
    return Answer({"unreadable": unreadable}, data)


def find_provider(helper: "Helper", authority: str) -> tuple[App, Component]:
    helper.world.settle()
    for app in enabled_apps(helper):
        for component in app.manifest.components:
            if authority in component.authorities and component.enabled:
                return app, component
    message = f"No app has a provider {authority}."
    raise HelperFailure(Code.NO_COMPONENT, message, data={"installed": False})


def find_service(helper: "Helper", package: str, class_name: str) -> tuple[App, Component]:
    helper.world.settle()
    app = helper.world.apps.get(package)
    if app is None:
        message = f"{package} is not installed."
        raise HelperFailure(Code.NO_COMPONENT, message, data={"installed": False})
    for component in app.manifest.components if app in enabled_apps(helper) else ():
        named = component.kind is ManifestKind.SERVICE and component.name == class_name
        if named and component.enabled:
            return app, component
    message = f"{package} has no service {class_name}."
    raise HelperFailure(Code.NO_COMPONENT, message, data={"installed": True})


def check_open(component: Component) -> None:
    if not component.exported:
        message = f"{component.name} is not exported from its app."
        raise HelperFailure(Code.APP_REFUSED, message)
    if component.permission not in (None, *SHELL_PERMISSIONS):
        message = f"{component.name} requires {component.permission}."
        raise HelperFailure(Code.APP_REFUSED, message)


def make_provider(helper: "Helper", app: App, authority: str) -> Provider:
    if not isinstance(app, InstalledApp):
        return app.providers[authority](helper.world)
    stub = helper.world.stubs.get(app.package)
    if stub is None or authority not in stub.providers:
        raise HelperFailure(Code.APP_NOT_STARTED, NOT_RUN, data={"runs": False})
    return StubProvider(helper.world, stub.providers[authority])


def start_service(helper: "Helper", app: App, component: Component) -> Service:
    running = helper.world.running
    stub = helper.world.stubs.get(app.package)
    if isinstance(app, InstalledApp) and stub is None:
        raise HelperFailure(Code.APP_NOT_STARTED, NOT_RUN, data={"runs": False})
    if app.package in running.restricted:
        message = f"app is in background uid {running.uid(app)}."
        raise HelperFailure(Code.APP_NOT_STARTED, message)
    running.ensure(app, f"service {{{app.package}/{component.name}}}")
    if isinstance(app, InstalledApp) and stub is not None:
        return StubService(app, component, stub)
    return next(item for item in app.started_services if item.class_name == component.name)


def run_in_app(helper: "Helper", app: App, operation: Any) -> None:
    try:
        operation()
    except Exception as problem:
        helper.world.running.crash(app, problem)


def check_alive(helper: "Helper", app: App, asked: Sequence[int]) -> None:
    """Raise unless the called process still runs; a new process does not know about the call."""
    if helper.world.running.pids(app.package) != asked:
        message = f"The process of {app.package} ended before it had answered."
        raise HelperFailure(Code.APP_DIED, message, Happened.MAYBE)


async def wait_until_dead(helper: "Helper", app: App, asked: Sequence[int]) -> None:
    """Wait until a frozen app dies: Android does not thaw an app for a call."""
    while True:
        check_alive(helper, app, asked)
        await helper.world.clock.sleep(LOOK_MS)
        helper.world.settle()


async def _answer_of(
    helper: "Helper",
    app: App,
    asked: Sequence[int],
    answered: "asyncio.Future[Mapping[str, str]]",
) -> Mapping[str, str]:
    """Wait for the app's reply while the called process runs."""
    world = helper.world
    while not answered.done():
        check_alive(helper, app, asked)
        pause = asyncio.ensure_future(world.clock.sleep(LOOK_MS))
        try:
            await asyncio.wait({answered, pause}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            pause.cancel()
            await asyncio.gather(pause, return_exceptions=True)
        world.settle()
    return answered.result()


def _is_for(id: str, extras: Mapping[str, str]) -> bool:
    """Return whether a reply is for this request. An unreadable reply counts for any request."""
    text = extras.get(RESPONSE, extras.get(FLAT_RESPONSE, ""))
    try:
        message = json.loads(text)
        inner = message.get(RESPONSE, {}).get("response", message)
        return inner.get("id") == id
    except (ValueError, AttributeError, RecursionError):
        return True
