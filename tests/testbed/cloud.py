"""An app that offers files which are elsewhere to Android's file picker. It is not installed unless
a test does so."""

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
