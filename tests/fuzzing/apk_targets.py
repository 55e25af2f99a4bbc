"""Android packages: archives, resource tables and binary XML, as an app's author may make them."""

import contextlib
import io
import json
import tempfile
from functools import cache
from pathlib import Path

import fixtures
from app_formats.apk.test_archive import full_apk
from app_formats.apk.tool_packages import capability, packed, tool_apk
from app_formats.apk.writer import archive
from handheld.app_formats.apk.archive import Archive
from handheld.app_formats.apk.binary import BadApk
from handheld.app_formats.apk.binary_xml import read_xml
from handheld.app_formats.apk.reading import read_manifest
from handheld.app_formats.apk.resources import Resources
from handheld.app_formats.apk.tree import plain_tree
from handheld.app_formats.mobile_mcp.descriptor import (
    BadDescriptor,
    parse_descriptor,
    read_descriptor,
)
from handheld.driver.by_shell.apk_app_tools import read_declared
from handheld.errors import ActionFailed
from handheld.phone.apps.package_files import Copies, PackageRules
from handheld.phone.apps.package_parts import read_parts

from .trial import Target

CHUNKS = (b"\1\0\x1c\0", b"\3\0\b\0", b"\2\1\x10\0", b"\3\1\x10\0", b"\x80\1\b\0", b"\1\2", b"\0\2")
PACKAGE = "org.example.counter"


@cache
def files(name: str) -> list[bytes]:
    """This file of each of the packages."""
    found: list[bytes] = []
    for apk in (full_apk(), tool_apk()):
        with Archive(apk) as package:
            found += [package.read(name)] if name in package.names else []
    return found


def read_apk(data: bytes) -> None:
    """Everything that is read of a package, each by itself, so that one refusal hides no other."""
    try:
        package = Archive(data)
    except BadApk:
        return
    for read in (package.manifest, package.signer):
        with contextlib.suppress(BadApk):
            read()
    with contextlib.suppress(BadApk):
        read_declared(io.BytesIO(data), PACKAGE, 34, "de")


def read_container(data: bytes) -> None:
    """An archive of packages, as an agent may name it for an installation."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "given")
        path.write_bytes(data)
        copies = Copies(Path(folder), PackageRules(size_limit_mb=2))
        with contextlib.suppress(ActionFailed):
            read_parts(copies, [copies.made("given", path, len(data))])


def containers() -> list[bytes]:
    listed = {"package_name": PACKAGE, "split_apks": [{"file": "a.apk", "id": "base"}]}
    return [
        archive({"manifest.json": json.dumps(listed).encode(), "a.apk": tool_apk()}),
        archive({"splits/base-master.apk": tool_apk(), "toc.pb": b"x"}, deflate=False),
    ]


def read_binary_xml(data: bytes) -> None:
    root = read_xml(data, "x")
    tree = plain_tree(root, None)
    with contextlib.suppress(BadDescriptor):
        read_descriptor(tree)
    read_manifest(root, None, "x")


def read_table(data: bytes) -> None:
    resources = Resources(data, "x", "de-AT", 30)
    for number in (0x7F010000, 0x7F010001, 0x7F020000, 0x00010000, 0xFFFFFFFF):
        try:
            resources.path(number)
            resources.bag(number)
        except BadApk:
            pass


TARGETS = (
    Target(
        "apk",
        read_apk,
        lambda: [full_apk(), tool_apk()],
        (),
        (b"PK\1\2", b"PK\3\4", b"PK\5\6", b"APK Sig Block 42", *CHUNKS),
        share=2,
    ),
    Target(
        "apk-container",
        read_container,
        containers,
        (),
        (b"PK\1\2", b"PK\3\4", b"PK\5\6", b'"file"', b".apk", b"manifest.json"),
        share=2,
    ),
    Target(
        "binary-xml",
        read_binary_xml,
        lambda: [*files("AndroidManifest.xml"), packed(capability())],
        (BadApk,),
        CHUNKS,
        share=6,
    ),
    Target("resource-table", read_table, lambda: files("resources.arsc"), (BadApk,), CHUNKS, 6),
    Target(
        "descriptor",
        lambda data: parse_descriptor(data.decode(errors="replace")),
        lambda: [fixtures.file(name).read_bytes() for name in fixtures.names("mobile-mcp/*.xml")],
        (BadDescriptor,),
        (b"<capability>", b"</capability>", b"<!DOCTYPE", b"<param ", b"/>", b"&amp;", b"&#1;"),
        share=2,
    ),
)
