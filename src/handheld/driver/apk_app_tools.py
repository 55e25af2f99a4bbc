"""What apps offer, found without the helper: in the package manager's tables and in the APKs."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, BinaryIO, NamedTuple, TypeVar
from xml.etree.ElementTree import Element

from ..adb import shell
from ..adb.link import AdbError, Link
from ..apk.archive import Archive
from ..apk.binary import BadApk
from ..apk.manifest import Component, Kind, Manifest
from ..apk.tree import plain_tree
from ..mobile_mcp import ACTION, CAPABILITIES_KEY, DESCRIPTION_KEY, NAME_KEY
from ..tool_provider import ACTION as PROVIDER_ACTION
from ..tool_provider import MIME_TYPE
from . import package_lists
from .app_tools import (
    ChangedPackages,
    DeclaredTools,
    OfferingApp,
    OfferingProvider,
    OfferingService,
)
from .distant_file import TooMuch, read_distant
from .package_lists import BadList, FileState, ListedPackage

Result = TypeVar("Result")

# These are the helper's bounds, so that both tell the same.
DESCRIPTOR_LIMIT = 256 * 1024
DESCRIPTOR_DEEPEST = 32
WORDS_LIMIT = 1000
"""UTF-16 units of a label, a name or a description."""
MOST_COMPONENTS = 10
"""Services, and providers, of one package."""

MOST_PACKAGES = 500
"""That offer something."""
HISTORY = 100
"""How many changes are remembered."""
AT_ONCE = 8
VIEW = "android.intent.action.VIEW"
NOT_ASKED = "Only the helper can ask it on the phone, and the helper could not be started."

_USER = "--user $(am get-current-user)"
"""By number: in place of `current` the older package managers list no packages."""
_QUERY = ("sh", "-c", f"cmd package query-services --components {_USER} -a {ACTION}")
_TABLES = ("dumpsys", "package", "resolvers", "content")
_TIMED_OUT = "DUMP TIMEOUT"
_PROVIDER_TABLE = "Provider Resolver Table:"
# Each installation has a folder of its own, so the list tells every change.
_LIST = ("sh", "-c", f"pm list packages -e -f --show-versioncode {_USER}")


@dataclass(frozen=True, slots=True)
class DeclaredOffers:
    """What one package declares."""

    app: OfferingApp
    services: tuple[OfferingService, ...] = ()
    providers: tuple[OfferingProvider, ...] = ()

    def service(self, class_name: str) -> OfferingService | None:
        """None for one that it does not declare."""
        if problem := self.app.unread:
            return OfferingService(self.app, class_name, True, None, None, None, None, problem)
        return next((one for one in self.services if one.class_name == class_name), None)

    def provider(self, class_name: str) -> OfferingProvider | None:
        if problem := self.app.unread:
            return OfferingProvider(self.app, class_name, True, None, "", problem)
        return next((one for one in self.providers if one.class_name == class_name), None)


@dataclass(frozen=True, slots=True)
class _Phone:
    """What the choice among an app's resources depends on."""

    sdk: int
    locale: str


class _Read(NamedTuple):
    """What was read: where any of it differs, it is read again."""

    listed: ListedPackage
    state: FileState
    phone: _Phone


class ApkOffers:
    """Of one phone. What was read of an APK is kept for as long as the file is the same.

    The package manager tells its count of changes to programs on the phone alone. In its place the
    differences between its lists are counted here, downwards from 0, so that nobody takes one count
    for the other."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._packages: Mapping[str, ListedPackage] | None = None
        self._changes: list[frozenset[str]] = []
        self._sequence = 0
        self._read: dict[str, tuple[_Read, DeclaredOffers]] = {}

    async def offers(self) -> DeclaredTools:
        """Raises AdbError."""
        await self._look()
        packages = self._packages or {}
        sequence = self._sequence
        queried, tables = await asyncio.gather(self._run(_QUERY), self._run(_TABLES))
        services = _parse(package_lists.read_components, queried)
        keys = (MIME_TYPE, PROVIDER_ACTION)
        if _TIMED_OUT in tables:
            raise AdbError("The phone's package manager did not tell all its providers in time.")
        providers = package_lists.read_resolver(tables, _PROVIDER_TABLE, keys)
        wanted = sorted({one.package for one in (*services, *providers)} & packages.keys())
        declared = await self._declared({one: packages[one] for one in wanted[:MOST_PACKAGES]})
        return DeclaredTools(
            sequence,
            [
                found
                for one in services
                if one.package in declared
                and (found := declared[one.package].service(one.class_name)) is not None
            ],
            [
                found
                for one in providers
                if one.package in declared
                and (found := declared[one.package].provider(one.class_name)) is not None
            ],
        )

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

    async def _declared(self, packages: Mapping[str, ListedPackage]) -> dict[str, DeclaredOffers]:
        if not packages:
            return {}
        paths = [one.path for one in packages.values()]
        # It says of each file that is gone so, and fails, with what it says of the others whole.
        printed = await self._run(["stat", "-c", "%s %Y %n", *paths], failing=True)
        states = _parse(package_lists.read_states, printed)
        phone = await self._phone()
        present = {
            package: _Read(listed, states[listed.path], phone)
            for package, listed in packages.items()
            if listed.path in states  # else removed in the meantime: the next look tells
        }
        limit = asyncio.Semaphore(AT_ONCE)

        async def read(package: str, wanted: _Read) -> DeclaredOffers:
            known = self._read.get(package)
            if known is not None and known[0] == wanted:
                return known[1]
            async with limit:
                return await self._open(package, wanted)

        found = await asyncio.gather(*(read(*one) for one in present.items()))
        declared = dict(zip(present, found, strict=True))
        self._read = {package: (present[package], one) for package, one in declared.items()}
        return declared

    async def _open(self, package: str, wanted: _Read) -> DeclaredOffers:
        listed, state, phone = wanted
        read = partial(read_declared, package=package, sdk=phone.sdk, locale=phone.locale)
        try:
            return await read_distant(self._link, listed.path, state.size, read)
        except (BadApk, TooMuch) as problem:
            sentence = f"Its APK cannot be read: {str(problem).removesuffix('.')}."
            return DeclaredOffers(OfferingApp(package, package, listed.version_code, "", sentence))

    async def _phone(self) -> _Phone:
        sdk, chosen, built = await asyncio.gather(
            *(
                self._run(["getprop", name])
                for name in ("ro.build.version.sdk", "persist.sys.locale", "ro.product.locale")
            )
        )
        if not sdk.strip().isdecimal():
            raise AdbError(f"The phone does not say which Android it runs: {sdk.strip()[:80]!r}.")
        return _Phone(int(sdk), chosen.strip() or built.strip())

    async def _run(self, words: Sequence[str], *, failing: bool = False) -> str:
        answer = await shell.run(self._link, words)
        if answer.code and not failing:
            said = (answer.stderr or answer.stdout).decode(errors="replace").strip().splitlines()
            reason = said[0][:200] if said else f"exit code {answer.code}"
            raise AdbError(f"The phone did not list its apps: {' '.join(words)}: {reason}")
        return answer.stdout.decode(errors="replace")


def _parse(read: Callable[[str], Result], text: str) -> Result:
    try:
        return read(text)
    except BadList as problem:
        raise AdbError(f"The phone did not list its apps but said {problem}.") from None


def read_declared(file: BinaryIO, package: str, sdk: int, locale: str) -> DeclaredOffers:
    """What an APK declares. Raises BadApk."""
    with Archive(file, sdk=sdk, locale=locale) as archive:
        manifest = archive.manifest()
        if manifest.package != package:
            raise BadApk(f"{archive.name}: it is {manifest.package}, not {package}")
        return find_declared(archive, manifest)


def find_declared(archive: Archive, manifest: Manifest) -> DeclaredOffers:
    """Raises BadApk."""
    offering = [one for one in manifest.components if one.enabled]
    services = [one for one in offering if is_tool_service(one)][:MOST_COMPONENTS]
    providers = [one for one in offering if is_tool_provider(one)][:MOST_COMPONENTS]
    signer = archive.signer() if services or providers else None
    app = OfferingApp(
        manifest.package,
        _words(manifest.label or manifest.package),
        manifest.version_code,
        "" if signer is None else signer.digest,
    )
    return DeclaredOffers(
        app,
        tuple(_service(archive, app, one) for one in services),
        tuple(
            OfferingProvider(
                app, one.name, one.exported, one.permission, one.authorities[0], NOT_ASKED
            )
            for one in providers
        ),
    )


def is_tool_service(component: Component) -> bool:
    """Whether Mobile MCP finds it."""
    return component.kind is Kind.SERVICE and _has_action(component, ACTION)


def is_tool_provider(component: Component) -> bool:
    """Whether hosts of provider tools find it, and can call it by an authority."""
    if component.kind is not Kind.PROVIDER or not component.authorities:
        return False
    typed = any(VIEW in one.actions and MIME_TYPE in one.mime_types for one in component.filters)
    return typed or _has_action(component, PROVIDER_ACTION)


def _has_action(component: Component, action: str) -> bool:
    return any(action in one.actions for one in component.filters)


def _service(archive: Archive, app: OfferingApp, component: Component) -> OfferingService:
    name, description = (
        said and said.value and _words(said.value)
        for said in map(component.meta_data.get, (NAME_KEY, DESCRIPTION_KEY))
    )
    tree, problem = read_descriptor_of(archive, component)
    return OfferingService(
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
    """The descriptor of a Mobile MCP service, or why there is none, as a sentence."""
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
    said = json.dumps(_as_lists(tree), ensure_ascii=False, separators=(",", ":"))
    if len(said.encode("utf-8", "replace")) > DESCRIPTOR_LIMIT:
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
