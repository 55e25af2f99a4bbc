"""Whole packages: declarations, signers, and hostile archives."""

import hashlib
import io
import random
import struct
import warnings
import zipfile
import zlib
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import pkcs7
from cryptography.x509.oid import NameOID

from handheld.app_formats.apk.archive import Archive
from handheld.app_formats.apk.binary import BadApk
from handheld.app_formats.apk.manifest import Component, Filter, Manifest, ManifestKind, MetaData
from handheld.app_formats.apk.values import INT_DECIMAL, Value

from .writer import (
    LAUNCHER,
    MAIN,
    Node,
    archive,
    config,
    manifest,
    reference,
    signed,
    small_apk,
    table,
    xml,
)

LABEL, SIZE, FILE = 0x7F010000, 0x7F010001, 0x7F020000


def full_apk() -> bytes:
    """An APK with every kind of declaration."""
    root = Node(
        "manifest",
        {
            "package": "org.example.full",
            "android:versionCode": 5,
            "android:versionCodeMajor": 1,
            "android:versionName": reference(LABEL),
            "android:sharedUserId": "org.example.shared",
        },
        (
            Node("uses-sdk", {"android:minSdkVersion": 21, "android:targetSdkVersion": 30}),
            Node("uses-permission", {"android:name": "a.B"}),
            Node("uses-permission", {"android:name": "a.B"}),
            Node("uses-permission-sdk-23", {"android:name": "a.C"}),
            Node(
                "application",
                {
                    "android:label": reference(LABEL),
                    "android:name": "App",
                    "android:testOnly": True,
                },
                (
                    Node("meta-data", {"android:name": "size", "android:value": reference(SIZE)}),
                    Node(
                        "meta-data", {"android:name": "file", "android:resource": reference(FILE)}
                    ),
                    Node("meta-data", {"android:name": "bare"}),
                    Node("meta-data", {"android:value": "nameless"}),
                    Node(
                        "service",
                        {"android:name": ".Tools", "android:permission": "a.B"},
                        (
                            Node(
                                "intent-filter",
                                {"android:priority": -3},
                                (
                                    Node("action", {"android:name": "do.it"}),
                                    Node("data", {"android:scheme": "a", "android:host": "b"}),
                                    Node(
                                        "data", {"android:scheme": "a", "android:mimeType": "c/d"}
                                    ),
                                ),
                            ),
                            Node("meta-data", {"android:name": "on", "android:value": True}),
                        ),
                    ),
                    Node("activity-alias", {"android:name": ".A", "android:targetActivity": "B"}),
                    Node("provider", {"android:name": "x.P", "android:authorities": "one;two"}),
                    Node("receiver", {"android:name": "R", "android:enabled": False}),
                ),
            ),
        ),
    )
    words = table(
        {
            LABEL: {config(): "Full", config("de"): "Voll"},
            SIZE: {config(): Value(0x05, 12 << 8 | 1)},
            FILE: {config(): "r/f.xml"},
        }
    )
    return small_apk(root, resources=words, more={"r/f.xml": xml(Node("tools", {"n": 2}))})


def test_manifest_has_everything_the_package_manager_keeps():
    assert Archive(full_apk(), locale="de").manifest() == Manifest(
        package="org.example.full",
        label="Voll",
        version_name="Voll",
        version_code=(1 << 32) + 5,
        min_sdk=21,
        target_sdk=30,
        sdk_line=1,
        test_only=True,
        application="org.example.full.App",
        shared_user="org.example.shared",
        permissions=("a.B", "a.C"),
        components=(
            Component(
                ManifestKind.SERVICE,
                "org.example.full.Tools",
                exported=True,
                permission="a.B",
                filters=(
                    Filter(
                        ("do.it",), schemes=("a",), hosts=("b",), mime_types=("c/d",), priority=-3
                    ),
                ),
                meta_data={"on": MetaData("true")},
                exported_stated=False,
                line=1,
            ),
            Component(
                ManifestKind.ACTIVITY,
                "org.example.full.A",
                target="org.example.full.B",
                exported_stated=False,
                line=1,
            ),
            Component(
                ManifestKind.PROVIDER,
                "x.P",
                authorities=("one", "two"),
                exported_stated=False,
                line=1,
            ),
            Component(
                ManifestKind.RECEIVER,
                "org.example.full.R",
                enabled=False,
                exported_stated=False,
                line=1,
            ),
        ),
        meta_data={"size": MetaData("12.0dip", SIZE), "file": MetaData(resource=FILE)},
    )


def test_xml_is_found_by_its_resource_id():
    apk = Archive(full_apk())
    root = apk.xml(FILE)
    assert root is not None
    assert (root.name, root.attributes[0].value.coerce()) == ("tools", "2")
    assert apk.xml(LABEL) is None
    assert apk.xml(0x7F990000) is None


def test_a_package_without_resources_is_read():
    with Archive(small_apk()) as apk:
        assert apk.resources is None
        assert apk.xml(FILE) is None
        assert apk.manifest() == Manifest(
            package="org.example.small",
            label="Small",
            version_name="1.0",
            version_code=1,
            min_sdk=26,
            target_sdk=33,
            sdk_line=1,
            components=(
                Component(
                    ManifestKind.ACTIVITY,
                    "org.example.small.Main",
                    exported=True,
                    filters=(Filter((MAIN,), (LAUNCHER,)),),
                    line=1,
                ),
            ),
        )


def test_path_and_open_file_are_read_identically(tmp_path: Path):
    path = tmp_path / "small.apk"
    path.write_bytes(small_apk())
    with Archive(path) as by_path, path.open("rb") as file:
        assert by_path.manifest() == Archive(file).manifest()
        assert by_path.name == str(path)


@pytest.mark.parametrize("level", ["Q", "VanillaIceCream"])
def test_unreleased_version_is_above_all_levels(level: str):
    given = small_apk(manifest("org.example.new", least=level))
    assert Archive(given).manifest().min_sdk == 10_000


@pytest.mark.parametrize(
    "package", ["", "nodots", "a/b.c", "..", "org..x", "org.1x", "org.exämple", "a." + "b" * 300]
)
def test_invalid_package_name_is_rejected(package: str):
    with pytest.raises(BadApk, match=r"the package: AndroidManifest\.xml: .* is no name"):
        Archive(small_apk(manifest(package))).manifest()


def test_split_name_with_a_path_is_rejected():
    with pytest.raises(BadApk, match="no name for a split"):
        Archive(small_apk(manifest("a.b", split="../../x"))).manifest()


@pytest.mark.parametrize("name", ["package", "split"])
@pytest.mark.parametrize("way", ["source", "namespace", "number"])
def test_a_manifest_that_can_be_read_in_two_ways_is_rejected(name: str, way: str):
    """Android takes the source text, of the attribute without any namespace."""
    root = manifest("org.example.seen", split="seen")
    if way == "source":
        root = replace(root, sources={name: "org.example.meant"})
    elif way == "namespace":
        root = replace(root, attributes={f":{name}": "org.example.meant", **root.attributes})
    else:
        given = {**root.attributes, name: Value(INT_DECIMAL, 7)}
        root = replace(root, attributes=given, sources={name: "org.example.meant"})
    with pytest.raises(BadApk, match=rf"AndroidManifest\.xml: its '{name}' is stated twice"):
        Archive(small_apk(root)).manifest()


def test_component_without_a_name_is_rejected():
    with pytest.raises(BadApk, match="line 1: <service> has no name"):
        Archive(small_apk(manifest("a.b", Node("service")))).manifest()


# Signers


def test_signer_is_that_of_the_newest_scheme():
    plain = small_apk(certificate=None)
    assert Archive(plain).signer() is None
    for scheme in (2, 3):
        found = Archive(signed(plain, {scheme: b"mine"})).signer()
        assert found == (hashlib.sha256(b"mine").hexdigest(), scheme)
    both = signed(plain, {2: b"old", 3: b"new"})
    assert Archive(both).signer() == (hashlib.sha256(b"new").hexdigest(), 3)


def old_signature() -> tuple[bytes, bytes]:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Old")])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(77)
        .not_valid_before(datetime(2020, 1, 1))  # noqa: DTZ001
        .not_valid_after(datetime(2060, 1, 1))  # noqa: DTZ001
        .sign(key, hashes.SHA256())
    )
    signature = (
        pkcs7.PKCS7SignatureBuilder()
        .set_data(b"x")
        .add_signer(made, key, hashes.SHA256())
        .sign(serialization.Encoding.DER, [pkcs7.PKCS7Options.DetachedSignature])
    )
    return signature, made.public_bytes(serialization.Encoding.DER)


def test_v1_signature_is_found():
    signature, certificate = old_signature()
    apk = small_apk(certificate=None, more={"META-INF/CERT.EC": signature})
    assert Archive(apk).signer() == (hashlib.sha256(certificate).hexdigest(), 1)


@pytest.mark.parametrize("signature", [b"", b"0", b"0\x80", b"\x30\x03\x02\x01\x05", b"0" * 500])
def test_invalid_signature_is_rejected(signature: bytes):
    apk = small_apk(certificate=None, more={"META-INF/CERT.RSA": signature})
    with pytest.raises(BadApk, match=r"the package: META-INF/CERT\.RSA: "):
        Archive(apk).signer()


# Hostile archives


def at(data: bytes, mark: bytes, offset: int, new: bytes) -> bytes:
    place = data.rindex(mark) + offset
    return data[:place] + new + data[place + len(new) :]


SMALL = small_apk()
ENTRY, END = b"PK\x01\x02", b"PK\x05\x06"


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "it is not a zip archive"),
        (b"x" * 100_000, "it is not a zip archive"),
        (SMALL[:-1], "it is not a zip archive"),
        (at(SMALL, END, 12, struct.pack("<I", 0xFFFFFFF)), "does not fit"),
        (at(SMALL, END, 16, struct.pack("<I", 0xFFFFFFF)), "does not fit"),
        (at(SMALL, END, 8, struct.pack("<HH", 9, 9)), "it ends before byte"),
        (at(SMALL, END, 4, b"\1\0"), "one of several parts"),
        (at(SMALL, ENTRY, 10, b"\x63\0"), "packed in a way"),
        (at(SMALL, ENTRY, 0, b"XX"), "its directory is damaged"),
    ],
)
def test_invalid_archive_is_rejected(data: bytes, problem: str):
    with pytest.raises(BadApk, match=rf"^bad\.apk: .*{problem}"):
        Archive(data, name="bad.apk")


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (archive({"other": b"x"}), r"it has no AndroidManifest\.xml"),
        (at(SMALL, ENTRY, 16, b"\0\0\0\0"), r"AndroidManifest\.xml is damaged"),
        (at(SMALL, ENTRY, 24, struct.pack("<I", 1 << 31)), "at most 16777216 are read"),
        (at(SMALL, ENTRY, 20, struct.pack("<I", 1 << 30)), "reaches into the directory"),
        (at(SMALL, ENTRY, 42, struct.pack("<I", 5)), "is not where the directory says"),
        (at(SMALL, ENTRY, 42, struct.pack("<I", 1 << 30)), "it ends before byte"),
    ],
)
def test_entry_that_contradicts_the_directory_is_rejected(data: bytes, problem: str):
    with pytest.raises(BadApk, match=rf"^bad\.apk: .*{problem}"):
        Archive(data, name="bad.apk").manifest()


def test_directory_may_have_32_mib():
    most = 33_554_432
    end = struct.Struct("<4s4H2IH")
    assert Archive(bytes(most) + end.pack(END, 0, 0, 0, 0, most, 0, 0)).names == []
    with pytest.raises(BadApk, match="its directory of 33554433 bytes at 0 does not fit"):
        Archive(bytes(most + 1) + end.pack(END, 0, 0, 0, 0, most + 1, 0, 0))


def test_entry_larger_than_declared_is_rejected():
    bomb = archive({"AndroidManifest.xml": bytes(20_000_000)})
    small = at(bomb, ENTRY, 24, struct.pack("<I", 1000))
    with pytest.raises(BadApk, match="is damaged"):
        Archive(at(small, ENTRY, 16, struct.pack("<I", zlib.crc32(bytes(1000))))).manifest()


def test_entry_with_excessive_compression_is_rejected():
    bomb = archive({"AndroidManifest.xml": xml(manifest()), "resources.arsc": bytes(20_000_000)})
    with pytest.raises(BadApk, match=r"resources\.arsc is packed too tightly: 1\d{4} for 20000000"):
        Archive(bomb).manifest()


def test_duplicate_entry_is_rejected():
    made = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(made, "w") as writing:
        warnings.simplefilter("ignore")
        writing.writestr("AndroidManifest.xml", b"one")
        writing.writestr("AndroidManifest.xml", b"two")
    with pytest.raises(BadApk, match=r"two files called 'AndroidManifest\.xml'"):
        Archive(made.getvalue())


def test_signing_block_with_a_wrong_size_is_rejected():
    for size in (0, 23, 1 << 40):
        place = SMALL.index(b"APK Sig Block 42") - 8
        broken = SMALL[:place] + struct.pack("<Q", size) + SMALL[place + 8 :]
        with pytest.raises(BadApk, match="its signing block has"):
            Archive(broken).signer()


def test_signing_block_with_too_many_parts_is_rejected():
    parts = b"".join(struct.pack("<QI", 4, number) for number in range(200))
    size = struct.pack("<Q", len(parts) + 24)
    block = size + parts + size + b"APK Sig Block 42"
    plain = small_apk(certificate=None)
    start = plain.index(b"PK\x01\x02")
    moved = at(plain, END, 16, struct.pack("<I", start + len(block)))
    with pytest.raises(BadApk, match="its signing block has more than 100 parts"):
        Archive(moved[:start] + block + moved[start:]).signer()


# Copying a file of any size


@pytest.mark.parametrize("deflate", [True, False])
@pytest.mark.parametrize("size", [0, 1, 256 * 1024, 256 * 1024 + 1, 900_000])
def test_a_file_is_copied_as_it_is_read(deflate: bool, size: int) -> None:
    content = random.Random(size).randbytes(size)
    with Archive(archive({"x": content}, deflate=deflate)) as package:
        target = io.BytesIO()
        assert package.copy("x", target, size) == size
        assert target.getvalue() == content == package.read("x")


@pytest.mark.matrix
def test_a_file_over_the_limit_or_packed_too_tightly_is_not_copied() -> None:
    target = io.BytesIO()
    with Archive(archive({"x": bytes(2000), "y": bytes(200 * 1024 * 1024)})) as package:
        with pytest.raises(BadApk, match="at most 1999 are read"):
            package.copy("x", target, 1999)
        with pytest.raises(BadApk, match="packed too tightly"):
            package.copy("y", target, 1 << 30)
        with pytest.raises(BadApk, match="it has no z"):
            package.copy("z", target, 1)
    assert target.getvalue() == b""
