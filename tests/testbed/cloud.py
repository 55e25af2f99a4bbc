"""An app that offers remote files to Android's file picker. Only tests that need it install it."""

from collections.abc import Mapping
from typing import ClassVar

from handheld_virtual.packages.app import App
from handheld_virtual.packages.provider import DocumentsProvider, Provider

AUTHORITY = "org.example.cloud.documents"


class CloudFiles(DocumentsProvider):
    pass


class Cloud(App):
    package, label = "org.example.cloud", "Cloud"
    providers: ClassVar[Mapping[str, type[Provider]]] = {AUTHORITY: CloudFiles}
