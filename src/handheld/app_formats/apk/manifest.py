"""The values of an Android manifest."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class ManifestKind(StrEnum):
    """The four kinds of component, as a manifest names them."""

    ACTIVITY = "activity"
    SERVICE = "service"
    RECEIVER = "receiver"
    PROVIDER = "provider"


@dataclass(frozen=True, slots=True)
class Filter:
    """An intent filter."""

    actions: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    schemes: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    mime_types: tuple[str, ...] = ()
    priority: int = 0


@dataclass(frozen=True, slots=True)
class MetaData:
    """A `<meta-data>`: a value, or a resource id."""

    value: str | None = None
    """As Android converts it to a string: references resolved, `true`, `16`, `0xff`."""
    resource: int | None = None
    """The id in `android:resource`, or in a reference in `android:value`."""


@dataclass(frozen=True, slots=True)
class Component:
    kind: ManifestKind
    name: str
    """Fully qualified."""
    exported: bool = False
    enabled: bool = True
    permission: str | None = None
    label: str | None = None
    filters: tuple[Filter, ...] = ()
    meta_data: Mapping[str, MetaData] = field(default_factory=dict[str, MetaData])
    properties: Mapping[str, MetaData] = field(default_factory=dict[str, MetaData])
    """Each `<property>`."""
    authorities: tuple[str, ...] = ()
    """The authorities of a provider."""
    target: str | None = None
    """The target activity of an alias, fully qualified."""
    exported_stated: bool = True
    """Whether `android:exported` is explicit, which Android 12 requires with an intent filter."""
    line: int = 0
    """Where it is declared, as in Android's error messages."""


@dataclass(frozen=True, slots=True)
class Manifest:
    package: str
    label: str | None = None
    version_name: str | None = None
    version_code: int = 0
    min_sdk: int = 1
    target_sdk: int = 1
    sdk_line: int = 0
    """The line that declares its Android versions; 0 where none does."""
    debuggable: bool = False
    test_only: bool = False
    split: str | None = None
    """The split's name, where the file is not the base APK."""
    application: str | None = None
    """The class of `<application>`, fully qualified."""
    shared_user: str | None = None
    permissions: tuple[str, ...] = ()
    """The permissions in `<uses-permission>`."""
    components: tuple[Component, ...] = ()
    meta_data: Mapping[str, MetaData] = field(default_factory=dict[str, MetaData])
    properties: Mapping[str, MetaData] = field(default_factory=dict[str, MetaData])
    """Each `<property>` of the app itself."""
