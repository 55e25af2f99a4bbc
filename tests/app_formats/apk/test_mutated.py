"""Packages with changed bytes: read or refused, with little work, and nothing else."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apks.build import build, need_tools
from handheld.app_formats.apk.archive import Archive
from handheld.app_formats.apk.binary import BadApk
from handheld.app_formats.apk.binary_xml import read_xml
from handheld.app_formats.apk.resources import Resources
from harness.work import count_lines, memory

from .test_archive import full_apk
from .writer import archive

MOST_LINES, LINES_PER_BYTE = 20_000, 100
MOST_BYTES = 1024 * 1024

CHANGES = st.lists(
    st.tuples(
        st.floats(0, 1, exclude_max=True),
        st.binary(min_size=1, max_size=4) | st.sampled_from([b"\xff" * 4, b"\0" * 4, b"\x7f"]),
    ),
    min_size=1,
    max_size=8,
)


def change(data: bytes, changes: list[tuple[float, bytes]]) -> bytes:
    changed = bytearray(data)
    for where, new in changes:
        place = int(where * len(data))
        changed[place : place + len(new)] = new
    return bytes(changed[: len(data)])


def read_all(apk: bytes) -> None:
    """Everything that there is to read, each by itself, so that one refusal hides no other."""
    try:
        package = Archive(apk)
    except BadApk:
        return
    for read in (package.manifest, package.signer):
        with suppress(BadApk):
            read()
    with suppress(BadApk):
        resources = package.resources
        for number in range(0x7F010000, 0x7F050000, 0x4000):
            package.xml(number)
            if resources is not None:
                resources.bag(number)


def with_limits(apk: bytes) -> None:
    most = MOST_LINES + LINES_PER_BYTE * len(apk)
    assert count_lines(lambda: read_all(apk)) <= most


FULL = full_apk()
FILES = {name: Archive(FULL).read(name) for name in Archive(FULL).names}


@given(CHANGES)
def test_mutated_archive_is_read_or_rejected(changes: list[tuple[float, bytes]]):
    with_limits(change(FULL, changes))


@given(st.sampled_from(sorted(FILES)), CHANGES)
def test_mutated_entry_in_a_valid_archive_is_read_or_rejected(
    name: str, changes: list[tuple[float, bytes]]
):
    with_limits(archive({**FILES, name: change(FILES[name], changes)}))


@given(st.binary(max_size=300))
def test_random_bytes_are_rejected(data: bytes):
    for read in (lambda: read_xml(data, "x"), lambda: Resources(data, "x"), lambda: Archive(data)):
        with pytest.raises(BadApk):
            read()


@pytest.mark.needs_aapt
@given(st.sampled_from(["AndroidManifest.xml", "resources.arsc"]), CHANGES)
def test_mutated_entries_of_a_real_package_are_read_or_rejected(
    name: str, changes: list[tuple[float, bytes]]
):
    need_tools()
    real = Archive(build("tools"))
    files = {one: real.read(one) for one in real.names}
    real.close()
    with_limits(archive({**files, name: change(files[name], changes)}))


@pytest.mark.matrix
def test_rejected_files_use_no_memory():
    huge = b"\xff\xff\xff\x7f"
    with memory(MOST_BYTES):
        for name, content in FILES.items():
            for place in range(0, len(content), 12):
                changed = content[:place] + huge + content[place + 4 :]
                read_all(archive({**FILES, name: changed}, deflate=False))
