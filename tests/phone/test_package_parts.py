"""What an app is installed from: packages, archives of them, and which parts a phone needs."""

import json
import random
import struct
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from app_formats.apk.writer import archive, manifest, small_apk
from handheld.driver.packages import PhoneTraits
from handheld.errors import ActionFailed
from handheld.phone.apps.package_files import MOST_FILES, Copies, PackageRules
from handheld.phone.apps.package_parts import (
    PackageParts,
    choose_parts,
    depends_on_phone,
    read_parts,
)

PACKAGE = "org.example.small"
PHONE = PhoneTraits(34, "14", ("arm64-v8a", "armeabi-v7a"), 420)

Read = Callable[..., PackageParts]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def read(*contents: bytes, limit_mb: int = 8) -> PackageParts:
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        copies = Copies(folder, PackageRules(size_limit_mb=limit_mb))
        copied = []
        for number, content in enumerate(contents):
            path = copies.next()
            path.write_bytes(content)
            copied.append(copies.made(f"file{number}", path, len(content)))
        return read_parts(copies, copied)

    return read


def apk(split: str = "", package: str = PACKAGE, version: int = 1, by: bytes = b"one") -> bytes:
    more: dict[str, Any] = {"split": split} if split else {}
    root = manifest(package, versionCode=version, **more)
    return small_apk(root, certificate=by)


def splits(parts: PackageParts) -> list[str | None]:
    return [part.manifest.split for part in parts.parts]


def failure(read: Read, *contents: bytes, **limits: Any) -> str:
    with pytest.raises(ActionFailed) as failed:
        read(*contents, **limits)
    return failed.value.message


def test_a_package_is_read_with_its_signer(read: Read) -> None:
    parts = read(apk(version=7))
    assert (parts.package, parts.base.version_code, parts.packed) == (PACKAGE, 7, False)
    assert len(parts.parts[0].signer) == 64


def test_parts_that_are_given_one_by_one_are_put_in_order(read: Read) -> None:
    parts = read(apk("config.de"), apk(), apk("feature"))
    assert splits(parts) == [None, "config.de", "feature"]
    assert not parts.packed


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        ([apk("config.de")], "It is one part of a split app: give all parts."),
        (
            [apk(), apk("a", "org.example.other")],
            "file0 is of org.example.small, and file1 of org.example.other: give the parts of one"
            " app.",
        ),
        (
            [apk(), apk("a", version=2)],
            "file0 is of version 1, and file1 of 2: give the parts of one version.",
        ),
        (
            [apk(), apk("a", by=b"two")],
            "file0 and file1 have different signers: they are not parts of one app.",
        ),
        ([apk(), apk()], "file0 and file1 are the same part: give one."),
        ([b"nothing"], "file0 is not an installable package: it is not a zip archive."),
        ([archive({"x": b""})], "file0 is not an installable package: it contains none."),
        (
            [archive({"AndroidManifest.xml": b"<manifest/>"})],
            "file0 is not an installable package: AndroidManifest.xml: it is not binary XML.",
        ),
        (
            [archive({"a.apk": b"nothing"})],
            "file0: a.apk is not an installable package: it is not a zip archive.",
        ),
    ],
)
def test_what_makes_up_no_app_is_refused(read: Read, contents: list[bytes], message: str) -> None:
    assert failure(read, *contents) == message


# Archives


def test_an_apks_archive_has_splits_and_variants_for_older_androids(read: Read) -> None:
    files = {
        "toc.pb": b"\x0a",
        "splits/base-master.apk": apk(),
        "splits/base-master_2.apk": apk(),
        "splits/base-de.apk": apk("config.de"),
        "splits/base-de_2.apk": apk("config.de"),
        "standalones/standalone-hdpi.apk": apk(),
        "instant/instant-base-master.apk": apk(),
    }
    parts = read(archive(files))
    assert splits(parts) == [None, "config.de"]
    assert parts.packed
    assert [part.copy.name for part in parts.parts] == [
        "file0: base-master.apk",
        "file0: base-de.apk",
    ]


@pytest.mark.parametrize(
    "files",
    [
        {"universal.apk": apk(), "toc.pb": b"x"},
        {"base.apk": apk(), "split_config.de.apk": apk("config.de"), "info.json": b"{}"},
        {"base.apk": apk(), "manifest.json": b"not JSON"},
        {"base.apk": apk(), "manifest.json": b"[" * 10_000},
        {"base.apk": apk(), "manifest.json": b'{"name": "other"}'},
        {"../../../base.apk": apk()},
        {"/etc/base.apk": apk()},
    ],
)
def test_other_archives_of_packages_are_read(
    read: Read, files: dict[str, bytes], tmp_path: Path
) -> None:
    assert splits(read(archive(files)))[0] is None
    assert all(path.parent.parent == tmp_path for path in tmp_path.glob("*/*"))
    assert not list(tmp_path.glob("*/*/*"))


def xapk(listed: Mapping[str, Any], **files: bytes) -> bytes:
    named = {name.replace("__", "/"): content for name, content in files.items()}
    return archive(
        {"manifest.json": json.dumps({"package_name": PACKAGE, **listed}).encode(), **named}
    )


def test_an_xapk_lists_its_parts_and_expansion_files(read: Read) -> None:
    obb = f"main.1.{PACKAGE}.obb"
    listed = {
        "split_apks": [{"file": "a.apk", "id": "base"}, {"file": "b.apk", "id": "config.de"}],
        "expansions": [{"file": f"Android/obb/{PACKAGE}/{obb}", "install_path": "../../x"}],
    }
    files = {"a.apk": apk(), "b.apk": apk("config.de"), "c.apk": apk("config.fr")}
    parts = read(xapk(listed, **files, **{f"Android__obb__{PACKAGE}__{obb}": b"much"}))
    assert splits(parts) == [None, "config.de"]
    [expansion] = parts.expansions
    assert (expansion.name, expansion.path.read_bytes()) == (obb, b"much")
    old = read(xapk({"xapk_version": 1}, **{f"{PACKAGE}.apk": apk()}))
    assert splits(old) == [None]


@pytest.mark.parametrize(
    "name",
    ["main.1.org.other.obb", "x.obb", "../main.1.org.example.small.obb/y", f"main..{PACKAGE}.obb"],
)
def test_an_expansion_file_of_another_name_is_refused(read: Read, name: str) -> None:
    listed = {"split_apks": [{"file": "a.apk"}], "expansions": [{"file": name}]}
    told = failure(read, xapk(listed, **{"a.apk": apk(), name: b"x"}))
    assert "is not the app's" in told


def test_of_a_list_that_is_too_long_nothing_is_left_out(read: Read) -> None:
    listed = {"split_apks": [{"file": "a.apk"}] + [{"file": "b.apk"}] * 300}
    told = failure(read, xapk(listed, **{"a.apk": apk(), "b.apk": apk("config.de")}))
    assert told == "file0 is not an installable package: it lists more than 300 files."


def test_a_part_that_is_listed_and_missing_is_named(read: Read) -> None:
    told = failure(read, xapk({"split_apks": [{"file": "\u202ea.apk"}]}))
    assert told.startswith("file0 is not an installable package: it has no ")
    assert "\u202e" not in told


# Sizes


def test_what_is_unpacked_counts_as_well(read: Read) -> None:
    noise = random.Random(1).randbytes(700 * 1024)
    held = archive({"base.apk": small_apk(manifest(PACKAGE), more={"assets/x": noise})})
    assert splits(read(held, limit_mb=2)) == [None]
    assert failure(read, held, limit_mb=1).startswith("base.apk is too large")


@pytest.mark.matrix
def test_a_bomb_is_refused_before_it_is_unpacked(read: Read, tmp_path: Path) -> None:
    bomb = archive({"base.apk": bytes(300 * 1024 * 1024)})
    told = failure(read, bomb, limit_mb=500)
    assert "packed too tightly" in told
    assert sum(path.stat().st_size for path in tmp_path.rglob("*")) < 2 * len(bomb)


def test_a_part_over_the_limit_is_refused_by_what_it_says_of_itself(read: Read) -> None:
    large = archive({"base.apk": bytes(1024 * 1024 + 4096)})
    assert failure(read, large, limit_mb=1).startswith(
        "base.apk is too large: packages may have 1 MB"
    )


def lying(content: bytes, size: int) -> bytes:
    """An archive whose directory says another size than its file unpacks to."""
    made = bytearray(archive({"base.apk": content}))
    at = made.rindex(b"PK\1\2")
    struct.pack_into("<I", made, at + 24, size)
    return bytes(made)


@pytest.mark.parametrize("size", [10, 1_000_000])
def test_a_part_that_lies_about_its_size_is_refused(read: Read, size: int) -> None:
    assert "is damaged" in failure(read, lying(bytes(500_000), size))


def test_an_archive_of_too_many_packages_is_refused(read: Read) -> None:
    files = {f"{number}.apk": b"" for number in range(MOST_FILES + 1)}
    assert f"more than {MOST_FILES} packages" in failure(read, archive(files))


def test_two_files_of_one_name_are_refused(read: Read) -> None:
    made = archive({"base1.apk": apk(), "base2.apk": apk()})
    assert "two files called" in failure(read, made.replace(b"base2.apk", b"base1.apk"))


# Which parts a phone needs


def chosen(read: Read, traits: PhoneTraits, *names: str) -> list[str | None]:
    files = {"base.apk": apk(), **{f"{name}.apk": apk(name) for name in names}}
    parts = read(archive(files)).parts
    assert depends_on_phone(parts)
    return [part.manifest.split for part in choose_parts(parts, traits)]


def test_of_each_module_the_code_and_the_pictures_for_the_phone_are_chosen(read: Read) -> None:
    names = [
        *("config.arm64_v8a", "config.x86", "config.armeabi_v7a", "config.de", "config.fr"),
        *("config.hdpi", "config.xhdpi", "config.xxhdpi", "maps", "maps.config.armeabi_v7a"),
    ]
    assert set(chosen(read, PHONE, *names)) == {
        *(None, "config.arm64_v8a", "config.de", "config.fr", "config.xxhdpi"),
        *("maps", "maps.config.armeabi_v7a"),
    }


def test_a_finer_screen_than_all_pictures_gets_the_finest(read: Read) -> None:
    traits = PHONE._replace(density=640)
    assert chosen(read, traits, "config.mdpi", "config.xhdpi") == [None, "config.xhdpi"]


def test_an_app_without_code_for_the_processor_is_refused(read: Read) -> None:
    with pytest.raises(ActionFailed) as refused:
        chosen(read, PHONE, "config.x86", "config.x86_64")
    assert refused.value.message == (
        "It is not made for this phone: it has code for x86, x86_64, and the phone runs arm64-v8a,"
        " armeabi-v7a."
    )


def test_languages_do_not_depend_on_the_phone(read: Read) -> None:
    assert not depends_on_phone(read(archive({"a.apk": apk(), "b.apk": apk("config.de")})).parts)
