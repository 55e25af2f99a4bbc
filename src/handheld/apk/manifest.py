"""What an Android package declares of itself, whoever read it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Kind(StrEnum):
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
    """A `<meta-data>`: a value, or the number of a resource."""

    value: str | None = None
    """As Android makes a string of it: a reference followed, `true`, `16`, `0xff`."""
    resource: int | None = None
    """Of `android:resource`, or what `android:value` refers to."""


@dataclass(frozen=True, slots=True)
class Component:
    kind: Kind
    name: str
    """Fully qualified."""
    exported: bool = False
    enabled: bool = True
    permission: str | None = None
    label: str | None = None
    filters: tuple[Filter, ...] = ()
    meta_data: Mapping[str, MetaData] = field(default_factory=dict[str, MetaData])
    authorities: tuple[str, ...] = ()
    """Of a provider."""
    target: str | None = None
    """The activity that an alias stands for, fully qualified."""
    exported_stated: bool = True
    """Whether the manifest says itself who may use it, as Android 12 demands beside a filter."""
    line: int = 0
    """Where it is declared, as Android counts in its complaints."""


@dataclass(frozen=True, slots=True)
class Manifest:
    package: str
    label: str | None = None
    version_name: str | None = None
    version_code: int = 0
    min_sdk: int = 1
    target_sdk: int = 1
    sdk_line: int = 0
    """Where the manifest says which versions of Android it is for."""
    debuggable: bool = False
    test_only: bool = False
    split: str | None = None
    """The name of the part, where the file is not the whole package."""
    application: str | None = None
    """The class of `<application>`, fully qualified."""
    shared_user: str | None = None
    permissions: tuple[str, ...] = ()
    """What it asks for with `<uses-permission>`."""
    components: tuple[Component, ...] = ()
    meta_data: Mapping[str, MetaData] = field(default_factory=dict[str, MetaData])
