"""Apps that were installed from APKs. Their components exist, but their code does not run."""

import base64
import hashlib
import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar
from xml.etree.ElementTree import Element

from handheld.app_formats.apk.archive import Archive
from handheld.app_formats.apk.manifest import Filter, Manifest, ManifestKind
from handheld.app_formats.apk.tree import plain_tree

from ...files.entry import ROOT
from ...system.android import Android
from ...views.drawing import theme
from ...views.layout import Column, Scroll
from ...views.view import MATCH, View
from ...views.widgets.basic import Text
from ..app import LAUNCHED, Activity, App

if TYPE_CHECKING:
    from ...world import World

HONEST = "This phone cannot run the code of installed apps; only their declarations are available."
NOT_RUN = (
    "A virtual phone does not run the code of installed apps; it can answer from examples, which"
    " `handheld apps stub FILE.apk` makes. Nothing was done."
)
"""The answer of an app's tool without an example."""
COLORS: tuple[theme.Color, ...] = (
    (0, 121, 107),
    (93, 64, 155),
    (173, 20, 87),
    (46, 100, 175),
    (130, 90, 20),
    (74, 111, 40),
)


@dataclass(frozen=True, slots=True)
class Files:
    """The files of a package on the phone."""

    folder: str
    names: tuple[str, ...]
    """The file names, `base.apk` first."""

    @property
    def paths(self) -> list[str]:
        return [f"{self.folder}/{name}" for name in self.names]


class DeclaredScreen(Activity):
    """The screen shown in place of any activity of the app."""

    @property
    def title(self) -> str:
        name = self.class_name
        components = self.app.manifest.components
        label = next((component.label for component in components if component.name == name), None)
        return label or self.app.label

    def content(self) -> View:
        return Scroll(
            Column(
                Text(self.title, size=28, id="label"),
                Text(self.class_name, size=14, id="component", color=theme.ON_SURFACE_DIM),
                Text(HONEST, size=16, id="honest"),
                Text(
                    f"{self.app.package}\nVersion {self.app.version} ({self.app.version_code})",
                    size=14,
                    id="package",
                    color=theme.ON_SURFACE_DIM,
                ),
                gap=16,
                padding=24,
                width=MATCH,
            ),
            width=MATCH,
            height=MATCH,
        )


class InstalledApp(App):
    """An app installed from an APK; `app_of` makes a subclass for each package."""

    declared: ClassVar[Manifest]
    signer: ClassVar[str]
    """The SHA-256 of its signing certificate."""
    installer: ClassVar[str | None] = None
    """The package that installed it; None for adb."""
    first_installed: ClassVar[float] = 0.0
    """The time of the first installation; updates keep it."""
    files: ClassVar[Files]

    @property
    def manifest(self) -> Manifest:
        return self.declared

    def xml(self, resource: int) -> Element | None:
        content = self.world.files.read(self.files.paths[0], ROOT)
        with Archive(content, sdk=self.world.api) as archive:
            found = archive.xml(resource)
            return None if found is None else plain_tree(found, archive.resources)


def app_of(
    manifest: Manifest,
    signer: str,
    files: Files,
    installer: str | None = None,
    first_installed: float = 0.0,
) -> type[InstalledApp]:
    package = manifest.package
    shown = [
        component
        for component in manifest.components
        if component.kind is ManifestKind.ACTIVITY and component.enabled
    ]
    names = {component.name: _short(component.name, package) for component in shown}
    screens = {name: type("Declared", (DeclaredScreen,), {"name": name}) for name in names.values()}
    main = next(
        (names[component.name] for component in shown if any(map(_is_launched, component.filters))),
        None,
    )
    color = COLORS[hashlib.sha256(package.encode()).digest()[0] % len(COLORS)]
    return type(
        "Installed",
        (InstalledApp,),
        {
            "package": package,
            "label": manifest.label or package,
            "version": manifest.version_name,
            "version_code": manifest.version_code,
            "activities": screens,
            "main": main,
            "permissions": manifest.permissions,
            "color": color,
            "declared": manifest,
            "signer": signer,
            "installer": installer,
            "first_installed": first_installed,
            "files": files,
        },
    )


def _short(name: str, package: str) -> str:
    return name.removeprefix(package) if name.startswith(package + ".") else name


def _is_launched(filter: Filter) -> bool:
    return set(LAUNCHED.actions) <= set(filter.actions) and set(LAUNCHED.categories) <= set(
        filter.categories
    )


def folder_of(package: str, number: int, android: Android) -> str:
    """The folder of a package's files, which is new for each installation."""
    noise = hashlib.sha512(f"{package} {number}".encode()).digest()
    first, second = (base64.urlsafe_b64encode(part).decode() for part in (noise[:16], noise[16:32]))
    return f"/data/app/{f'~~{first}/' if android.randomized_code_paths else ''}{package}-{second}"


def apk_paths(world: "World", app: App) -> Sequence[str]:
    """The package's files, `base.apk` first."""
    if isinstance(app, InstalledApp):
        return app.files.paths
    if app.system:
        path = f"/system/app/{app.package}/{app.package}.apk"
    else:
        path = f"{folder_of(app.package, 0, world.android)}/base.apk"
    if not world.files.exists(path, ROOT):
        # An app written in Python has no APK; an empty archive replaces it.
        empty = io.BytesIO()
        zipfile.ZipFile(empty, "w").close()
        world.files.make_folder(path.rpartition("/")[0], 0o755, parents=True, user=ROOT)
        world.files.write(path, empty.getvalue(), 0o644, user=ROOT)
    return [path]
