"""The parts of an app to install: APKs, or an archive of APKs.

All functions read private copies and block. Names inside archives are never used as paths.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from ...app_formats.apk.archive import MANIFEST, Archive
from ...app_formats.apk.binary import BadApk
from ...app_formats.apk.manifest import Manifest
from ...app_formats.apk.zip_file import ZipFile
from ...driver.packages import PhoneTraits
from ...errors import ActionFailed
from ...screen.text import brief
from .package_files import ENDING, MOST_FILES, Copied, Copies

LIST = "manifest.json"
"""The list of contents in an .xapk."""
LIST_MAX = 1024 * 1024
_SHOWN = 200
_SPLITS = "splits/"
_OTHER_KINDS = ("standalones/", "instant/", "archive/")
"""Folders of an .apks with packages for older Androids, for instant apps, and for archived apps."""
_EXPANSION = re.compile(r"(?:main|patch)\.\d{1,10}\.[A-Za-z][\w.]*\.obb", re.ASCII)
_CONFIGURATION = re.compile(r"(?:(.+)\.)?config\.([A-Za-z0-9_]+)", re.ASCII)
"""The name of a configuration split, and the module that it belongs to."""
_ABIS = {
    "armeabi": "armeabi",
    "armeabi_v7a": "armeabi-v7a",
    "arm64_v8a": "arm64-v8a",
    "x86": "x86",
    "x86_64": "x86_64",
    "mips": "mips",
    "mips64": "mips64",
    "riscv64": "riscv64",
}
_DENSITIES = {
    "ldpi": 120,
    "mdpi": 160,
    "tvdpi": 213,
    "hdpi": 240,
    "xhdpi": 320,
    "xxhdpi": 480,
    "xxxhdpi": 640,
}


class Part(NamedTuple):
    copy: Copied
    manifest: Manifest
    signer: str
    """SHA-256 of the certificate; "" if there is no readable one."""


class PackageParts(NamedTuple):
    """All files that an app is installed from."""

    parts: tuple[Part, ...]
    """The base first."""
    packed: bool
    """Whether they come from an archive with parts for many phones."""
    expansions: tuple[Copied, ...] = ()

    @property
    def base(self) -> Manifest:
        return self.parts[0].manifest

    @property
    def package(self) -> str:
        return self.base.package


def read_parts(copies: Copies, copied: Sequence[Copied]) -> PackageParts:
    """Read the parts of one app. Raises ActionFailed if they do not belong together."""
    found = unpack_parts(copies, copied)
    parts = _without_variants(found.parts) if found.packed else found.parts
    return found._replace(parts=tuple(_check(parts)))


def unpack_parts(copies: Copies, copied: Sequence[Copied]) -> PackageParts:
    """Return all parts, whether they belong together or not. Raises ActionFailed, which names the
    file and its fault."""
    found: list[Part] = []
    expansions: list[Copied] = []
    packed = False
    for each in copied:
        members = _unpack(copies, each)
        if members is None:
            found.append(_read(each))
        else:
            packed = True
            found += map(_read, members[0])
            expansions += members[1]
    return PackageParts(tuple(found), packed, tuple(expansions))


def _unpack(copies: Copies, copied: Copied) -> tuple[list[Copied], list[Copied]] | None:
    """Copy the packages and expansion files out of an archive; None for a package itself."""
    try:
        with copied.path.open("rb") as file:
            archive = ZipFile(file, copied.name)
            if MANIFEST in archive:
                return None
            names, extra = _list_members(archive)
            if not names:
                raise ActionFailed(
                    f"{copied.name} is not an installable package: it contains none."
                )
            return (
                [_take(copies, archive, copied.name, name) for name in names],
                [_take(copies, archive, copied.name, name) for name in extra],
            )
    except BadApk as problem:
        raise _no_package(copied.name, problem) from problem


def _take(copies: Copies, archive: ZipFile, within: str, name: str) -> Copied:
    shown = brief(name.rpartition("/")[2], _SHOWN)
    copies.check(shown, archive.size(name))
    path = copies.next()
    with path.open("xb") as target:
        size = archive.copy(name, target, copies.left)
    return copies.made(f"{within}: {shown}" if name.endswith(ENDING) else shown, path, size)


def _list_members(archive: ZipFile) -> tuple[list[str], list[str]]:
    """Return the packages and expansion files in an archive. Raises BadApk."""
    if LIST in archive:
        listed = _read_list(archive)
        if listed is not None:
            return listed
    names = [name for name in archive.names if name.endswith(ENDING)]
    if any(name.startswith(_SPLITS) for name in names):
        names = [name for name in names if not name.startswith(_OTHER_KINDS)]
    if len(names) > MOST_FILES:
        raise BadApk(f"{archive.name}: it contains more than {MOST_FILES} packages")
    # The first of several variants of a split is for the oldest Android, and so for all.
    return sorted(names, key=lambda name: (len(name), name)), []


def _read_list(archive: ZipFile) -> tuple[list[str], list[str]] | None:
    """Read the list in an .xapk; None if the file of that name is something else."""
    try:
        told = json.loads(archive.read(LIST, LIST_MAX))
    except (ValueError, RecursionError):
        return None
    if not isinstance(told, dict):
        return None
    fields = cast("dict[str, Any]", told)
    package, extra = fields.get("package_name"), _files(archive, fields.get("expansions"))
    if fields.get("split_apks"):
        names = _files(archive, fields["split_apks"])
    elif isinstance(package, str) and f"{package}{ENDING}" in archive:
        names = [f"{package}{ENDING}"]
    else:
        return None
    for name in extra:
        own = name.rpartition("/")[2]
        if not _EXPANSION.fullmatch(own) or not own.endswith(f".{package}.obb"):
            raise BadApk(
                f"{archive.name}: its expansion file {brief(own, _SHOWN)!r} is not the app's"
            )
    return names, extra


def _files(archive: ZipFile, listed: object) -> list[str]:
    entries = cast("list[Any]", listed) if isinstance(listed, list) else []
    if len(entries) > MOST_FILES:
        raise BadApk(f"{archive.name}: it lists more than {MOST_FILES} files")
    names = [cast("dict[str, Any]", each).get("file") for each in entries if isinstance(each, dict)]
    return [name for name in names if isinstance(name, str)]


def _read(copied: Copied) -> Part:
    try:
        with Archive(copied.path, name=copied.name) as archive:
            manifest = archive.manifest(resolved=False)
            return Part(copied, manifest, _signer(archive))
    except BadApk as problem:
        raise _no_package(copied.name, problem) from problem


def _signer(archive: Archive) -> str:
    # Android verifies the signature, and reports its faults.
    try:
        signer = archive.signer()
    except BadApk:
        return ""
    return "" if signer is None else signer.digest


def _no_package(name: str, problem: BadApk) -> ActionFailed:
    why = str(problem).removeprefix(f"{name}: ").removesuffix(".")
    return ActionFailed(f"{name} is not an installable package: {brief(why, _SHOWN)}.")


def _without_variants(parts: Sequence[Part]) -> list[Part]:
    """Drop variants: an archive may have a split several times, for old and new Androids."""
    found: dict[str | None, Part] = {}
    for part in parts:
        found.setdefault(part.manifest.split, part)
    return list(found.values())


def _check(parts: Sequence[Part]) -> list[Part]:
    """Return them with the base first. Raises ActionFailed unless they make up one app."""
    first = parts[0]
    by_split: dict[str | None, Part] = {}
    for part in parts:
        if part.manifest.package != first.manifest.package:
            raise ActionFailed(
                f"{first.copy.name} is of {first.manifest.package}, and {part.copy.name} of"
                f" {part.manifest.package}: give the parts of one app."
            )
        if part.manifest.version_code != first.manifest.version_code:
            raise ActionFailed(
                f"{first.copy.name} is of version {first.manifest.version_code}, and"
                f" {part.copy.name} of {part.manifest.version_code}: give the parts of one version."
            )
        if part.signer != first.signer:
            raise ActionFailed(
                f"{first.copy.name} and {part.copy.name} have different signers: they are not parts"
                " of one app."
            )
        if part.manifest.split in by_split:
            other = by_split[part.manifest.split].copy.name
            raise ActionFailed(f"{other} and {part.copy.name} are the same part: give one.")
        by_split[part.manifest.split] = part
    base = by_split.pop(None, None)
    if base is None:
        raise ActionFailed("It is one part of a split app: give all parts.")
    return [base, *by_split.values()]


def depends_on_phone(parts: Sequence[Part]) -> bool:
    return any(_configuration(part)[1] in (*_ABIS, *_DENSITIES) for part in parts)


def choose_parts(parts: Sequence[Part], traits: PhoneTraits) -> list[Part]:
    """Choose each module's code for this phone's ABI and pictures for its screen density, and all
    languages. Raises ActionFailed for an app without code for this ABI."""
    codes: dict[str, dict[str, Part]] = {}
    pictures: dict[str, dict[str, Part]] = {}
    chosen: list[Part] = []
    for part in parts:
        module, kind = _configuration(part)
        if kind in _ABIS:
            codes.setdefault(module, {})[_ABIS[kind]] = part
        elif kind in _DENSITIES:
            pictures.setdefault(module, {})[kind] = part
        else:
            chosen.append(part)
    chosen += (_choose_code(found, traits.abis) for found in codes.values())
    chosen += (_choose_pictures(found, traits.density) for found in pictures.values())
    return chosen


def _configuration(part: Part) -> tuple[str, str]:
    match = _CONFIGURATION.fullmatch(part.manifest.split or "")
    return ("", "") if match is None else (match[1] or "", match[2])


def _choose_code(found: Mapping[str, Part], abis: Sequence[str]) -> Part:
    for abi in abis:
        if abi in found:
            return found[abi]
    raise ActionFailed(
        f"It is not made for this phone: it has code for {', '.join(sorted(found))}, and the phone"
        f" runs {', '.join(abis) or 'another ABI'}."
    )


def _choose_pictures(found: Mapping[str, Part], density: int) -> Part:
    """Return the smallest density that is sufficient, else the largest."""
    sizes = sorted(found, key=lambda kind: _DENSITIES[kind])
    return found[next((kind for kind in sizes if _DENSITIES[kind] >= density), sizes[-1])]
