"""Tools that apps declare, discovered without the helper: from the package manager's tables and
the APKs."""

import asyncio
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, BinaryIO, NamedTuple, TypeVar
from xml.etree.ElementTree import Element

from ...adb import shell
from ...adb.link import AdbError, Link
from ...app_formats.apk.archive import Archive
from ...app_formats.apk.binary import BadApk
from ...app_formats.apk.manifest import Component, Manifest, ManifestKind
from ...app_formats.apk.tree import plain_tree
from ...app_formats.mobile_mcp import ACTION, CAPABILITIES_KEY, DESCRIPTION_KEY, NAME_KEY
from ...app_formats.tool_provider import ACTION as PROVIDER_ACTION
from ...app_formats.tool_provider import MIME_TYPE
from ..app_tools import (
    ChangedPackages,
    DeclaredTools,
    DeclaringApp,
    DeclaringProvider,
    DeclaringService,
)
from ..reading import package_lists
from ..reading.distant_file import TooMuch, read_distant
from ..reading.package_lists import BadList, FileState, ListedPackage

Result = TypeVar("Result")

# The helper's limits, so that both report the same.
DESCRIPTOR_LIMIT = 256 * 1024
DESCRIPTOR_DEEPEST = 32
WORDS_LIMIT = 1000
"""UTF-16 units of a label, a name or a description."""
MOST_COMPONENTS = 10
"""Services, and providers, of one package."""

MOST_PACKAGES = 500
"""Packages that declare tools."""
HISTORY = 100
"""The number of changes that are remembered."""
AT_ONCE = 8
VIEW = "android.intent.action.VIEW"
NOT_ASKED = "Only the helper can ask it on the phone, and the helper could not be started."

_USER = "--user $(am get-current-user)"
"""By number: with `current` older package managers list no packages."""
_QUERY = ("sh", "-c", f"cmd package query-services --components {_USER} -a {ACTION}")
_TABLES = ("dumpsys", "package", "resolvers", "content")
_TIMED_OUT = "DUMP TIMEOUT"
_PROVIDER_TABLE = "Provider Resolver Table:"
# Each installation has its own folder, so the list shows every change.
_LIST = ("sh", "-c", f"pm list packages -e -f --show-versioncode {_USER}")


@dataclass(frozen=True, slots=True)
class ApkDeclarations:
    """What one package declares."""

    app: DeclaringApp
    services: tuple[DeclaringService, ...] = ()
    providers: tuple[DeclaringProvider, ...] = ()

    def service(self, class_name: str) -> DeclaringService | None:
        """Return a declared service; None if the package does not declare it."""
        if problem := self.app.unread:
            return DeclaringService(self.app, class_name, True, None, None, None, None, problem)
        return next(
            (service for service in self.services if service.class_name == class_name), None
        )

    def provider(self, class_name: str) -> DeclaringProvider | None:
        if problem := self.app.unread:
            return DeclaringProvider(self.app, class_name, True, None, "", problem)
        return next(
            (provider for provider in self.providers if provider.class_name == class_name), None
        )


@dataclass(frozen=True, slots=True)
class _Phone:
    """The phone's properties that select an app's resources."""

    sdk: int
    locale: str


class _Read(NamedTuple):
    """The version of an APK that was read. If any of it changes, the APK is read again."""

    listed: ListedPackage
    state: FileState
    phone: _Phone


class ApkAppTools:
    """The declared tools of one phone. Parsed APKs are cached until the file changes.

    The package manager gives its sequence number only to programs on the phone. Instead, the
    differences between its lists are counted here, downwards from 0, so that the two numbers cannot
    be confused."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._packages: Mapping[str, ListedPackage] | None = None
        self._changes: list[frozenset[str]] = []
        self._sequence = 0
        self._read: dict[str, tuple[_Read, ApkDeclarations]] = {}

    async def declared_tools(self) -> DeclaredTools:
        """Raises AdbError."""
        await self._look()
        packages = self._packages or {}
        sequence = self._sequence
        queried, tables = await asyncio.gather(self._run(_QUERY), self._run(_TABLES))
        services = _parse(package_lists.read_components, queried)
        keys = (MIME_TYPE, PROVIDER_ACTION)
        if _TIMED_OUT in tables:
            raise AdbError("The phone's package manager did not list all its providers in time.")
        providers = package_lists.read_resolver(tables, _PROVIDER_TABLE, keys)
        wanted = sorted(
            {component.package for component in (*services, *providers)} & packages.keys()
        )
        declared = await self._declared(
            {package: packages[package] for package in wanted[:MOST_PACKAGES]}
        )
        return DeclaredTools(
            sequence,
            [
                found
                for component in services
                if component.package in declared
                and (found := declared[component.package].service(component.class_name)) is not None
            ],
            [
                found
                for component in providers
                if component.package in declared
                and (found := declared[component.package].provider(component.class_name))
                is not None
            ],
        )

    async def identify(self, packages: Collection[str]) -> dict[str, DeclaringApp]:
        """Describe these packages from their APKs. Raises AdbError."""
        await self._look()
        listed = self._packages or {}
        wanted = sorted(set(packages) & listed.keys())[:MOST_PACKAGES]
        found = await self._declared({package: listed[package] for package in wanted})
        return {package: declarations.app for package, declarations in found.items()}

    async def changed(self, after: int) -> ChangedPackages:
        """Raises AdbError."""
        await self._look()
        newer = after - self._sequence
        if after >= 0 or not 0 <= newer <= len(self._changes):
            return ChangedPackages(self._sequence, None)
        latest = self._changes[len(self._changes) - newer :]
        return ChangedPackages(self._sequence, frozenset[str]().union(*latest))

    async def _look(self) -> None:
        listed = _parse(package_lists.read_packages, await self._run(_LIST))
        before = self._packages
        if listed == before:
            return
        self._packages = listed
        self._sequence -= 1
        differing = {package for package, _ in (before or {}).items() ^ listed.items()}
        self._changes = [*self._changes, frozenset(differing)][-HISTORY:]

    async def _declared(self, packages: Mapping[str, ListedPackage]) -> dict[str, ApkDeclarations]:
        if not packages:
            return {}
        listed = self._packages or {}
        paths = [one.path for one in packages.values()]
        # For missing files `stat` fails, but its output for the others is complete.
        printed = await self._run(["stat", "-c", "%s %Y %n", *paths], failing=True)
        states = _parse(package_lists.read_states, printed)
        phone = await self._phone()
        present = {
            package: _Read(one, states[one.path], phone)
            for package, one in packages.items()
            if one.path in states  # else removed meanwhile: the next call reports it
        }
        limit = asyncio.Semaphore(AT_ONCE)

        async def read(package: str, wanted: _Read) -> ApkDeclarations:
            known = self._read.get(package)
            if known is not None and known[0] == wanted:
                return known[1]
            async with limit:
                return await self._open(package, wanted)

        found = await asyncio.gather(*(read(*entry) for entry in present.items()))
        declared = dict(zip(present, found, strict=True))
        # Results for other packages are kept while they are installed.
        kept = {package: one for package, one in self._read.items() if package in listed}
        read_now = {package: (present[package], one) for package, one in declared.items()}
        self._read = {**kept, **read_now}
        return declared

    async def _open(self, package: str, wanted: _Read) -> ApkDeclarations:
        listed, state, phone = wanted
        read = partial(read_declared, package=package, sdk=phone.sdk, locale=phone.locale)
        try:
            return await read_distant(self._link, listed.path, state.size, read)
        except (BadApk, TooMuch) as problem:
            sentence = f"Its APK cannot be read: {str(problem).removesuffix('.')}."
            return ApkDeclarations(
                DeclaringApp(package, package, listed.version_code, "", sentence)
            )

    async def _phone(self) -> _Phone:
        sdk, chosen, built = await asyncio.gather(
            *(
                self._run(["getprop", name])
                for name in ("ro.build.version.sdk", "persist.sys.locale", "ro.product.locale")
            )
        )
        if not sdk.strip().isdecimal():
            raise AdbError(f"The phone does not report its Android version: {sdk.strip()[:80]!r}.")
        return _Phone(int(sdk), chosen.strip() or built.strip())

    async def _run(self, words: Sequence[str], *, failing: bool = False) -> str:
        answer = await shell.run(self._link, words)
        if answer.code and not failing:
            lines = (answer.stderr or answer.stdout).decode(errors="replace").strip().splitlines()
            reason = lines[0][:200] if lines else f"exit code {answer.code}"
            raise AdbError(f"The phone did not list its apps: {' '.join(words)}: {reason}")
        return answer.stdout.decode(errors="replace")


def _parse(read: Callable[[str], Result], text: str) -> Result:
    try:
        return read(text)
    except BadList as problem:
        raise AdbError(f"The phone did not list its apps; it printed {problem}.") from None


def read_declared(file: BinaryIO, package: str, sdk: int, locale: str) -> ApkDeclarations:
    """Read the declarations of an APK. Raises BadApk."""
    with Archive(file, sdk=sdk, locale=locale) as archive:
        manifest = archive.manifest()
        if manifest.package != package:
            raise BadApk(f"{archive.name}: it is {manifest.package}, not {package}")
        return find_declared(archive, manifest)


def find_declared(archive: Archive, manifest: Manifest) -> ApkDeclarations:
    """Raises BadApk."""
    enabled = [component for component in manifest.components if component.enabled]
    services = list(filter(is_tool_service, enabled))[:MOST_COMPONENTS]
    providers = list(filter(is_tool_provider, enabled))[:MOST_COMPONENTS]
    signer = archive.signer()
    app = DeclaringApp(
        manifest.package,
        _words(manifest.label or manifest.package),
        manifest.version_code,
        "" if signer is None else signer.digest,
    )
    return ApkDeclarations(
        app,
        tuple(_service(archive, app, service) for service in services),
        tuple(
            DeclaringProvider(
                app,
                provider.name,
                provider.exported,
                provider.permission,
                provider.authorities[0],
                NOT_ASKED,
            )
            for provider in providers
        ),
    )


def is_tool_service(component: Component) -> bool:
    """Return whether Mobile MCP discovers this service."""
    return component.kind is ManifestKind.SERVICE and _has_action(component, ACTION)


def is_tool_provider(component: Component) -> bool:
    """Return whether hosts of provider tools discover this provider and can call it by
    authority."""
    if component.kind is not ManifestKind.PROVIDER or not component.authorities:
        return False
    typed = any(
        VIEW in intents.actions and MIME_TYPE in intents.mime_types for intents in component.filters
    )
    return typed or _has_action(component, PROVIDER_ACTION)


def _has_action(component: Component, action: str) -> bool:
    return any(action in intents.actions for intents in component.filters)


def _service(archive: Archive, app: DeclaringApp, component: Component) -> DeclaringService:
    name, description = (
        data and data.value and _words(data.value)
        for data in map(component.meta_data.get, (NAME_KEY, DESCRIPTION_KEY))
    )
    tree, problem = read_descriptor_of(archive, component)
    return DeclaringService(
        app,
        component.name,
        component.exported,
        component.permission,
        name,
        description,
        tree,
        problem,
    )


def read_descriptor_of(archive: Archive, component: Component) -> tuple[Element | None, str]:
    """Return the descriptor of a Mobile MCP service, or a sentence that says why there is none."""
    declared = component.meta_data.get(CAPABILITIES_KEY)
    if declared is None or declared.resource is None:
        return None, f"It has no meta-data {CAPABILITIES_KEY} that names an XML resource."
    try:
        found = archive.xml(declared.resource)
        tree = None if found is None else plain_tree(found, archive.resources)
    except BadApk as problem:
        return None, f"Its descriptor cannot be read: {problem}."
    if tree is None:
        return None, f"Its meta-data {CAPABILITIES_KEY} names no XML resource of the app."
    if _is_deep(tree, DESCRIPTOR_DEEPEST):
        return None, f"Its descriptor has elements more than {DESCRIPTOR_DEEPEST} deep."
    text = json.dumps(_as_lists(tree), ensure_ascii=False, separators=(",", ":"))
    if len(text.encode("utf-8", "replace")) > DESCRIPTOR_LIMIT:
        return None, f"Its descriptor is over {DESCRIPTOR_LIMIT} bytes."
    return tree, ""


def _is_deep(element: Element, deepest: int) -> bool:
    return deepest == 0 or any(_is_deep(child, deepest - 1) for child in element)


def _words(text: str) -> str:
    data = text.encode("utf-16-le", "surrogatepass")
    if len(data) <= 2 * WORDS_LIMIT:
        return text
    return data[: 2 * WORDS_LIMIT].decode("utf-16-le", "ignore")


def _as_lists(element: Element) -> list[Any]:
    return [element.tag, dict(element.attrib), [_as_lists(child) for child in element]]
