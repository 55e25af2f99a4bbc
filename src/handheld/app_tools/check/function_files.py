"""Checks app functions in an APK: the service, and the file that Android indexes."""

from xml.etree.ElementTree import ParseError, XMLParser

from ...app_formats.apk.archive import Archive
from ...app_formats.apk.binary import BadApk
from ...app_formats.apk.manifest import Component, Manifest, ManifestKind
from ...app_formats.app_functions.words import ACTION, FILES, PERMISSION
from ..discovered import words
from .findings import Findings

FILE_LIMIT = 4 * 1024 * 1024
_PROPERTY = f'<property android:name="{FILES[0]}" android:value="app_functions_v2.xml" />'


def check_function_files(findings: Findings, archive: Archive, manifest: Manifest) -> bool:
    """Returns whether the app declares any functions."""
    services = [one for one in manifest.components if _is_function_service(one)]
    for service in services:
        _check_service(findings, service)
    named = [dict(one.properties) for one in services] + [dict(manifest.properties)]
    files = [
        (key, held.value)
        for properties in named
        for key in FILES
        if (held := properties.get(key)) is not None and held.value
    ]
    if services and not files:
        findings.fail(
            f"service {services[0].name}",
            f"It has no property {FILES[0]}, which names the file with its functions.",
            _PROPERTY,
        )
    for key, name in files:
        _check_file(findings, archive, key, name)
    if files and all(key != FILES[0] for key, _ in files):
        findings.fail(
            "app functions",
            f"Only the older property {FILES[1]} is there, which tells agents no parameters.",
            _PROPERTY,
        )
    return bool(services or files)


def _is_function_service(component: Component) -> bool:
    return component.kind is ManifestKind.SERVICE and any(
        ACTION in one.actions for one in component.filters
    )


def _check_service(findings: Findings, service: Component) -> None:
    subject = f"service {service.name}"
    if service.permission != PERMISSION:
        findings.fail(
            subject,
            f"It does not demand {PERMISSION}, so any app could bind to it, and Android does"
            " not call it.",
            f'android:permission="{PERMISSION}"',
        )
    elif not service.exported:
        findings.fail(
            subject, "It is not exported, so nobody can call it.", 'android:exported="true"'
        )
    else:
        findings.ok(subject, "Only Android can bind to it.")


def _check_file(findings: Findings, archive: Archive, key: str, name: str) -> None:
    subject = f"assets/{words(name, 100)}"
    if f"assets/{name}" not in archive.names:
        findings.fail(
            subject,
            f"It is not in the APK, though {key} names it: Android finds no functions.",
            "Add the folder generated/ksp/VARIANT/resources/assets to the assets of the variant.",
        )
        return
    try:
        ids = read_function_ids(archive.read(f"assets/{name}", FILE_LIMIT))
    except (BadApk, ValueError) as problem:
        findings.fail(subject, f"It cannot be read: {problem}.")
        return
    if not ids:
        findings.fail(
            subject,
            "No function is in it.",
            'ksp { arg("appfunctions:aggregateAppFunctions", "true") } in the app\'s module.',
        )
        return
    listed = ", ".join(words(id.rpartition("#")[2], 60) for id in ids[:20])
    findings.ok(subject, f"Functions: {listed}.")


def read_function_ids(data: bytes) -> list[str]:
    """The ids of the functions in the file. Raises ValueError."""
    ids: list[str] = []

    class Reader:
        """Reads only the ids. Rejects entities, which could expand to huge texts."""

        def __init__(self) -> None:
            self._open: list[str] = []
            self._text: list[str] | None = None

        def start(self, tag: str, attributes: dict[str, str]) -> None:
            inside = self._open[-1:] == ["appfunction"]
            self._text = [] if inside and tag in ("id", "function_id") else None
            self._open.append(tag)

        def data(self, data: str) -> None:
            if self._text is not None:
                self._text.append(data)

        def end(self, tag: str) -> None:
            if self._text is not None and (id := "".join(self._text).strip()):
                ids.append(id)
            self._text = None
            self._open.pop()

        def doctype(self, name: str, pubid: str | None, system: str | None) -> None:
            raise ValueError("it has a document type, which is not allowed")

        def close(self) -> None: ...

    parser = XMLParser(target=Reader())  # noqa: S314 (a document type ends it)
    try:
        parser.feed(data)
        parser.close()
    except ParseError as problem:
        raise ValueError(f"it is not XML: {problem}") from None
    return list(dict.fromkeys(ids))
