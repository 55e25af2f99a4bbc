"""Read a package's manifest from its binary XML, like Android's package manager."""

import re
from dataclasses import replace

from .binary import BadApk
from .binary_xml import Attribute, XmlElement
from .manifest import Component, Filter, Manifest, ManifestKind, MetaData
from .resources import Resources
from .values import STRING, Value

DEVELOPMENT = 10_000
"""The API level of an unreleased version of Android."""
PACKAGE_MAX = 223

_ATTRIBUTES = {
    "authorities": 0x01010018,
    "debuggable": 0x0101000F,
    "enabled": 0x0101000E,
    "exported": 0x01010010,
    "host": 0x01010028,
    "label": 0x01010001,
    "mimeType": 0x01010026,
    "minSdkVersion": 0x0101020C,
    "name": 0x01010003,
    "permission": 0x01010006,
    "priority": 0x0101001C,
    "resource": 0x01010025,
    "scheme": 0x01010027,
    "sharedUserId": 0x0101000B,
    "targetActivity": 0x01010202,
    "targetSdkVersion": 0x01010270,
    "testOnly": 0x01010272,
    "value": 0x01010024,
    "versionCode": 0x0101021B,
    "versionCodeMajor": 0x01010576,
    "versionName": 0x0101021C,
}
_KINDS = {
    "activity": ManifestKind.ACTIVITY,
    "activity-alias": ManifestKind.ACTIVITY,
    "service": ManifestKind.SERVICE,
    "receiver": ManifestKind.RECEIVER,
    "provider": ManifestKind.PROVIDER,
}
_PACKAGE = re.compile(r"[A-Za-z]\w*(\.[A-Za-z]\w*)+", re.ASCII)
_SPLIT = re.compile(r"[\w.-]{1,200}", re.ASCII)
_PROVIDERS_ARE_PRIVATE = 17


def read_manifest(root: XmlElement, resources: Resources | None, name: str) -> Manifest:
    """`name` is for errors. Raises BadApk."""
    if root.name != "manifest":
        raise BadApk(f"{name}: its first element is {root.name[:80]!r}, not 'manifest'")
    return _Reader(root, resources, name).read()


class _Reader:
    def __init__(self, root: XmlElement, resources: Resources | None, name: str) -> None:
        self._root = root
        self._resources = resources
        self._name = name
        self._package = self._plain("package") or ""
        if len(self._package) > PACKAGE_MAX or (
            self._package != "android" and not _PACKAGE.fullmatch(self._package)
        ):
            raise BadApk(f"{name}: {self._package[:80]!r} is no name for a package")

    def read(self) -> Manifest:
        root = self._root
        application = next(root.elements("application"), None)
        sdk = next(root.elements("uses-sdk"), None)
        least = 1 if sdk is None else self._level(sdk, "minSdkVersion", 1)
        target = least if sdk is None else self._level(sdk, "targetSdkVersion", least)
        major = self._number(root, "versionCodeMajor", 0) & 0xFFFFFFFF
        permissions = (
            self._text(element, "name")
            for element in root.elements("uses-permission", "uses-permission-sdk-23")
        )
        split = self._split()
        manifest = Manifest(
            package=self._package,
            version_name=self._text(root, "versionName"),
            version_code=major << 32 | self._number(root, "versionCode", 0) & 0xFFFFFFFF,
            min_sdk=least,
            target_sdk=target,
            sdk_line=0 if sdk is None else sdk.line,
            split=split,
            shared_user=self._text(root, "sharedUserId"),
            permissions=tuple(
                dict.fromkeys(permission for permission in permissions if permission)
            ),
        )
        if application is None:
            return manifest
        application_class = self._text(application, "name")
        return replace(
            manifest,
            label=self._text(application, "label"),
            debuggable=self._flag(application, "debuggable", False),
            test_only=self._flag(application, "testOnly", False),
            application=application_class and self._class(application_class),
            components=tuple(
                self._component(element, _KINDS[element.name], target)
                for element in application.elements(*_KINDS)
            ),
            meta_data=self._meta_data(application),
            properties=self._meta_data(application, "property"),
        )

    def _split(self) -> str | None:
        name = self._plain("split")
        if name and not _SPLIT.fullmatch(name):
            raise BadApk(f"{self._name}: {name[:80]!r} is no name for a split")
        return name or None

    def _component(self, element: XmlElement, kind: ManifestKind, target_sdk: int) -> Component:
        name = self._text(element, "name")
        if not name:
            raise BadApk(f"{self._name}: line {element.line}: <{element.name}> has no name")
        filters = tuple(self._filter(child) for child in element.elements("intent-filter"))
        is_provider = kind is ManifestKind.PROVIDER
        exported = target_sdk < _PROVIDERS_ARE_PRIVATE if is_provider else bool(filters)
        target = self._text(element, "targetActivity")
        authorities = self._text(element, "authorities") if is_provider else None
        return Component(
            kind=kind,
            name=self._class(name),
            exported=self._flag(element, "exported", exported),
            enabled=self._flag(element, "enabled", True),
            permission=self._text(element, "permission"),
            label=self._text(element, "label"),
            filters=filters,
            meta_data=self._meta_data(element),
            properties=self._meta_data(element, "property"),
            authorities=tuple(filter(None, (authorities or "").split(";"))),
            target=target and self._class(target),
            exported_stated=self._find(element, "exported") is not None,
            line=element.line,
        )

    def _filter(self, element: XmlElement) -> Filter:
        data = list(element.elements("data"))
        return Filter(
            actions=self._all(list(element.elements("action")), "name"),
            categories=self._all(list(element.elements("category")), "name"),
            schemes=self._all(data, "scheme"),
            hosts=self._all(data, "host"),
            mime_types=self._all(data, "mimeType"),
            priority=self._number(element, "priority", 0),
        )

    def _meta_data(self, element: XmlElement, kind: str = "meta-data") -> dict[str, MetaData]:
        found: dict[str, MetaData] = {}
        for child in element.elements(kind):
            name = self._text(child, "name")
            if not name:
                continue
            resource = self._find(child, "resource")
            if resource is not None and resource.value.reference is not None:
                found[name] = MetaData(resource=resource.value.reference)
                continue
            value = self._find(child, "value")
            if value is not None:
                found[name] = MetaData(self._coerce(value.value), value.value.reference)
        return found

    def _class(self, name: str) -> str:
        """Return the fully qualified class name: a manifest may shorten it."""
        if name.startswith("."):
            return self._package + name
        return name if "." in name else f"{self._package}.{name}"

    # Attributes

    def _plain(self, name: str) -> str | None:
        """Return an attribute of the root that has no namespace. Android takes the source text of
        these, and the typed value only if there is none. Rules on apps depend on them, so they
        must not be readable in two ways. Raises BadApk."""
        found = [
            each for each in self._root.attributes if (each.namespace, each.name) == (None, name)
        ]
        if not found:
            return None
        text = found[0].value.text
        if len(found) > 1 or found[0].raw not in (None, text):
            raise BadApk(f"{self._name}: its {name!r} is stated twice")
        return text

    def _find(self, element: XmlElement, name: str) -> Attribute | None:
        return element.find(name, _ATTRIBUTES[name])

    def _value(self, element: XmlElement, name: str) -> Value | None:
        attribute = self._find(element, name)
        if attribute is None:
            return None
        resources = self._resources
        return attribute.value if resources is None else resources.follow(attribute.value)

    def _coerce(self, value: Value) -> str | None:
        return (value if self._resources is None else self._resources.follow(value)).coerce()

    def _text(self, element: XmlElement, name: str) -> str | None:
        value = self._value(element, name)
        return None if value is None else value.coerce()

    def _all(self, elements: list[XmlElement], name: str) -> tuple[str, ...]:
        texts = (self._text(element, name) for element in elements)
        return tuple(dict.fromkeys(text for text in texts if text))

    def _number(self, element: XmlElement, name: str, default: int) -> int:
        value = self._value(element, name)
        number = None if value is None else value.integer
        return default if number is None else number

    def _flag(self, element: XmlElement, name: str, default: bool) -> bool:
        return bool(self._number(element, name, int(default)))

    def _level(self, element: XmlElement, name: str, default: int) -> int:
        value = self._value(element, name)
        if value is not None and value.type == STRING:
            text = value.text or ""
            return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else DEVELOPMENT
        number = None if value is None else value.integer
        return default if number is None else number
